#include "design_problem.h"

#include "cholesky.h"
#include "special.h"

#define FIT_GAIN 1e-9     /* of a Newton step: the fit has converged */
#define FARTHEST_TAU 22.0 /* of τ above log of the longest document: there it is the binomial to rounding */
#define FARTHEST_TIE (-1.0) /* of v in a design cell below v of all: a fixed precision is not that of a word it hardly has */
#define UNSEEN 1e-2       /* change of a logit or of τ by a last step that need not be evaluated */
#define FEW_TOKENS 1e3    /* of a term in a design cell, up to which a difference of two log p is exact enough */
#define STRETCH 8.0       /* steps at once, if the likelihood rises for ever like −e^−t: each of these gains e^−1 of the last */
enum { ROUNDS = 120, TRIES = 40, ROWS_OF_SCRATCH = 10 };

static const double *table_in(const Problem *of, int64_t g) {
    return of->design->tables + g * PANELS * (DEGREE + 1) * 2;
}

/* α_0 of the design cells that count, at the ω of the points. */
static void tie_points(const Problem *of, double tau) {
    double kappa = of->design->kappa;
    int64_t count = *of->counted;
    const int64_t *counted = of->counted + 1;
    for (int64_t first = 0; first < count; first += LANES) {
        double logs[LANES] = {0.0};
        for (int64_t k = 0; k < LANES && first + k < count; k++) {
            Point *at = &of->points[counted[first + k]];
            double own = tau + at->lean - kappa * (at->v - of->middle);
            at->own = (Tied){own, -kappa * (at->rest - at->p), 2 * kappa * at->p * at->rest};
            if (!(own < LARGEST && own > SMALLEST)) at->own = (Tied){between(own, SMALLEST, LARGEST), 0.0, 0.0};
            if (of->fixed) at->own = (Tied){at->fixed, 0.0, 0.0};
            logs[k] = at->own.tau;
        }
        Lanes alpha_0 = lanes_exp(lanes_at(logs));
        for (int64_t k = 0; k < LANES && first + k < count; k++) of->points[counted[first + k]].alpha_0 = alpha_0[k];
    }
}

/* Computes the points of the design cells at x: ω of all of them, the rest of those that count. */
static void locate(const Problem *of, const double *x) {
    int64_t columns = of->design->columns, groups = of->design->groups, mean = mean_columns(of->design), count = 0;
    const int64_t *counted = of->counted + 1;
    pad(of, x);
    for (int64_t g = 0; g < groups; g++) {
        Point *at = &of->points[g];
        at->omega = between(row_product(of, g), -FARTHEST_LOGIT, FARTHEST_LOGIT / 2);
        of->counted[1 + count] = g;
        count += of->place[g] >= 0 || !(at->omega < at->ends);
    }
    *of->counted = count;
    for (int64_t first = 0; first < count; first += LANES) {
        double size[LANES];
        for (int64_t k = 0; k < LANES; k++) size[k] = -fabs(of->points[counted[least_int(first + k, count - 1)]].omega);
        Lanes e = lanes_exp(lanes_at(size)), large = 1 / (1 + e), small = e / (1 + e), log_1p = lanes_log1p(e);
        for (int64_t k = 0; k < LANES && first + k < count; k++) {
            Point *at = &of->points[counted[first + k]];
            int above = at->omega > 0;
            at->p = above ? large[k] : small[k];
            at->rest = above ? small[k] : large[k];
            at->delta = above ? at->omega + log_1p[k] : log_1p[k];
            at->v = size[k] - 2 * log_1p[k];
        }
    }
    double *log_prior = of->lean, *gamma = of->lean + 1;
    *log_prior = 0.0;
    for (int64_t p = 0; p < of->design->leaning; p++) {
        gamma[p] = x[mean + p];
        *log_prior -= of->firm[p] * gamma[p] * gamma[p] / 2;
    }
    for (int64_t k = 0; k < count; k++) of->points[counted[k]].lean = leaning_of(of->design, counted[k], gamma);
    tie_points(of, x[columns]);
}

void fix_precision(Problem *of, const double *x) {
    of->fixed = 0;
    locate(of, x);
    for (int64_t g = 0; g < of->design->groups; g++) {
        Point *at = &of->points[g];
        double v = -fabs(at->omega) - 2 * log1p(exp(-fabs(at->omega))), lean = leaning_of(of->design, g, of->lean + 1);
        double own = x[of->design->columns] + lean - of->design->kappa * most(v - of->middle, FARTHEST_TIE);
        at->fixed = between(own, SMALLEST, LARGEST);
    }
    of->fixed = 1;
}

