/* Cholesky factors of small symmetric matrices, of which only the lower triangle is used. */
#ifndef TB_CHOLESKY_H
#define TB_CHOLESKY_H

#include "core.h"

/* Replaces the lower triangle by its factor. A pivot of at most *tiny* is a direction in which nothing is known: its
 * column becomes 0. Returns 0 if a pivot is clearly negative or NaN. Zeros at the beginning of a row cost nothing. */
TB_INLINE int cholesky(double *a, int64_t size, double tiny) {
    for (int64_t k = 0; k < size; k++) {
        double *row = a + k * size;
        int64_t first = 0;
        while (first < k && row[first] == 0) first++;
        for (int64_t l = first; l <= k; l++) {
            const double *other = a + l * size;
            double sum = row[l];
            for (int64_t m = first; m < l; m++) sum -= row[m] * other[m];
            if (l < k) {
                row[l] = other[l] > 0 ? sum / other[l] : 0.0;
            } else {
                if (!(sum >= -1e3 * tiny)) return 0;
                row[k] = sum > tiny ? sqrt(sum) : 0.0;
            }
        }
    }
    return 1;
}

/* Solves with a factor, in place; directions in which nothing is known get 0. */
TB_INLINE void solve(const double *a, int64_t size, double *b) {
    for (int64_t k = 0; k < size; k++) {
        const double *row = a + k * size;
        int64_t first = 0;
        while (first < k && row[first] == 0) first++;
        for (int64_t m = first; m < k; m++) b[k] -= row[m] * b[m];
        b[k] = row[k] > 0 ? b[k] / row[k] : 0.0;
    }
    for (int64_t k = size - 1; k >= 0; k--) {
        const double *row = a + k * size;
        b[k] = row[k] > 0 ? b[k] / row[k] : 0.0;
        for (int64_t m = 0; m < k; m++) b[m] -= row[m] * b[k];
    }
}

#endif
