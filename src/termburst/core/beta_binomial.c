#include "beta_binomial.h"
#include "special.h"

#define TOLERANCE 1e-9 /* of the last Newton step in τ and ω */
#define ROUNDING 5e-13 /* largest relative error of the sums in a slope */
#define GAUSS_2 0.5773502691896258
static const double GAUSS_4[2] = {0.3399810435848563, 0.8611363115940526};
static const double WEIGHT_4[2] = {0.6521451548625461, 0.34785484513745385};

/* The contribution of the lengths: K(α_¬), its slope at α_¬ and at α_0, and K(α_¬) − K(α_0). */
typedef struct {
    double k_not, slope_not, slope_0, drop;
} LengthsPart;

/* The difference is integrated from the slope if a subtraction would cancel. */
TB_INLINE LengthsPart lengths_part(const double *table, double tau, double delta) {
    double half = delta / 2, middle = tau - half;
    LengthsPart part;
    if (delta < 1e-4) { /* so close that the slope is linear to rounding */
        double shift = half * GAUSS_2;
        Pair low = look_up(table, middle - shift), high = look_up(table, middle + shift);
        double bend = (high[1] - low[1]) / (2 * shift), edge = half - shift;
        part.k_not = low[0] + edge * (low[1] - bend * edge / 2);
        part.slope_not = low[1] - bend * edge;
        part.slope_0 = high[1] + bend * edge;
        part.drop = half * (low[1] + high[1]);
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

/* Derivatives of the penalised log-likelihood; *penalty* may be NULL. */
Derivatives derivatives(double tau, double omega, const Term *term, double n, const double *table,
                        const double *penalty) {
    Share share = split(omega);
    double p = share.p, rest = share.rest;
    double alpha_0 = exp(tau), alpha = alpha_0 * p, alpha_not = alpha_0 * rest;
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
    LengthsPart of = lengths_part(table, tau, log1p_of(alpha / alpha_not));
    double n_i = term->n_i, missing = n - of.k_not;
    Derivatives d;
    d.tau = other - own - of.drop;
    d.omega = rest * (n_i - own) + p * (n_i - other) - p * missing;
    d.tau_tau = own_slope - other_slope + (of.slope_not - of.slope_0);
    d.tau_omega = rest * own_slope + p * other_slope - p * of.slope_not;
    d.omega_omega = p * rest * (own - other - missing) + rest * rest * own_slope - p * p * (other_slope - of.slope_not);
    if (penalty != NULL) {
        d.tau += penalty[0] + penalty[1] * tau + penalty[2] * alpha_0 + penalty[3] / alpha_0;
        d.tau_tau += penalty[1] + penalty[2] * alpha_0 - penalty[3] / alpha_0;
    }
    d.size = own + other + fabs(of.drop);
    return d;
}

/* log(new/old) with *change* = new − old: by log1p if they are close, but not if one is almost 0. */
static double log_ratio(double new, double old, double change) {
    return fabs(change) < 0.5 * old ? log1p(change / old) : log(new / old);
}

/* ℓ(τ, ω) − ℓ_binomial, as a sum of log1p: Σ T_q log(1 + q/α) − Σ_r log(1 + r/α_¬) + ∫ K d log z + … */
double gain(double tau, double omega, const Term *term, double n, const double *table) {
    Share share = split(omega);
    double p = share.p, rest = share.rest, n_i = term->n_i;
    double alpha_0 = exp(tau), alpha = alpha_0 * p, alpha_not = alpha_0 * rest;
    Lanes sum = {0.0}, x = {1.0, 2.0, 3.0, 4.0};
    for (int64_t q = 0; q < term->more_size; q += LANES) {
        sum += lanes_at(term->more + q) * lanes_log1p(x / alpha);
        x += 4.0;
    }
    for (int64_t j = 0; j < term->after_size; j += LANES)
        sum -= lanes_at(term->times + j) * lanes_log1p(lanes_at(term->after + j) / alpha_not);
    double total = lanes_sum(sum), delta = log1p_of(alpha / alpha_not);
    if (!(delta < 1e3)) return NAN;
    for (int64_t k = 0; k < term->run_size; k += 2) {
        const Run *q = &term->runs[k], *r = q + 1;
        total += q->weight * run_log_sum(alpha, q->first, q->last);
        total -= r->weight * run_log_sum(alpha_not, r->first, r->last);
    }
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
    if (n_i == 0) return total + n * log(rest);
    if (n_i == n) return total + n * log(p);
    double p_0 = n_i / n, rest_0 = (n - n_i) / n;
    double change = p < 0.5 ? p - p_0 : rest_0 - rest;
    return total + n_i * log_ratio(p, p_0, change) + (n - n_i) * log_ratio(rest, rest_0, -change);
}

/* Everything that stays constant while one term is fitted. */
typedef struct {
    const Term *term;
    const double *table;
    const double *penalty; /* NULL if there is none */
    double n;
} Problem;

static Derivatives at(const Problem *of, double tau, double omega) {
    return derivatives(tau, omega, of->term, of->n, of->table, of->penalty);
}

/* Moves ω to within *near* of the maximum at fixed τ, returns the derivatives there, and counts the evaluations. The
 * function is concave, so Newton's method with bounded steps converges. */
static Derivatives profile(const Problem *of, double tau, double *omega, double near, double *evaluations) {
    Derivatives d = {0};
    for (int round = 0; round < 100; round++) {
        *evaluations += 1;
        d = at(of, tau, *omega);
        double step = d.omega_omega < 0 ? -d.omega / d.omega_omega : copysign(1.0, d.omega);
        if (fabs(step) < near) break;
        *omega = between(*omega + between(step, -2.0, 2.0), -700.0, 36.0);
    }
    return d;
}

/* Error bound of the slope of the profile, linearised from a nearby point: of the order of ∂ω²/∂ωω. */
static double doubt(const Derivatives *d) { return 10 * d->omega * d->omega / -d->omega_omega; }

enum { NOT_FOUND = 0, FOUND = 1, ENCLOSED = 2 };

/* Newton's method in (τ, ω) for a maximum between *low* (where ∂τ > 0) and *high* (where ∂τ < 0). Returns FOUND, NOT_FOUND,
 * or ENCLOSED: between two numbers that are next to each other, where only rounding decides the sign of the slope.
 *
 * The bracket shrinks with each slope of the profile. A step out of the bracket is replaced by bisection, so the method
 * cannot leave the bracket, cycle, or stop at a saddle. */
static int climb(const Problem *of, double tau, double omega, double low, double high, FitResult *result) {
    double evaluations = 0.0, step = 0.0;
    int quiet = 0, found = NOT_FOUND;
    Derivatives d = {0};
    for (int iteration = 0; iteration < 300; iteration++) {
        d = at(of, tau, omega);
        evaluations += 1;
        /* too far from the profile to know its slope */
        if (!(d.omega_omega < 0) || d.omega * d.omega > -0.01 * d.omega_omega)
            d = profile(of, tau, &omega, 0.01, &evaluations);
        double slope = d.tau - d.tau_omega * d.omega / d.omega_omega;
        double curvature = d.tau_tau - d.tau_omega * d.tau_omega / d.omega_omega;
        if (slope > doubt(&d))
            low = most(low, tau);
        else if (slope < -doubt(&d))
            high = least(high, tau);
        step = curvature < 0 ? -slope / curvature : copysign(2.0, slope);
        double noise = ROUNDING * d.size / fabs(curvature); /* the part of a step that may be rounding error */
        double moved = most(fabs(step), fabs((d.omega + d.tau_omega * step) / d.omega_omega));
        quiet = moved < noise ? quiet + 1 : 0; /* a few more steps: the bound on rounding errors is pessimistic */
        if (curvature < 0 && (moved < TOLERANCE || quiet > 3 || (iteration > 50 && moved < 100 * TOLERANCE))) {
            found = FOUND;
            step = copysign(most(fabs(step), noise), step);
            break;
        }
        if (most(fabs(step), high - low) < most(TOLERANCE, noise)) step = 0.0; /* τ has converged: the rest is noise */
        step = between(step, -3.0, 3.0);
        if (!(low <= tau + step && tau + step <= high) && step != 0) step = (low + high) / 2 - tau;
        double omega_step = -(d.omega + d.tau_omega * step) / d.omega_omega;
        int collapsed = step != 0 && high - low < 1e-14 * most(1.0, fabs(low));
        if (collapsed && curvature < 0) {
            found = ENCLOSED;
            step = ROUNDING * of->n / fabs(curvature); /* the sums over the lengths cancel, too */
            break;
        }
        if (collapsed || tau + step < SMALLEST || tau + step > LARGEST) break;
        tau += step;
        omega += between(omega_step, -3.0, 3.0);
    }
    Share share = split(omega);
    double on_alpha = share.p * d.tau + d.omega, on_alpha_not = share.rest * d.tau - d.omega;
    result->tau = tau;
    result->omega = omega;
    result->step = step;
    result->score = sqrt(on_alpha * on_alpha + on_alpha_not * on_alpha_not) / of->term->n_i;
    result->evaluations += evaluations;
    result->h_tt = d.tau_tau;
    result->h_to = d.tau_omega;
    result->h_oo = d.omega_omega;
    return found;
}

/* The sum of the integers of a run. */
static double run_total(const Run *run) {
    return run->weight * (run->last - run->first) * (run->first + run->last - 1) / 2;
}

/* lim −α_0 ∂ℓ/∂τ as α_0 → ∞, at p = n_i/n: above 0 if the likelihood rises as α_0 decreases from infinity. It has the
 * sign of Tarone's score. */
static double excess_pairs(const Term *term, double n, double pairs) {
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

/* The log-penalty up to a constant: the integral of a_0 + a_1 τ + a_2 e^τ + a_3 e^−τ. */
static double log_penalty(double tau, const double *penalty) {
    if (penalty == NULL) return 0.0;
    return (penalty[0] + penalty[1] * tau / 2) * tau + penalty[2] * exp(tau) - penalty[3] * exp(-tau);
}

static const double *none_or(const double *penalty) {
    for (int k = 0; k < 4; k++)
        if (penalty[k] != 0) return penalty;
    return NULL;
}

/* Finds the maximum where the slope changes sign, and keeps it if it is better than *best*. */
static void try_maximum(const Problem *of, double tau, double omega, double low, double high, FitResult *best) {
    FitResult trial = {0};
    int found = climb(of, tau, omega, low, high, &trial);
    /* in the uppermost interval a gain is only rounding */
    if (found == FOUND || (found == ENCLOSED && best->status != CONVERGED && high < LARGEST)) {
        trial.gain = gain(trial.tau, trial.omega, of->term, of->n, of->table);
        trial.objective = trial.gain + log_penalty(trial.tau, of->penalty);
        if (trial.objective > best->objective || (of->penalty != NULL && best->status != CONVERGED)) {
            trial.evaluations += best->evaluations;
            *best = trial;
            best->status = CONVERGED;
        }
    } else if (best->status != CONVERGED && high < LARGEST) {
        best->status = FAILED;
    }
}

/* Fit one term.
 *
 * A scan of the slope of the profile over τ, from large to small α_0, brackets every maximum. Newton's method finds
 * each, and the best one above the binomial is kept. (One Newton run from one start is not enough: a term may have two
 * interior maxima, or one interior maximum and one at infinity.) The scan begins where the limit of large α_0 holds,
 * and ends where the limit of small α_0 holds: there ∂τ is `mixed`. */
void fit_term(const Term *term, const LengthTable *table, const double *penalty, const Scan *scan, FitResult *best) {
    const Problem of = {term, table->coefficients, none_or(penalty), table->tokens};
    int penalised = of.penalty != NULL;
    double n = of.n, n_i = term->n_i, omega = log(n_i / (n - n_i)), spacing = scan->spacing;
    *best = (FitResult){.omega = omega};
    if (!(n_i > 0 && n_i < n && spacing > 0)) return; /* nothing to fit: the scan would not end */
    if (term->mixed == 0 && !penalised) { /* (α_0 p + q)/(α_0 + q) decreases in α_0, so the supremum is at α_0 → 0 */
        best->status = DEGENERATE;
        return;
    }
    double repeats = most(term->largest - 1, 0.0) + scan->margin, slope_above = 0.0, above = LARGEST;
    double tau = log(most((double)table->longest, repeats * n / n_i)) + 2.0;
    int falling = penalised || excess_pairs(term, n, table->pairs) > 0;
    while (tau > SMALLEST) {
        Derivatives d = profile(&of, tau, &omega, scan->near, &best->evaluations);
        double slope = d.tau - d.tau_omega * d.omega / d.omega_omega;
        if (fabs(slope) <= doubt(&d)) {
            d = profile(&of, tau, &omega, 1e-8, &best->evaluations);
            slope = d.tau;
        }
        int rising = slope > 0;
        if (rising && falling) { /* start where the line through the two slopes crosses zero */
            double share = slope_above < 0 ? slope / (slope - slope_above) : 0.5;
            double start = tau + least(spacing, above - tau) * share;
            double omega_there = omega - d.tau_omega / d.omega_omega * (start - tau);
            try_maximum(&of, start, omega_there, tau, above, best);
        }
        falling = !rising;
        above = tau;
        slope_above = slope;
        if (rising && !penalised && slope > 0.5 * term->mixed) break;
        double aside = -d.omega / d.omega_omega;
        if (fabs(aside) >= FIT_NEAR) omega += aside; /* never true for fits */
        omega += between(d.tau_omega / d.omega_omega * spacing, -1.0, 1.0); /* along the profile to the next τ */
        tau -= spacing;
    }
    if (falling && best->status == BOUNDARY) best->status = FAILED; /* a penalty pulls the fit to α_0 = 0 */
}

static int64_t padded(int64_t size) { return (size + LANES - 1) / LANES * LANES; }

/* The numbers in the T_q, in the lists of *listed* occurrences, and in the runs of *many* documents. Never more than
 * three per occurrence, up to MANY in one document, and the padding. */
static int64_t space(int64_t more_size, int64_t listed, int64_t many) {
    return padded(more_size) + 2 * padded(listed) + many * (int64_t)(2 * sizeof(Run) / sizeof(double));
}

/* T_q, the r and their multiplicities of the cells [first, last), written to room->parts from *used* on, which is
 * advanced. */
int32_t gather(const Cells *cells, int64_t first, int64_t last, const Room *room, int64_t *used, Term *out) {
    int64_t largest = 0, listed = 0, distinct = 0, many = 0;
    double mixed = 0.0, n_i = 0.0, documents = 0.0, *seen = room->seen;
    for (int64_t j = first; j < last; j++) {
        int64_t count = cells->count[j];
        if (count < 1 || count > cells->length[j] || cells->length[j] > room->longest) return TB_BAD_CELL;
        largest = most_int(largest, count);
        many += count > MANY;
        listed += count > MANY ? DIRECT : count;
        mixed += count < cells->length[j] ? weight_of(cells, j) : 0.0;
    }
    int64_t more_size = between_int(largest - 1, 0, MANY - 1);
    if (*used + space(more_size, listed, many) > room->size) return TB_NO_ROOM;
    Run *runs = (Run *)(room->parts + *used);
    double *more = (double *)(runs + 2 * many), *after = more + padded(more_size), *times;
    many = 0;
    for (int64_t q = 0; q < padded(more_size); q++) more[q] = 0.0;
    for (int64_t j = first; j < last; j++) {
        int64_t count = cells->count[j], length = cells->length[j];
        double weight = weight_of(cells, j);
        int64_t until = count > MANY ? most_int(length - count, DIRECT) : length; /* the end of the listed r */
        if (count > MANY) {
            runs[many++] = (Run){MANY, (double)count, weight};
            runs[many++] = (Run){(double)until, (double)length, weight};
        }
        if (count > 1) more[least_int(count, MANY) - 2] += weight;
        n_i += weight * (double)count;
        documents += weight;
        for (int64_t r = length - count; r < until; r++) {
            if (seen[r] == 0) after[distinct++] = (double)r;
            seen[r] += weight;
        }
    }
    times = after + padded(distinct);
    for (int64_t k = 0; k < distinct; k++) {
        int64_t r = (int64_t)after[k];
        times[k] = seen[r];
        seen[r] = 0.0;
    }
    for (int64_t k = distinct; k < padded(distinct); k++) {
        after[k] = 1.0;
        times[k] = 0.0;
    }
    for (int64_t q = more_size - 2; q >= 0; q--) more[q] += more[q + 1];
    *used = times + padded(distinct) - room->parts;
    *out = (Term){.more = more, .after = after, .times = times, .runs = runs, .more_size = more_size,
                  .after_size = distinct, .run_size = many, .largest = (double)largest, .n_i = n_i,
                  .documents = documents, .mixed = mixed};
    return TB_OK;
}

/* The same for a term of one collection. */
static int32_t gather_term(const Cells *cells, int64_t term, const Room *room, Term *out) {
    int64_t used = 0;
    if (!is_term(cells, term)) return TB_BAD_INDEX;
    const int64_t *range = range_of(cells, 0, term);
    return gather(cells, range[0], range[1], room, &used, out);
}

int32_t tb_fit_terms(const Cells *cells, const LengthTable *table, const FitTask *task, const Room *room) {
    const Scan scan = {task->spacing, FIT_NEAR, FIT_MARGIN};
    Term term;
    for (int64_t k = 0; k < task->size; k++) {
        int32_t status = gather_term(cells, task->terms[k], room, &term);
        if (status != TB_OK) return status;
        fit_term(&term, table, task->penalty, &scan, &task->results[task->terms[k]]);
    }
    return TB_OK;
}

int32_t tb_gains(const Cells *cells, const LengthTable *table, const GainTask *task, const Room *room) {
    Term term;
    for (int64_t k = 0; k < task->size; k++) {
        int32_t status = gather_term(cells, task->terms[k], room, &term);
        if (status != TB_OK) return status;
        task->gain[k] = gain(task->tau[k], task->omega[k], &term, table->tokens, table->coefficients);
    }
    return TB_OK;
}

int32_t tb_derivatives(const Cells *cells, const LengthTable *table, const DerivativeTask *task, const Room *room) {
    Term term;
    for (int64_t k = 0; k < task->size; k++) {
        int32_t status = gather_term(cells, task->terms[k], room, &term);
        if (status != TB_OK) return status;
        task->out[k] = derivatives(task->tau[k], task->omega[k], &term, table->tokens, table->coefficients,
                                   none_or(task->penalty));
    }
    return TB_OK;
}

int32_t tb_excess_pairs(const Cells *cells, const LengthTable *table, const ExcessTask *task, const Room *room) {
    Term term;
    for (int64_t k = 0; k < task->size; k++) {
        int32_t status = gather_term(cells, task->terms[k], room, &term);
        if (status != TB_OK) return status;
        task->excess[k] = excess_pairs(&term, table->tokens, table->pairs);
    }
    return TB_OK;
}

/* clang-format off */
TB_LAYOUT(beta_binomial,
    TB_WHOLE(Term),
    TB_FIELD(Term, more),
    TB_FIELD(Term, after),
    TB_FIELD(Term, times),
    TB_FIELD(Term, runs),
    TB_FIELD(Term, more_size),
    TB_FIELD(Term, after_size),
    TB_FIELD(Term, run_size),
    TB_FIELD(Term, largest),
    TB_FIELD(Term, n_i),
    TB_FIELD(Term, documents),
    TB_FIELD(Term, mixed),
    TB_WHOLE(Room),
    TB_FIELD(Room, seen),
    TB_FIELD(Room, parts),
    TB_FIELD(Room, longest),
    TB_FIELD(Room, size),
    TB_WHOLE(FitResult),
    TB_FIELD(FitResult, tau),
    TB_FIELD(FitResult, omega),
    TB_FIELD(FitResult, gain),
    TB_FIELD(FitResult, objective),
    TB_FIELD(FitResult, score),
    TB_FIELD(FitResult, step),
    TB_FIELD(FitResult, evaluations),
    TB_FIELD(FitResult, status),
    TB_FIELD(FitResult, h_tt),
    TB_FIELD(FitResult, h_to),
    TB_FIELD(FitResult, h_oo),
    TB_WHOLE(FitTask),
    TB_FIELD(FitTask, terms),
    TB_FIELD(FitTask, size),
    TB_FIELD(FitTask, penalty),
    TB_FIELD(FitTask, spacing),
    TB_FIELD(FitTask, results),
    TB_WHOLE(GainTask),
    TB_FIELD(GainTask, terms),
    TB_FIELD(GainTask, tau),
    TB_FIELD(GainTask, omega),
    TB_FIELD(GainTask, gain),
    TB_FIELD(GainTask, size),
    TB_WHOLE(Derivatives),
    TB_FIELD(Derivatives, tau),
    TB_FIELD(Derivatives, omega),
    TB_FIELD(Derivatives, tau_tau),
    TB_FIELD(Derivatives, tau_omega),
    TB_FIELD(Derivatives, omega_omega),
    TB_FIELD(Derivatives, size),
    TB_WHOLE(DerivativeTask),
    TB_FIELD(DerivativeTask, terms),
    TB_FIELD(DerivativeTask, tau),
    TB_FIELD(DerivativeTask, omega),
    TB_FIELD(DerivativeTask, penalty),
    TB_FIELD(DerivativeTask, out),
    TB_FIELD(DerivativeTask, size),
    TB_WHOLE(ExcessTask),
    TB_FIELD(ExcessTask, terms),
    TB_FIELD(ExcessTask, excess),
    TB_FIELD(ExcessTask, size))
