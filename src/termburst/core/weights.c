#include "weights.h"

#include "log_pmf.h"

enum {
    CHUNK = 128, /* cells whose terms are looked up together, so that the arithmetic after it vectorises */
    SHIFT = 8,   /* steps of the recurrence of ψ: from 8 on the series is exact to rounding */
    FACTORS = 16 /* up to this count, ratios of successive probabilities are used */
};
static const double LARGE = 1e8;       /* for larger a, ψ needs no series */

/* Without a branch if all counts of the row are in the table, which is the usual case: whether a term is repeated
 * cannot be predicted. */
int32_t tb_share_weights(const CountBlock *counts, const ShareTerms *terms, const Weights *out) {
    Row row;
    for (int64_t j = 0; j < counts->rows; j++) {
        int32_t status = checked_row(counts, j, &row);
        if (status != TB_OK) return status;
        double n_j = (double)row.n_j;
        for (int64_t k = row.start; k < row.end; k++) {
            int64_t n = counts->count[k];
            double log_factorial = row.bits < TABLED || n < TABLED ? terms->log_factorial[n] : log_gamma((double)n);
            const double *packed = terms->packed + 4 * (int64_t)counts->term[k];
            out->weight[k] = (packed[0] * n_j + packed[1]) + (packed[2] * ((double)n - 1) + log_factorial);
        }
        if (!terms->sigmoid) continue;
        for (int64_t k = row.start; k < row.end; k++) out->weight[k] = exp(-out->weight[k]);
        for (int64_t k = row.start; k < row.end; k++) out->weight[k] = 1 / (1 + out->weight[k]);
    }
    return TB_OK;
}

/* (s_1(y) − s_1(b))/(1/y² − 1/b²) for y, b ≥ 8, s_1 = log x − 1/(2x) − ψ(x) = Σ_k B_2k/(2k) x^(−2k): the quotient
 * of differences of powers is a sum of products, so nothing cancels. */
TB_INLINE double bernoulli_quotient(double u, double v) {
    static const double c[] = {1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12,
                               -3617.0 / 8160};
    double power = u, products = 1.0, total = c[0];
    for (int k = 1; k < 8; k++) {
        products = products * v + power; /* u^k + u^(k−1) v + … + v^k */
        power *= u;
        total += c[k] * products;
    }
    return total;
}

/* Two parts of ψ(a + x) − ψ(a): the recurrence, Σ_{q < 8} [1/(a + q) − 1/(a + q + x)], as one fraction; and the
 * difference of ψ − log at y = a + 8 and b = y + x. */
TB_INLINE double digamma_step_rest(double a, double x) {
    double above = 0.0, below = 1.0;
    for (int q = 0; q < SHIFT; q++) {
        double product = (a + q) * (a + q + x);
        above = above * product + below;
        below *= product;
    }
    double y = a + SHIFT, b = y + x, inverse = 1 / (y * b);
    double u = b * inverse, v = y * inverse; /* 1/y and 1/b */
    return x * (above / below + inverse * (0.5 + (u + v) * bernoulli_quotient(u * u, v * v)));
}

/* log(1 + x/y) by its series in w = x/(2y + x) ≤ 0.2, which is x ≤ y/2. */
TB_INLINE double log1p_series(double w) {
    double square = w * w, series = 1.0 / 23;
    for (int power = 21; power > 0; power -= 2) series = series * square + 1.0 / power;
    return 2 * w * series;
}

/* a(ψ(a + x) − ψ(a)) outside the range of the vectorised loop: x much larger than a, or a so large that the result is
 * x. */
static double discounted_far(double a, double x) {
    if (a <= LARGE) return a * (digamma_step_rest(a, x) + log1p(x / (a + SHIFT)));
    return a < INFINITY ? a * log1p(x / a) + 0.5 * (x / (a + x)) : x;
}

/* a(ψ(a + x) − ψ(a)) of `size` cells. The first loop has no branch, so that it is vectorised. */
TB_INLINE void discounted_chunk(const double *a, const double *x, double *out, int64_t size) {
    double capped[CHUNK];
    for (int64_t k = 0; k < size; k++) capped[k] = least(a[k], LARGE);
    for (int64_t k = 0; k < size; k++) {
        double y = capped[k] + SHIFT;
        out[k] = capped[k] * (digamma_step_rest(capped[k], x[k]) + log1p_series(x[k] / (2 * y + x[k])));
    }
    for (int64_t k = 0; k < size; k++) {
        if (!(x[k] <= 0.5 * (a[k] + SHIFT) && a[k] <= LARGE)) out[k] = discounted_far(a[k], x[k]);
    }
}

