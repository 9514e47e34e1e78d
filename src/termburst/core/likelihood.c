#include "likelihood.h"
#include "special.h"

#define SHORT 1e-3 /* δ up to which two points integrate K to rounding */
#define GAUSS_2 0.5773502691896258
static const double GAUSS_4[2] = {0.3399810435848563, 0.8611363115940526};
static const double WEIGHT_4[2] = {0.6521451548625461, 0.34785484513745385};

/* The contribution of the lengths: K(α_¬), its slope at α_¬ and at α_0, and K(α_¬) − K(α_0). */
typedef struct {
    double k_not, slope_not, slope_0, drop;
} LengthsPart;

/* K and its slope at the two points between τ − δ and τ that integrate a cubic. */
TB_INLINE Lanes look_up_gauss(const double *table, double tau, double delta) {
    double middle = tau - delta / 2, shift = delta / 2 * GAUSS_2;
    return look_up_two(table, middle - shift, middle + shift);
}

/* The difference is integrated from the slope if a subtraction would cancel. *kept* is what `look_up_gauss` returns, or
 * NULL. */
TB_INLINE LengthsPart lengths_part(const double *table, double tau, double delta, const double *kept) {
    double half = delta / 2, middle = tau - half;
    LengthsPart part;
    if (delta < 1e-4) { /* so close that the slope is linear to rounding */
        double shift = half * GAUSS_2;
        Lanes both = kept == NULL ? look_up_gauss(table, tau, delta) : lanes_at(kept);
        double k = both[0], low = both[1], high = both[3], bend = (high - low) / (2 * shift), edge = half - shift;
        part.k_not = k + edge * (low - bend * edge / 2);
        part.slope_not = low - bend * edge;
        part.slope_0 = high + bend * edge;
        part.drop = half * (low + high);
        return part;
    }
    Pair low = look_up(table, tau - delta), high = look_up(table, tau);
    part.k_not = low[0];
    part.slope_not = low[1];
    part.slope_0 = high[1];
    part.drop = low[0] - high[0];
    if (delta > 0.1) return part;
    part.drop = 0.0;
    for (int g = 0; g < 2; g++) {
        double shift = half * GAUSS_4[g];
        part.drop += WEIGHT_4[g] * (look_up(table, middle - shift)[1] + look_up(table, middle + shift)[1]);
    }
    part.drop *= half;
    return part;
}

/* Adds the sums over the runs of q (*which* = 0) or of r (1) to those of k/(z + k) and zk/(z + k)². */
static void add_runs(const Term *term, int which, double z, double *value, double *slope) {
    double run, run_slope;
    for (int64_t k = which; k < term->run_size; k += 2) {
        const Run *of = &term->runs[k];
        run_sum(z, of->first, of->last, &run, &run_slope);
        *value += of->weight * run;
        *slope += of->weight * run_slope;
    }
}

/* The sums of T_q q/(α + q) and of r/(α_¬ + r), with their slopes −d/d log α and −d/d log α_¬. */
typedef struct {
    double own, own_slope, other, other_slope;
} Sums;

TB_INLINE Derivatives combined(double p, double rest, double n_i, double n, const Sums *sums, const LengthsPart *of) {
    double own = sums->own, own_slope = sums->own_slope, other = sums->other, other_slope = sums->other_slope;
    double missing = n - of->k_not;
    Derivatives d;
    d.tau = other - own - of->drop;
    d.omega = rest * (n_i - own) + p * (n_i - other) - p * missing;
    d.tau_tau = own_slope - other_slope + (of->slope_not - of->slope_0);
    d.tau_omega = rest * own_slope + p * other_slope - p * of->slope_not;
    d.omega_omega =
        p * rest * (own - other - missing) + rest * rest * own_slope - p * p * (other_slope - of->slope_not);
    d.size = own + other + fabs(of->drop);
    return d;
}

/* The derivatives without a penalty: *delta* is −log(1 − p), *kept* is from `present_gain` at this point or NULL. */
TB_INLINE Derivatives derivatives_at(double tau, double alpha_0, double p, double rest, double delta, const Term *term,
                                     double n, const double *table, const double *kept) {
    double alpha = alpha_0 * p, alpha_not = alpha_0 * rest;
    Lanes sum = {0.0}, slope = {0.0}, x = {1.0, 2.0, 3.0, 4.0};
    for (int64_t q = 0; q < term->more_size; q += LANES) {
        Lanes part = x / (alpha + x), weighted = lanes_at(term->more + q) * part;
        sum += weighted;
        slope += weighted * (1 - part);
        x += 4.0;
    }
    double own = lanes_sum(sum), own_slope = lanes_sum(slope);
    add_runs(term, 0, alpha, &own, &own_slope);
    sum = slope = lanes_of(0.0);
    for (int64_t j = 0; j < term->after_size; j += LANES) {
        Lanes r = lanes_at(term->after + j), part = r / (alpha_not + r), weighted = lanes_at(term->times + j) * part;
        sum += weighted;
        slope += weighted * (1 - part);
    }
    double other = lanes_sum(sum), other_slope = lanes_sum(slope);
    add_runs(term, 1, alpha_not, &other, &other_slope);
    LengthsPart of = lengths_part(table, tau, delta, kept);
    const Sums sums = {own, own_slope, other, other_slope};
    return combined(p, rest, term->n_i, n, &sums, &of);
}