static double value_here(const Problem *of) {
    double total = *of->lean;
    for (int64_t k = 1; k <= *of->counted; k++) {
        int64_t g = of->counted[k];
        Point *at = &of->points[g];
        const Term *term = term_in(of, g);
        double n = of->design->tokens[g];
        if (term == NULL) {
            total += absent_gain(at->own.tau, at->delta, n, table_in(of, g), at->kept);
            continue;
        }
        total += present_gain(at->own.tau, at->alpha_0, at->p, at->rest, at->delta, term, table_in(of, g), at->kept);
        if (isnan(at->observed_log_p))
            total += binomial_gain(at->p, at->rest, term->n_i, n);
        else
            total += term->n_i * (at->omega - at->delta - at->observed_log_p) -
                     (n - term->n_i) * (at->delta - at->observed_delta);
    }
    return total;
}

double value_at(const Problem *of, const double *x) {
    locate(of, x);
    return value_here(of);
}

double value_at_tau(const Problem *of, double tau) {
    tie_points(of, tau);
    return value_here(of);
}

/* Adds the derivatives in the γ of one design cell. */
static void add_lean_slopes(const Problem *of, int64_t g, Derivatives d, double across) {
    const Design *design = of->design;
    const Point *at = &of->points[g];
    int64_t mean = mean_columns(design), columns = design->columns, size = design->leaning, width = of->width;
    const double *row = of->rows + g * width, *z = design->leans + g * size;
    if (!(at->own.tau < LARGEST && at->own.tau > SMALLEST)) return;
    for (int64_t p = 0; p < size; p++) {
        double *line = of->hessian + (mean + p) * width;
        of->gradient[mean + p] += z[p] * d.tau;
        for (int64_t k = at->first; k <= at->last; k++) line[k] += row[k] * z[p] * across;
        for (int64_t q = 0; q <= p; q++) line[mean + q] += z[p] * z[q] * d.tau_tau;
        of->hessian[columns * width + mean + p] += z[p] * d.tau_tau;
    }
}

void clear_slopes(const Problem *of) {
    for (int64_t k = 0; k < of->width; k++) of->gradient[k] = 0.0;
    for (int64_t k = 0; k < (of->design->columns + 1) * of->width; k++) of->hessian[k] = 0.0;
}

void slopes_here(const Problem *of) {
    int64_t columns = of->design->columns, width = of->width;
    double *gradient = of->gradient, *last = of->hessian + columns * width;
    clear_slopes(of);
    for (int64_t m = 1; m <= *of->counted; m++) {
        int64_t g = of->counted[m];
        const double *row = of->rows + g * width, *table = table_in(of, g);
        const Point *at = &of->points[g];
        const Term *term = term_in(of, g);
        Tied own = at->own;
        double n = of->design->tokens[g];
        Derivatives d = term == NULL
                            ? absent_derivatives(own.tau, at->p, at->rest, at->delta, n, table, at->kept)
                            : present_derivatives(own.tau, at->alpha_0, at->p, at->rest, at->delta, term, n, table,
                                                  at->kept);
        double across = d.tau_omega + own.slope * d.tau_tau;
        double bend = d.omega_omega + own.slope * (d.tau_omega + across) + own.bend * d.tau;
        add_row(of, g, d.omega + own.slope * d.tau, bend);
        for (int64_t k = at->first / LANES * LANES; k <= at->last; k += LANES)
            lanes_add(last + k, across * lanes_at(row + k));
        gradient[columns] += d.tau;
        last[columns] += d.tau_tau;
        if (of->design->leaning) add_lean_slopes(of, g, d, across);
    }
    for (int64_t p = 0, mean = mean_columns(of->design); p < of->design->leaning; p++) {
        gradient[mean + p] -= of->firm[p] * of->lean[1 + p];
        of->hessian[(mean + p) * (width + 1)] -= of->firm[p];
    }
}

int tau_is_free(const Problem *of, const double *x) {
    double tau = x[of->design->columns], slope = of->gradient[of->design->columns];
    return !(tau >= of->highest && slope >= 0) && !(tau <= of->lowest && slope <= 0);
}

int64_t free_parameters(const Problem *of, const double *x) {
    return of->fixed ? mean_columns(of->design) : of->design->columns + tau_is_free(of, x);
}