TB_INLINE double relative_length(double share, double mean, double n_j) { return 1 - share + share * n_j / mean; }

int32_t tb_discounted_weights(const CountBlock *counts, const DiscountTerms *terms, const Weights *out) {
    Row row;
    double a[CHUNK], x[CHUNK], rarity[CHUNK];
    for (int64_t j = 0; j < counts->rows; j++) {
        int32_t status = checked_row(counts, j, &row);
        if (status != TB_OK) return status;
        double length = relative_length(terms->share, terms->mean, (double)row.n_j);
        for (int64_t start = row.start; start < row.end; start += CHUNK) {
            int64_t size = least_int(CHUNK, row.end - start);
            double *weight = out->weight + start;
            for (int64_t k = 0; k < size; k++) {
                const double *pair = terms->pairs + 2 * (int64_t)counts->term[start + k];
                a[k] = pair[0];
                rarity[k] = pair[1];
                x[k] = (double)counts->count[start + k] / length;
            }
            discounted_chunk(a, x, weight, size);
            for (int64_t k = 0; k < size; k++) weight[k] *= rarity[k];
        }
    }
    return TB_OK;
}

/* Σ_j [a(ψ(n_ij + a) − ψ(a))]² of each term. Rows are sorted by count; equal counts are computed once. */
int32_t tb_discounted_squares(const TermRows *rows) {
    for (int64_t i = 0; i < rows->terms; i++) {
        int64_t start = rows->starts[i], end = rows->starts[i + 1], last = -1;
        if (start < 0 || end < start || end > rows->rows) return TB_BAD_INDEX;
        double total = 0.0, square = 0.0;
        for (int64_t k = start; k < end; k++) {
            if (rows->count[k] != last) {
                last = rows->count[k];
                double value = discounted_far(rows->a[i], (double)last);
                square = value * value;
            }
            total += square * (double)rows->documents[k];
        }
        rows->sum[i] = total;
    }
    return TB_OK;
}

int32_t tb_saturated_weights(const CountBlock *counts, const SaturatedTerms *terms, const Weights *out) {
    Row row;
    for (int64_t j = 0; j < counts->rows; j++) {
        int32_t status = checked_row(counts, j, &row);
        if (status != TB_OK) return status;
        double half = terms->saturation * relative_length(terms->share, terms->mean, (double)row.n_j);
        for (int64_t k = row.start; k < row.end; k++) {
            double n = (double)counts->count[k];
            out->weight[k] = n * (terms->saturation + 1) / (n + half) * terms->rarity[counts->term[k]];
        }
    }
    return TB_OK;
}

int32_t tb_sublinear_weights(const CountBlock *counts, const SublinearTerms *terms, const Weights *out) {
    Row row;
    for (int64_t j = 0; j < counts->rows; j++) {
        int32_t status = checked_row(counts, j, &row);
        if (status != TB_OK) return status;
        for (int64_t k = row.start; k < row.end; k++) {
            double damped = counts->count[k] == 1 ? 1.0 : 1 + log((double)counts->count[k]);
            out->weight[k] = damped * terms->rarity[counts->term[k]];
        }
    }
    return TB_OK;
}

TB_INLINE double finite_or_zero(double x) { return isfinite(x) ? x : 0.0; }

/* Variance of the beta-binomial divided by that of the binomial; 1 at the boundary, and if there is no fit. */
TB_INLINE double spread(double alpha_0, double n_j) { return alpha_0 < INFINITY ? (alpha_0 + n_j) / (alpha_0 + 1) : 1.0; }

int32_t tb_pearson_weights(const CountBlock *counts, const FitTerms *terms, const Weights *out) {
    Row row;
    for (int64_t j = 0; j < counts->rows; j++) {
        int32_t status = checked_row(counts, j, &row);
        if (status != TB_OK) return status;
        double n_j = (double)row.n_j;
        for (int64_t k = row.start; k < row.end; k++) {
            int32_t i = counts->term[k];
            double p = terms->mean[i], variance = n_j * p * (1 - p) * spread(terms->alpha_0[i], n_j);
            out->weight[k] = finite_or_zero(((double)counts->count[k] - n_j * p) / sqrt(variance));
        }
    }
    return TB_OK;
}

