#include "maximum.h"
#include "likelihood.h"

#define TOLERANCE 1e-9 /* of the last Newton step in τ and ω */
#define ROUNDING 5e-13 /* largest relative error of the sums in a slope */

/* SCAN_CLOSER and CLIMB_CLOSER move ω to the profile, at the τ of a SCAN and of a CLIMB. */
enum { SCAN, SCAN_CLOSER, CLIMB, CLIMB_CLOSER };
enum { NOT_FOUND = 0, FOUND = 1, ENCLOSED = 2 };

/* Whether ω is within `near` of the maximum at fixed τ; otherwise moves it. The function is concave, so Newton's method
 * with bounded steps converges. */
static int on_profile(Search *search, const Derivatives *d) {
    double step = d->omega_omega < 0 ? -d->omega / d->omega_omega : copysign(1.0, d->omega);
    if (fabs(step) < search->near || ++search->rounds == 100) return 1;
    search->omega = between(search->omega + between(step, -2.0, 2.0), -700.0, 36.0);
    return 0;
}

static void begin_profile(Search *search, int phase, double near) {
    search->phase = phase;
    search->near = near;
    search->rounds = 0;
}

/* Error bound of the slope of the profile, linearised from a nearby point: of the order of ∂ω²/∂ωω. */
static double doubt(const Derivatives *d) { return 10 * d->omega * d->omega / -d->omega_omega; }

/* The log-penalty up to a constant: the integral of a_0 + a_1 τ + a_2 e^τ + a_3 e^−τ. */
static double log_penalty(double tau, const double *penalty) {
    if (penalty == NULL) return 0.0;
    return (penalty[0] + penalty[1] * tau / 2) * tau + penalty[2] * exp(tau) - penalty[3] * exp(-tau);
}

const double *none_or(const double *penalty) {
    for (int k = 0; k < 4; k++)
        if (penalty[k] != 0) return penalty;
    return NULL;
}

/* From one point of the scan to the next. */
static int scan_on(Search *search) {
    const ScanPoint *here = &search->here;
    int rising = here->slope > 0;
    search->falling = !rising;
    search->above = here->tau;
    search->slope_above = here->slope;
    search->tau = here->tau - search->scan->spacing;
    search->omega = here->omega;
    if (fabs(here->aside) >= FIT_NEAR) search->omega += here->aside; /* never true for fits */
    search->omega += between(here->along * search->scan->spacing, -1.0, 1.0); /* along the profile to the next τ */
    begin_profile(search, SCAN, search->scan->near);
    int limit = rising && search->penalty == NULL && here->slope > 0.5 * search->term->mixed;
    if (!limit && search->tau > SMALLEST) return 1;
    search->best.evaluations = search->evaluations;
    if (search->falling && search->best.status == BOUNDARY)
        search->best.status = FAILED; /* a penalty pulls the fit to α_0 = 0 */
    return 0;
}

/* The slope at a point of the scan. Newton's method begins where it changes its sign. */
static int scanned(Search *search, const Derivatives *d, double slope) {
    search->here = (ScanPoint){search->tau, search->omega, slope, d->tau_omega / d->omega_omega,
                               -d->omega / d->omega_omega};
    if (!(slope > 0 && search->falling)) return scan_on(search);
    /* start where the line through the two slopes crosses zero */
    double share = search->slope_above < 0 ? slope / (slope - search->slope_above) : 0.5;
    double start = search->tau + least(search->scan->spacing, search->above - search->tau) * share;
    search->low = search->tau;
    search->high = search->above;
    search->omega -= search->here.along * (start - search->tau);
    search->tau = start;
    search->phase = CLIMB;
    search->iterations = search->quiet = 0;
    return 1;
}

/* The end of a climb: keeps the maximum if it is better than the best one, and returns to the scan. */
static int climbed(Search *search, const Derivatives *d, double step, int found) {
    const Term *term = search->term;
    FitResult *best = &search->best;
    double tau = search->tau, omega = search->omega, n = search->table->tokens;
    /* in the uppermost interval a gain is only rounding */
    if (found == FOUND || (found == ENCLOSED && best->status != CONVERGED && search->above < LARGEST)) {
        double height = gain(tau, omega, term, n, search->table->coefficients);
        double objective = height + log_penalty(tau, search->penalty);
        if (objective > best->objective || (search->penalty != NULL && best->status != CONVERGED)) {
            Share share = split(omega);
            double on_alpha = share.p * d->tau + d->omega, on_alpha_not = share.rest * d->tau - d->omega;
            double score = sqrt(on_alpha * on_alpha + on_alpha_not * on_alpha_not) / term->n_i;
            *best = (FitResult){.tau = tau, .omega = omega, .gain = height, .objective = objective, .score = score,
                                .step = step, .status = CONVERGED, .h_tt = d->tau_tau, .h_to = d->tau_omega,
                                .h_oo = d->omega_omega};
        }
    } else if (best->status != CONVERGED && search->above < LARGEST) {
        best->status = FAILED;
    }
    return scan_on(search);
}

/* A step of Newton's method in (τ, ω) for a maximum between `low` (where ∂τ > 0) and `high` (where ∂τ < 0). It ends
 * FOUND, NOT_FOUND, or ENCLOSED: between two numbers that are next to each other, where only rounding decides the sign
 * of the slope.
 *
 * The bracket shrinks with each slope of the profile. A step out of the bracket is replaced by bisection, so the method
 * cannot leave the bracket, cycle, or stop at a saddle. */