Derivatives derivatives(double tau, double omega, const Term *term, double n, const double *table,
                        const double *penalty) {
    Share share = split(omega);
    double alpha_0 = exp(tau), delta = log1p_of(alpha_0 * share.p / (alpha_0 * share.rest));
    Derivatives d = derivatives_at(tau, alpha_0, share.p, share.rest, delta, term, n, table, NULL);
    if (penalty != NULL) {
        d.tau += penalty[0] + penalty[1] * tau + penalty[2] * alpha_0 + penalty[3] / alpha_0;
        d.tau_tau += penalty[1] + penalty[2] * alpha_0 - penalty[3] / alpha_0;
    }
    return d;
}

Derivatives present_derivatives(double tau, double alpha_0, double p, double rest, double delta, const Term *term,
                                double n, const double *table, const double *kept) {
    return derivatives_at(tau, alpha_0, p, rest, delta, term, n, table, kept);
}

/* The derivatives for documents without the term: *delta* is −log(1 − p). *kept* is from `absent_gain` at this point. */
Derivatives absent_derivatives(double tau, double p, double rest, double delta, double n, const double *table,
                               const double *kept) {
    const LengthsPart of = lengths_part(table, tau, delta, kept);
    const Sums none = {0};
    return combined(p, rest, 0.0, n, &none, &of);
}

/* One number of each of four terms: the k-th of an array. */
#define OF_FOUR(terms, field, k) ((Lanes){terms[0].field[k], terms[1].field[k], terms[2].field[k], terms[3].field[k]})

static int64_t largest_of(int64_t a, int64_t b, int64_t c, int64_t d) {
    return most_int(most_int(a, b), most_int(c, d));
}

void derivatives_of_four(const Lanes *tau, const Lanes *omega, const Term *terms, double n, const double *table,
                         Derivatives *out) {
    LaneMask above = *omega > 0;
    Lanes e = lanes_exp(lanes_where(above, -*omega, *omega)), large = 1 / (1 + e), small = e / (1 + e);
    Lanes p = lanes_where(above, large, small), rest = lanes_where(above, small, large);
    Lanes alpha_0 = lanes_exp(*tau), alpha = alpha_0 * p, alpha_not = alpha_0 * rest;
    Lanes delta = lanes_log1p(alpha / alpha_not);
    Lanes own = {0.0}, own_slope = {0.0}, other = {0.0}, other_slope = {0.0};
    int64_t repeats = largest_of(terms[0].more_size, terms[1].more_size, terms[2].more_size, terms[3].more_size);
    for (int64_t q = 0; q < repeats; q++) {
        double x = (double)(q + 1);
        Lanes part = x / (alpha + x), weighted = OF_FOUR(terms, more, q) * part;
        own += weighted;
        own_slope += weighted * (1 - part);
    }
    int64_t size = largest_of(terms[0].after_size, terms[1].after_size, terms[2].after_size, terms[3].after_size);
    for (int64_t j = 0; j < size; j++) {
        Lanes r = OF_FOUR(terms, after, j), part = r / (alpha_not + r), weighted = OF_FOUR(terms, times, j) * part;
        other += weighted;
        other_slope += weighted * (1 - part);
    }
    for (int lane = 0; lane < LANES; lane++) {
        const Sums sums = {own[lane], own_slope[lane], other[lane], other_slope[lane]};
        LengthsPart of = lengths_part(table, (*tau)[lane], delta[lane], NULL);
        out[lane] = combined(p[lane], rest[lane], terms[lane].n_i, n, &sums, &of);
    }
}

/* log(new/old) with *change* = new − old: by log1p if they are close, but not if one is almost 0. */
static double log_ratio(double new, double old, double change) {
    return fabs(change) < 0.5 * old ? log1p(change / old) : log(new / old);
}