int32_t tb_deviance_weights(const CountBlock *counts, const FitTerms *terms, const Weights *out) {
    Row row;
    for (int64_t j = 0; j < counts->rows; j++) {
        int32_t status = checked_row(counts, j, &row);
        if (status != TB_OK) return status;
        double n_j = (double)row.n_j;
        for (int64_t k = row.start; k < row.end; k++) {
            int32_t i = counts->term[k];
            double p = terms->mean[i], n = (double)counts->count[k], rest = n_j - n;
            double excess = p < 0.5 ? n_j * p - n : rest - n_j * (1 - p);
            double half = deviance(n, n_j * p, excess) + deviance(rest, n_j * (1 - p), -excess);
            double size = finite_or_zero(sqrt(most(2 * half / spread(terms->alpha_0[i], n_j), 0.0)));
            out->weight[k] = excess > 0 ? -size : size;
        }
    }
    return TB_OK;
}

/* A draw of n_j from n tokens, n_i of which are the term; `rest` tokens are neither drawn nor the term. */
typedef struct {
    double n_i, n_j, n, rest;
} Draw;

/* log[P(k) · factor]: by ratios from P(0) on, or by binomials. */
static double log_draw(const Draw *draw, double k, double factor) {
    if (k <= FACTORS && draw->rest >= 0) {
        double above = factor, below = 1.0, zero = gamma_cross(draw->rest + 1, draw->n_i, draw->n_j);
        for (double q = 0; q < k; q++) {
            above *= (draw->n_i - q) * (draw->n_j - q);
            below *= (q + 1) * (draw->rest + (q + 1));
        }
        double gained = log(above / below), value = zero - gained;
        if (value > 0.05 * (zero + fabs(gained))) return -value;
    }
    return hypergeometric_log_pmf(k, draw->n_i, draw->n_j, draw->n) + log(factor);
}

/* Σ_{x ≥ k} P(x)/P(k): each summand from the previous one, until summands are negligible. */
static double sum_upwards(const Draw *draw, double k) {
    double total = 1.0, term = 1.0, end = least(draw->n_i, draw->n_j);
    for (double q = k; q < end && term > 1e-17 * total; q++) {
        term *= (draw->n_i - q) * (draw->n_j - q) / ((q + 1) * (draw->rest + (q + 1)));
        total += term;
    }
    return total;
}

/* Σ_{x ≤ k} P(x)/P(k). */
static double sum_downwards(const Draw *draw, double k) {
    double total = 1.0, term = 1.0, end = most(0.0, -draw->rest);
    for (double q = k; q > end && term > 1e-17 * total; q--) {
        term *= q * (draw->rest + q) / ((draw->n_i - q + 1) * (draw->n_j - q + 1));
        total += term;
    }
    return total;
}

/* −log P(N ≥ k). Below the mean this probability is almost 1, so its complement P(N < k) is summed instead. */
static double tail_surprise(const Draw *draw, double k) {
    if (k <= most(0.0, -draw->rest)) return 0.0;
    if (k > draw->n_i / draw->n * draw->n_j) return most(-log_draw(draw, k, sum_upwards(draw, k)), 0.0);
    return -log1p(-least(exp(log_draw(draw, k - 1, sum_downwards(draw, k - 1))), 1.0));
}

int32_t tb_tail_weights(const CountBlock *counts, const TailTerms *terms, const Weights *out) {
    Row row;
    for (int64_t j = 0; j < counts->rows; j++) {
        int32_t status = checked_row(counts, j, &row);
        if (status != TB_OK) return status;
        for (int64_t k = row.start; k < row.end; k++) {
            double n = (double)counts->count[k], n_i = terms->n_i[counts->term[k]];
            Draw draw = {most(n_i, n), (double)row.n_j, 0.0, 0.0}; /* a new document may be longer than the collection */
            draw.n = most(terms->tokens, draw.n_i + (draw.n_j - n));
            draw.rest = draw.n - draw.n_i - draw.n_j;
            out->weight[k] = n_i > 0 ? tail_surprise(&draw, n) : 0.0;
        }
    }
    return TB_OK;
}
