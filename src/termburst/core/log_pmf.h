/* Log-probabilities of counts, in forms without cancellation. The same functions in Python are in termburst.models. */
#ifndef TB_LOG_PMF_H
#define TB_LOG_PMF_H

#include "special.h"

/* Σ_k w^(2k)/(2k + 3): artanh(w) = w + w³ · this. For |w| ≤ 0.1, to rounding. */
TB_INLINE double artanh_series(double square) {
    double series = 1.0 / 19;
    series = series * square + 1.0 / 17;
    series = series * square + 1.0 / 15;
    series = series * square + 1.0 / 13;
    series = series * square + 1.0 / 11;
    series = series * square + 1.0 / 9;
    series = series * square + 1.0 / 7;
    series = series * square + 1.0 / 5;
    return series * square + 1.0 / 3;
}

/* x log(x/e) + e − x ≥ 0. `excess` is e − x, which the caller knows more precisely. e at x = 0, ∞ at e = 0 < x. */
TB_INLINE double deviance(double x, double e, double excess) {
    double total = x + e, v = total > 0 ? excess / total : excess;
    if (fabs(v) < 0.1) return excess * v - 2 * x * v * (v * v) * artanh_series(v * v);
    if (!(x > 0)) return excess;
    return e > 0 ? x * log(x / e) + excess : INFINITY;
}

/* log Γ(x + 1) − x log x + x for x ≥ 0: the remainder of Stirling's leading terms; 0 at 0. */
TB_INLINE double factorial_remainder(double x) {
    if (x >= 12) return 0.5 * log(2 * PI * x) + stirling_remainder(x);
    return x > 0 ? log_gamma(x + 1) - x * log(x) + x : 0.0;
}

/* log P(k), k of n, each with probability p: Loader's form. */
TB_INLINE double binomial_log_pmf(double k, double n, double p) {
    double rest = n - k, excess = p < 0.5 ? n * p - k : rest - n * (1 - p);
    double value = -deviance(k, n * p, excess) - deviance(rest, n * (1 - p), -excess);
    value += factorial_remainder(n) - factorial_remainder(k) - factorial_remainder(rest);
    return least(value, 0.0);
}

/* Hypergeometric log P(k): k occurrences of the term among n_j draws from n tokens, n_i of which are the term. Computed
 * as three binomials with p = n_j/n, the last one at its mean. */
TB_INLINE double hypergeometric_log_pmf(double k, double n_i, double n_j, double n) {
    double p = n_j / n;
    return binomial_log_pmf(k, n_i, p) + binomial_log_pmf(n_j - k, n - n_i, p) - binomial_log_pmf(n_j, n, p);
}

/* `rising_remainder` for large z and relatively small a, the usual case in text: shorter series, exact to rounding for
 * z ≥ 100 and w ≤ 0.01. */
TB_INLINE double rising_remainder_near(double z, double a, double w) {
    double inverse = 1 / (z * (z + a)), u = (z + a) * inverse, v = z * inverse, r = a * u, square = w * w;
    double cube = w * square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square * (1.0 / 9))));
    double stirling = 1.0 / 12 - (u * u + u * v + v * v) * (1.0 / 360) + (u * v) * (u * v) * (1.0 / 252);
    return z * (r * w + 2 * (1 + r) * cube) - (w + cube) - a * inverse * stirling;
}

/* log Γ(z + a) − log Γ(z) − a log z for z ≥ 12: z[(1 + r) log(1 + r) − r] − ½ log(1 + r), r = a/z, plus two Stirling
 * remainders. It falls like 1/z. */
TB_INLINE double rising_remainder(double z, double a) {
    double w = a / (2 * z + a);
    if (z >= 100 && w <= 0.01) return rising_remainder_near(z, a, w);
    double r = a / z, log_r = log1p(r), curved = (1 + r) * log_r - r;
    if (w < 0.1) {
        double cube = w * (w * w) * artanh_series(w * w);
        log_r = 2 * (w + cube);
        curved = r * w + 2 * (1 + r) * cube;
    }
    return z * curved - 0.5 * log_r + (stirling_remainder(z + a) - stirling_remainder(z));
}

/* log[Γ(y) Γ(y + a + b) / (Γ(y + a) Γ(y + b))] ≥ 0 for y > 0 and a, b ≥ 0. It is −log P(0) of a beta-binomial with α =
 * a and α_¬ = y at b tokens, and of the hypergeometric with y − 1 tokens that are neither drawn nor the term. */
TB_INLINE double gamma_cross(double y, double a, double b) {
    double head = 0.0, small = least(a, b), large = most(a, b);
    for (int q = 0; q < 12 && y < 12; q++) {
        double with_a = y + a, with_b = y + b, gone = a / with_a * (b / with_b);
        head -= gone < 0.5 ? log1p(-gone) : log(y / with_a * ((with_a + b) / with_b));
        y += 1;
    }
    return head + small * log1p(large / y) + (rising_remainder(y + large, small) - rising_remainder(y, small));
}

#endif