double newton_step(const Problem *of, const double *x, double damping) {
    int64_t size = of->design->columns + 1, last = free_parameters(of, x);
    double largest = 0.0, predicted = 0.0;
    for (int64_t k = 0; k < size; k++) largest = most(largest, fabs(of->hessian[k * (of->width + 1)]));
    for (int64_t k = 0; k < size; k++) {
        int free = k < last && !(of->held && k == 0);
        double *row = of->factor + k * size, *diagonal = &row[k];
        for (int64_t l = 0; l <= k; l++) row[l] = free ? -of->hessian[k * of->width + l] : 0.0;
        if (of->held) row[0] = 0.0;
        *diagonal = free ? *diagonal + damping * (fabs(*diagonal) + 1e-3 * largest) : 1.0;
        of->step[k] = free ? of->gradient[k] : 0.0;
    }
    if (!cholesky(of->factor, size, 1e-13 * largest)) return NAN;
    solve(of->factor, size, of->step);
    for (int64_t k = 0; k < size; k++) predicted += of->step[k] * of->gradient[k] / 2;
    return predicted;
}

/* The largest change by the step, of a logit in units of 4, and of τ in units of 3. Where the term is not in a design cell,
 * logits below `ends` are all the same: one document with an extreme number must not shorten the steps of all others. */
static double change_of(const Problem *of) {
    int64_t columns = of->design->columns;
    double largest = fabs(of->step[columns]) / 3;
    const double *lean = of->step + mean_columns(of->design);
    pad(of, of->step);
    for (int64_t g = 0; g < of->design->groups; g++) {
        const Point *at = &of->points[g];
        double move = row_product(of, g);
        if (of->place[g] < 0) move = most(at->omega + move, at->ends) - most(at->omega, at->ends);
        largest = most(largest, fabs(move) / 4);
    }
    for (int64_t k = 1; k <= *of->counted && !of->fixed && of->design->leaning; k++) {
        int64_t g = of->counted[k];
        double move = of->step[columns] + leaning_of(of->design, g, lean) - of->design->offsets[g];
        largest = most(largest, fabs(move) / 3);
    }
    return largest;
}

double bounded(const Problem *of) {
    double largest = change_of(of);
    return largest > 1 ? 1 / largest : 1.0;
}

/* Whether several steps at once are accepted: *step* is known, and x and *value* receive what they reach. */
static int stretched(const Problem *of, double predicted, double *x, double *value) {
    int64_t size = of->design->columns + 1;
    for (int64_t k = 0; k < size; k++) of->trial[k] = x[k] + STRETCH * of->step[k];
    of->trial[size - 1] = between(of->trial[size - 1], of->lowest, of->highest);
    double reached = value_at(of, of->trial);
    if (!(reached > *value + 1.6 * predicted)) return 0; /* one step gains 1.26 of it, all of them 2 */
    for (int64_t k = 0; k < size; k++) x[k] = of->trial[k];
    *value = reached;
    return 1;
}

double climb(const Problem *of, double *x, double *left) {
    int64_t size = of->design->columns + 1;
    double value = value_at(of, x), damping = 0.0;
    *left = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        slopes_here(of);
        int accepted = 0;
        double before = *left;
        for (int try = 0; try < TRIES && !accepted; try++) {
            double predicted = newton_step(of, x, damping), change = change_of(of), scale = change > 1 ? 1 / change : 1.0;
            if (predicted >= 0) {
                int steady = damping == 0 && try == 0 && predicted > 0.3 * before && predicted < 0.45 * before;
                if (steady && predicted > of->enough && stretched(of, predicted, x, &value)) {
                    *left = predicted;
                    accepted = 1;
                    break;
                }
                for (int64_t k = 0; k < size; k++) of->trial[k] = x[k] + scale * of->step[k];
                if (try == 0 && of->step[size - 1] > 0.5 && x[size - 1] > of->highest - NEARLY_BINOMIAL)
                    of->trial[size - 1] = of->highest;
                of->trial[size - 1] = between(of->trial[size - 1], of->lowest, of->highest);
                int unseen = damping == 0 && predicted < of->enough && change < UNSEEN;
                double reached = unseen ? value + predicted : value_at(of, of->trial);
                *left = least(*left, most(predicted, reached - value));
                if (reached >= value) {
                    accepted = 1;
                    *left = scale < 1 ? INFINITY : predicted;
                    for (int64_t k = 0; k < size; k++) x[k] = of->trial[k];
                    value = reached;
                    if (unseen) return value;
                    break;
                }
                if (predicted < of->enough) break; /* only rounding is left */
            }
            damping = most(8 * damping, 1e-3);
        }
        if (!accepted || *left < of->enough) break;
        damping = damping > 1e-2 ? damping / 16 : 0.0;
    }
    return value;
}