/* *total* plus ∫ K d log z from τ − δ to τ. */
static double lengths_integral(const double *table, double tau, double delta, double total) {
    int64_t panels = (int64_t)(delta / 0.2) + 1;
    double half = delta / (double)(2 * panels);
    for (int64_t k = 0; k < panels; k++) {
        double middle = tau - delta + half * (double)(2 * k + 1);
        for (int g = 0; g < 2; g++) {
            double shift = half * GAUSS_4[g];
            double both = look_up(table, middle - shift)[0] + look_up(table, middle + shift)[0];
            total += half * WEIGHT_4[g] * both;
        }
    }
    return total;
}

/* ∫ K d log z for a small δ: two points integrate K to rounding. The derivatives need them, so they are *kept*. */
TB_INLINE double short_integral(const double *table, double tau, double delta, double *kept) {
    Lanes both = look_up_gauss(table, tau, delta);
    memcpy(kept, &both, sizeof both);
    return delta / 2 * (both[0] + both[2]);
}

/* The gain for documents without the term. */
double absent_gain(double tau, double delta, double n, const double *table, double *kept) {
    if (!(delta < 1e3)) return NAN;
    if (!(delta < SHORT)) return lengths_integral(table, tau, delta, -n * delta);
    return short_integral(table, tau, delta, kept) - n * delta;
}

/* Σ T_q log(1 + q/α) − Σ_r log(1 + r/α_¬) */
TB_INLINE double occurrences_gain(const Term *term, double alpha, double alpha_not) {
    Lanes sum = {0.0}, x = {1.0, 2.0, 3.0, 4.0};
    for (int64_t q = 0; q < term->more_size; q += LANES) {
        sum += lanes_at(term->more + q) * lanes_log1p(x / alpha);
        x += 4.0;
    }
    for (int64_t j = 0; j < term->after_size; j += LANES)
        sum -= lanes_at(term->times + j) * lanes_log1p(lanes_at(term->after + j) / alpha_not);
    double total = lanes_sum(sum);
    for (int64_t k = 0; k < term->run_size; k += 2) {
        const Run *q = &term->runs[k], *r = q + 1;
        total += q->weight * run_log_sum(alpha, q->first, q->last);
        total -= r->weight * run_log_sum(alpha_not, r->first, r->last);
    }
    return total;
}

/* *total* plus the binomial log-likelihood at p minus that at the observed share. */
TB_INLINE double with_binomial(double total, double p, double rest, double n_i, double n) {
    if (n_i == 0) return total + n * log(rest);
    if (n_i == n) return total + n * log(p);
    double p_0 = n_i / n, rest_0 = (n - n_i) / n;
    double change = p < 0.5 ? p - p_0 : rest_0 - rest;
    return total + n_i * log_ratio(p, p_0, change) + (n - n_i) * log_ratio(rest, rest_0, -change);
}

/* ℓ − ℓ_binomial without its binomial part, as a sum of log1p: Σ T_q log(1 + q/α) − Σ_r log(1 + r/α_¬) + ∫ K d log z */
double present_gain(double tau, double alpha_0, double p, double rest, double delta, const Term *term,
                    const double *table, double *kept) {
    if (!(delta < 1e3)) return NAN;
    double total = occurrences_gain(term, alpha_0 * p, alpha_0 * rest);
    if (delta < SHORT) return total + short_integral(table, tau, delta, kept);
    return lengths_integral(table, tau, delta, total);
}

double binomial_gain(double p, double rest, double n_i, double n) { return with_binomial(0.0, p, rest, n_i, n); }

double gain(double tau, double omega, const Term *term, double n, const double *table) {
    Share share = split(omega);
    double alpha_0 = exp(tau), delta = log1p_of(alpha_0 * share.p / (alpha_0 * share.rest)), kept[LANES];
    double total = present_gain(tau, alpha_0, share.p, share.rest, delta, term, table, kept);
    return with_binomial(total, share.p, share.rest, term->n_i, n);
}

/* The sum of the integers of a run. */
static double run_total(const Run *run) {
    return run->weight * (run->last - run->first) * (run->first + run->last - 1) / 2;
}

double excess_pairs(const Term *term, double n, double pairs) {
    double share = term->n_i / n, rest = (n - term->n_i) / n;
    double rise = pairs * share / rest, fall = 0.0;
    for (int64_t q = 0; q < term->more_size; q++) rise += term->more[q] * (double)(q + 1) / share;
    for (int64_t j = 0; j < term->after_size; j++) fall += term->times[j] * term->after[j] / rest;
    for (int64_t k = 0; k < term->run_size; k += 2) {
        rise += run_total(&term->runs[k]) / share;
        fall += run_total(&term->runs[k + 1]) / rest;
    }
    return fabs(rise - fall) > 1e-13 * (rise + fall) ? rise - fall : 0.0; /* rounding must not break a tie */
}