static int climb(Search *search, const Derivatives *d) {
    double slope = d->tau - d->tau_omega * d->omega / d->omega_omega, tau = search->tau;
    double curvature = d->tau_tau - d->tau_omega * d->tau_omega / d->omega_omega;
    if (slope > doubt(d))
        search->low = most(search->low, tau);
    else if (slope < -doubt(d))
        search->high = least(search->high, tau);
    double low = search->low, high = search->high;
    double step = curvature < 0 ? -slope / curvature : copysign(2.0, slope);
    double noise = ROUNDING * d->size / fabs(curvature); /* the part of a step that may be rounding error */
    double moved = most(fabs(step), fabs((d->omega + d->tau_omega * step) / d->omega_omega));
    search->quiet = moved < noise ? search->quiet + 1 : 0; /* some more steps: the bound on rounding is pessimistic */
    int slow = search->iterations > 50 && moved < 100 * TOLERANCE;
    if (curvature < 0 && (moved < TOLERANCE || search->quiet > 3 || slow))
        return climbed(search, d, copysign(most(fabs(step), noise), step), FOUND);
    if (most(fabs(step), high - low) < most(TOLERANCE, noise)) step = 0.0; /* τ has converged: the rest is noise */
    step = between(step, -3.0, 3.0);
    if (!(low <= tau + step && tau + step <= high) && step != 0) step = (low + high) / 2 - tau;
    double omega_step = -(d->omega + d->tau_omega * step) / d->omega_omega;
    int collapsed = step != 0 && high - low < 1e-14 * most(1.0, fabs(low));
    if (collapsed && curvature < 0) /* the sums over the lengths cancel, too */
        return climbed(search, d, ROUNDING * search->table->tokens / fabs(curvature), ENCLOSED);
    if (collapsed || tau + step < SMALLEST || tau + step > LARGEST || ++search->iterations == 300)
        return climbed(search, d, step, NOT_FOUND);
    search->tau += step;
    search->omega += between(omega_step, -3.0, 3.0);
    search->phase = CLIMB;
    return 1;
}

int begin_search(Search *search, const Term *term, const LengthTable *table, const double *penalty, const Scan *scan) {
    double n = table->tokens, n_i = term->n_i, omega = log(n_i / (n - n_i));
    *search = (Search){.term = term, .table = table, .penalty = none_or(penalty), .scan = scan, .omega = omega,
                       .above = LARGEST, .best.omega = omega};
    int penalised = search->penalty != NULL;
    if (!(n_i > 0 && n_i < n && scan->spacing > 0)) return 0; /* nothing to fit: the scan would not end */
    if (term->mixed == 0 && !penalised) { /* (α_0 p + q)/(α_0 + q) decreases in α_0, so the supremum is at α_0 → 0 */
        search->best.status = DEGENERATE;
        return 0;
    }
    double repeats = most(term->largest - 1, 0.0) + scan->margin;
    search->tau = log(most((double)table->longest, repeats * n / n_i)) + 2.0;
    search->falling = penalised || excess_pairs(term, n, table->pairs) > 0;
    begin_profile(search, SCAN, scan->near);
    return 1;
}

int continue_search(Search *search, const Derivatives *d) {
    search->evaluations += 1;
    /* too far from the profile to know its slope */
    if (search->phase == CLIMB && (!(d->omega_omega < 0) || d->omega * d->omega > -0.01 * d->omega_omega))
        begin_profile(search, CLIMB_CLOSER, 0.01);
    if (search->phase == CLIMB) return climb(search, d);
    if (!on_profile(search, d)) return 1;
    if (search->phase == CLIMB_CLOSER) return climb(search, d);
    double slope = d->tau - d->tau_omega * d->omega / d->omega_omega;
    if (search->phase == SCAN && fabs(slope) <= doubt(d)) {
        begin_profile(search, SCAN_CLOSER, 1e-8);
        if (!on_profile(search, d)) return 1;
    }
    return scanned(search, d, search->phase == SCAN_CLOSER ? d->tau : slope);
}

void fit_term(const Term *term, const LengthTable *table, const double *penalty, const Scan *scan, FitResult *best) {
    Search search;
    int more = begin_search(&search, term, table, penalty, scan);
    while (more) {
        Derivatives d =
            derivatives(search.tau, search.omega, term, table->tokens, table->coefficients, search.penalty);
        more = continue_search(&search, &d);
    }
    *best = search.best;
}

/* Begins with the next terms in idle lanes; returns whether any lane is busy then. */
static int take_terms(Four *four, const LengthTable *table, const Scan *scan) {
    static const double none[4] = {0.0};
    int any = 0;
    for (int lane = 0; lane < LANES; lane++) {
        while (!four->busy[lane] && four->take(four, lane)) {
            four->busy[lane] = begin_search(&four->search[lane], &four->term[lane], table, none, scan);
            if (!four->busy[lane]) four->done(four, lane);
        }
        any |= four->busy[lane];
    }
    return any;
}

void fit_in_lanes(Four *four, const LengthTable *table, const Scan *scan) {
    while (take_terms(four, table, scan)) {
        Lanes tau = {0.0}, omega = {0.0};
        Derivatives d[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            tau[lane] = four->search[lane].tau;
            omega[lane] = four->search[lane].omega;
        }
        derivatives_of_four(&tau, &omega, four->term, table->tokens, table->coefficients, d);
        for (int lane = 0; lane < LANES; lane++) {
            if (!four->busy[lane] || continue_search(&four->search[lane], &d[lane])) continue;
            four->busy[lane] = 0;
            four->done(four, lane);
        }
    }
}
