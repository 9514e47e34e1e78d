/* Cholesky factors of small symmetric matrices, of which only the lower triangle is used. */
#ifndef TB_CHOLESKY_H
#define TB_CHOLESKY_H

#include "core.h"

/* Replaces the lower triangle by its factor, and the upper one by its transpose. A pivot of at most *tiny* is a direction
 * in which nothing is known: its column becomes 0. Returns 0 if a pivot is clearly negative or NaN.
 *
 * Each column is subtracted from all rows that follow as soon as it is known: no sum waits for the one before it, and a
 * row that has 0 in this column costs nothing. */
TB_INLINE int cholesky(double *a, int64_t size, double tiny) {
    for (int64_t k = 0; k < size; k++) {
        double *row = a + k * size, pivot = row[k];
        if (!(pivot >= -1e3 * tiny)) return 0;
        int known = pivot > tiny;
        double root = known ? sqrt(pivot) : 0.0, inverse = known ? 1 / root : 0.0;
        row[k] = root;
        for (int64_t l = k + 1; l < size; l++) row[l] = a[l * size + k] *= inverse;
        if (!known) continue;
        for (int64_t l = k + 1; l < size; l++) {
            double *below = a + l * size, factor = row[l];
            if (factor == 0) continue;
            for (int64_t m = k + 1; m <= l; m++) below[m] -= factor * row[m];
        }
    }
    return 1;
}

/* Solves with a factor, in place; directions in which nothing is known get 0. */
TB_INLINE void solve(const double *a, int64_t size, double *b) {
    for (int64_t k = 0; k < size; k++) {
        const double *row = a + k * size;
        b[k] = row[k] > 0 ? b[k] / row[k] : 0.0;
        if (b[k] == 0) continue;
        for (int64_t m = k + 1; m < size; m++) b[m] -= row[m] * b[k];
    }
    for (int64_t k = size - 1; k >= 0; k--) {
        const double *row = a + k * size;
        b[k] = row[k] > 0 ? b[k] / row[k] : 0.0;
        if (b[k] == 0) continue;
        for (int64_t m = 0; m < k; m++) b[m] -= row[m] * b[k];
    }
}

#endif