double profile_curvature(const Problem *of, const double *x) {
    int64_t size = of->design->columns + 1;
    double curvature = -of->hessian[0], known = 0.0;
    Problem rest = *of;
    rest.held = 1;
    for (int64_t k = 0; k < size; k++) of->tangent[k] = 0.0;
    if (!(newton_step(&rest, x, 0.0) >= 0)) return curvature;
    for (int64_t k = 1; k < size; k++) of->tangent[k] = of->hessian[k * of->width];
    for (int64_t k = free_parameters(of, x); k < size; k++) of->tangent[k] = 0.0;
    solve(of->factor, size, of->tangent);
    of->tangent[0] = 0.0;
    for (int64_t k = 1; k < size; k++) known += of->tangent[k] * of->hessian[k * of->width];
    return curvature - known;
}

/* The columns and τ, padded to whole LANES. */
static int64_t padded_width(const Design *design) { return (design->columns + LANES) / LANES * LANES; }

int32_t prepare(const Design *design, const DesignRoom *design_room) {
    int64_t size = design->columns + 1, width = padded_width(design);
    if (design_room->size < (size + design->groups + 2) * width + size * size + ROWS_OF_SCRATCH * size + 1)
        return TB_NO_ROOM;
    double *padded = design_room->numbers, *rows = padded + width;
    for (int64_t k = 0; k < width; k++) padded[k] = 0.0;
    for (int64_t g = 0; g < design->groups; g++) {
        const double *row = design->rows + g * design->columns;
        Point *at = (Point *)design_room->points + g;
        at->ends = NEGLIGIBLE - log(most(design->tokens[g], 1.0));
        for (int64_t k = 0; k < width; k++) rows[g * width + k] = k < design->columns ? row[k] : 0.0;
        for (at->first = 0; at->first < design->columns - 1 && row[at->first] == 0;) at->first++;
        for (at->last = design->columns - 1; at->last > at->first && row[at->last] == 0;) at->last--;
    }
    return TB_OK;
}

/* The observed share of the term in a design cell. */
static void note_share(Point *at, double n_i, double n) {
    int exact = n_i < FEW_TOKENS && n_i < n / 2;
    at->observed_log_p = exact ? log(n_i / n) : NAN;
    at->observed_delta = exact ? -log1p(-n_i / n) : NAN;
}

int32_t begin(const Cells *cells, const Design *design, int64_t term, const Room *room, const DesignRoom *design_room,
              Problem *of, double *documents) {
    int64_t used = 0, found = 0, size = design->columns + 1, width = padded_width(design);
    double n_i = 0.0, n = 0.0;
    Term *present = design_room->present;
    if (!is_term(cells, term)) return TB_BAD_INDEX;
    double *padded = design_room->numbers, *rows = padded + width, *numbers = rows + design->groups * width;
    for (int64_t g = 0; g < design->groups; g++) {
        design_room->place[g] = -1;
        n += design->tokens[g];
    }
    const int64_t *range = range_of(cells, 0, term);
    *documents = 0.0;
    for (int64_t j = range[0], end; j < range[1]; j = end) {
        int32_t g = design->group[j];
        for (end = j + 1; end < range[1] && design->group[end] == g;) end++;
        if (g < 0 || g >= design->groups || design_room->place[g] >= 0) return TB_BAD_INDEX;
        int32_t status = gather(cells, j, end, room, &used, &present[found]);
        if (status != TB_OK) return status;
        n_i += present[found].n_i;
        *documents += present[found].documents;
        note_share((Point *)design_room->points + g, present[found].n_i, design->tokens[g]);
        design_room->place[g] = found++;
    }
    double share = between(n_i / n, 1e-300, 1 - 1e-16);
    *of = (Problem){.design = design, .present = present, .place = design_room->place, .points = design_room->points};
    of->counted = design_room->counted;
    of->width = width;
    of->rows = rows;
    of->padded = padded;
    of->middle = log(share) + log1p(-share);
    of->highest = least(log((double)most_int(design->longest, 1)) + FARTHEST_TAU, LARGEST);
    of->lowest = SMALLEST / 2;
    of->enough = FIT_GAIN;
    of->hessian = numbers;
    of->gradient = numbers += size * width;
    of->factor = numbers += width;
    of->step = numbers += size * size;
    of->trial = numbers += size;
    of->moved = numbers += size;
    of->across = numbers += size;
    of->tangent = numbers += size;
    of->limit = numbers += size;
    of->other = numbers += size;
    of->moves = numbers += 2 * size;
    of->lean = numbers + size;
    of->firm = design->firm + term * design->leaning;
    return TB_OK;
}
