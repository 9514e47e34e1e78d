/* Sums over document lengths and a table of them: K(z) = Σ_k C_k k/(z + k) and −dK/d log z. */
#ifndef TB_LENGTH_TABLE_H
#define TB_LENGTH_TABLE_H

#include "core.h"

/* K is analytic in log z where |Im log z| < π, so a polynomial of degree 10 on a panel of width ½ has an error below
 * (π/¼ + …)^−11 ≈ 1e-15 of it. length_table.py has the same numbers. */
enum { DEGREE = 10, PANELS = 130 };
#define WIDTH 0.5
#define LOWEST (-27.631021115928547) /* log 1e-12 */

/* C_k, the number of documents longer than k: one by one up to `direct`, padded with zeros to whole LANES; then
 * constant in runs [edges[r], edges[r + 1]). */
TB_STRUCT(LengthCounts, {
    const double *longer;
    Size direct;
    const int64_t *edges;
    const double *run_longer;
    Size runs;
})

/* K at each log z. */
TB_STRUCT(LengthSums, {
    const double *log_z;
    Size size;
    double *value;
    double *slope;
})

/* The polynomials of each panel, with the coefficients of K and of −dK/d log z interleaved; the sum of the lengths, the
 * largest length, and Σ_k C_k k. */
TB_STRUCT(LengthTable, {
    const double *coefficients;
    double tokens;
    double pairs;
    int64_t longest;
})

TB_KERNEL(tb_length_sums, const LengthCounts *counts, const LengthSums *out);
TB_KERNEL(tb_look_up, const LengthTable *table, const LengthSums *out);

/* Runs begin here: from this k on, the Euler–Maclaurin formula is exact to rounding. length_table.py has it, too. */
enum { DIRECT = 4096 };

void run_sum(double z, double a, double b, double *value, double *slope);
double run_log_sum(double z, double a, double b);

/* The panel of t, the position in it from −1 to 1, and the factors of value and slope outside the table. */
typedef struct {
    const double *row;
    double u, shrink_value, shrink_slope;
} Place;

TB_INLINE Place place_of(const double *coefficients, double t) {
    double position = (t - LOWEST) / WIDTH;
    int64_t panel = 0;
    Place place = {coefficients, -1.0, 1.0, 1.0};
    if (!(position >= 0)) { /* K is flat, and its slope falls with z */
        place.shrink_slope = exp(t - LOWEST);
    } else if (position >= PANELS) { /* both fall with 1/z */
        panel = PANELS - 1;
        place.u = 1.0;
        place.shrink_value = place.shrink_slope = exp(LOWEST + PANELS * WIDTH - t);
    } else {
        panel = (int64_t)position;
        place.u = 2 * (position - (double)panel) - 1;
    }
    place.row = coefficients + panel * 2 * (DEGREE + 1);
    return place;
}

/* K and −dK/d log z at one point. Even and odd powers are summed separately: two short chains instead of a long one. */
TB_INLINE Pair look_up(const double *coefficients, double t) {
    Place place = place_of(coefficients, t);
    double square = place.u * place.u;
    Pair u = {place.u, place.u}, u_2 = {square, square};
    Pair even = pair_at(place.row + 2 * DEGREE), odd = pair_at(place.row + 2 * (DEGREE - 1));
    for (int k = DEGREE - 2; k > 0; k -= 2) {
        even = even * u_2 + pair_at(place.row + 2 * k);
        odd = odd * u_2 + pair_at(place.row + 2 * (k - 1));
    }
    even = even * u_2 + pair_at(place.row);
    return (even + odd * u) * (Pair){place.shrink_value, place.shrink_slope};
}

/* The same at two points: value and slope at *low*, value and slope at *high*. If both are in the same panel, four lanes
 * compute them at once, with the same bits. */
TB_INLINE Lanes look_up_two(const double *coefficients, double low, double high) {
    Place a = place_of(coefficients, low), b = place_of(coefficients, high);
    if (a.row != b.row) {
        Pair at_low = look_up(coefficients, low), at_high = look_up(coefficients, high);
        return (Lanes){at_low[0], at_low[1], at_high[0], at_high[1]};
    }
    Lanes u = {a.u, a.u, b.u, b.u}, u_2 = u * u;
    Lanes even = pair_twice(a.row + 2 * DEGREE), odd = pair_twice(a.row + 2 * (DEGREE - 1));
    for (int k = DEGREE - 2; k > 0; k -= 2) {
        even = even * u_2 + pair_twice(a.row + 2 * k);
        odd = odd * u_2 + pair_twice(a.row + 2 * (k - 1));
    }
    even = even * u_2 + pair_twice(a.row);
    return (even + odd * u) * (Lanes){a.shrink_value, a.shrink_slope, b.shrink_value, b.shrink_slope};
}

#endif
