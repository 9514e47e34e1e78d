#include "regression.h"

#include "cholesky.h"

#define FIT_GAIN 1e-9         /* of a Newton step: the fit has converged */
#define LIMIT_GAIN 1e-6       /* the same for a point of the profile, whose height is all that is needed */
#define SEPARATED 1e-3        /* curvature below which a coefficient has no finite maximum */
#define FARTHEST_TAU 22.0     /* of τ above log of the longest document: there it is the binomial to rounding */
#define NEARLY_BINOMIAL 14.0  /* below that: if the likelihood still rises, τ jumps to the end */
#define FARTHEST_LOGIT 60.0   /* of a logit mean: beyond, the likelihood does not change */
#define FARTHEST_LIMIT 60.0   /* of a limit: beyond, it is infinite */
#define FEW 30.0              /* documents with a term, up to which other starts are tried */
enum { ROUNDS = 120, TRIES = 40, LIMIT_ROUNDS = 40, ROWS_OF_SCRATCH = 4 };

/* Everything that stays constant while one term is fitted. x has the coefficients and τ. */
typedef struct {
    const Design *design;
    const Term *present; /* the design cells with the term */
    const int64_t *place; /* of each design cell in `present`, or −1 */
    double middle, highest, lowest; /* v, and the range of τ */
    double enough;                  /* gain of a step below which a search ends */
    int64_t held;
    double *gradient, *hessian, *factor, *step, *trial, *moved;
} Problem;

static const Term NOWHERE = {0};

static const Term *term_in(const Problem *of, int64_t g) {
    return of->place[g] < 0 ? &NOWHERE : &of->present[of->place[g]];
}

static double logit_in(const Problem *of, int64_t g, const double *x) {
    const double *row = of->design->rows + g * of->design->columns;
    double omega = 0.0;
    for (int64_t k = 0; k < of->design->columns; k++) omega += row[k] * x[k];
    return between(omega, -FARTHEST_LOGIT, FARTHEST_LOGIT / 2);
}

static const double *table_in(const Problem *of, int64_t g) {
    return of->design->tables + g * PANELS * (DEGREE + 1) * 2;
}

/* ℓ(x) minus the log-likelihood of one binomial per design cell. */
static double value_at(const Problem *of, const double *x) {
    double total = 0.0, tau = x[of->design->columns];
    for (int64_t g = 0; g < of->design->groups; g++) {
        double omega = logit_in(of, g, x);
        double own = tied(of->design->kappa, of->middle, tau, omega).tau;
        total += gain(own, omega, term_in(of, g), of->design->tokens[g], table_in(of, g));
    }
    return total;
}

/* Gradient and Hessian (the lower triangle) of ℓ at x. */
static void slopes_at(const Problem *of, const double *x) {
    int64_t columns = of->design->columns, size = columns + 1;
    double *gradient = of->gradient, *hessian = of->hessian;
    for (int64_t k = 0; k < size; k++) gradient[k] = 0.0;
    for (int64_t k = 0; k < size * size; k++) hessian[k] = 0.0;
    for (int64_t g = 0; g < of->design->groups; g++) {
        const double *row = of->design->rows + g * columns;
        double omega = logit_in(of, g, x);
        Tied own = tied(of->design->kappa, of->middle, x[columns], omega);
        Derivatives d = derivatives(own.tau, omega, term_in(of, g), of->design->tokens[g], table_in(of, g), NULL);
        double across = d.tau_omega + own.slope * d.tau_tau;
        double bend = d.omega_omega + own.slope * (d.tau_omega + across) + own.bend * d.tau;
        double slope = d.omega + own.slope * d.tau, *last = hessian + columns * size;
        for (int64_t k = 0; k < columns; k++) {
            double part = bend * row[k], *line = hessian + k * size;
            gradient[k] += row[k] * slope;
            last[k] += row[k] * across;
            for (int64_t l = 0; l <= k; l++) line[l] += part * row[l];
        }
        gradient[columns] += d.tau;
        last[columns] += d.tau_tau;
    }
}

static int is_free(const Problem *of, const double *x, int64_t k) {
    int64_t columns = of->design->columns;
    if (k < columns) return !(of->held && k == 0);
    return !(x[k] >= of->highest && of->gradient[k] >= 0) && !(x[k] <= of->lowest && of->gradient[k] <= 0);
}

/* The Newton step with the diagonal raised by *damping*. Returns half of gradient times step, the gain that the
 * quadratic model predicts; NaN if the matrix is not positive definite. */
static double newton_step(const Problem *of, const double *x, double damping) {
    int64_t size = of->design->columns + 1;
    double largest = 0.0, predicted = 0.0;
    for (int64_t k = 0; k < size; k++) largest = most(largest, fabs(of->hessian[k * size + k]));
    for (int64_t k = 0; k < size; k++) {
        int free = is_free(of, x, k);
        for (int64_t l = 0; l <= k; l++)
            of->factor[k * size + l] = free && is_free(of, x, l) ? -of->hessian[k * size + l] : 0.0;
        double *diagonal = &of->factor[k * size + k];
        *diagonal = free ? *diagonal + damping * (fabs(*diagonal) + 1e-3 * largest) : 1.0;
        of->step[k] = free ? of->gradient[k] : 0.0;
    }
    if (!cholesky(of->factor, size, 1e-13 * largest)) return NAN;
    solve(of->factor, size, of->step);
    for (int64_t k = 0; k < size; k++) predicted += of->step[k] * of->gradient[k] / 2;
    return predicted;
}

/* How much of the step to take: no logit moves by more than 4, and τ by no more than 3. */
static double bounded(const Problem *of) {
    int64_t columns = of->design->columns;
    double largest = fabs(of->step[columns]) / 3;
    for (int64_t g = 0; g < of->design->groups; g++) {
        const double *row = of->design->rows + g * columns;
        double change = 0.0;
        for (int64_t k = 0; k < columns; k++) change += row[k] * of->step[k];
        largest = most(largest, fabs(change) / 4);
    }
    return largest > 1 ? 1 / largest : 1.0;
}

/* Newton's method with damping, uphill from x, which receives the maximum. Returns its value; *left is the gain that the
 * last step predicted. ℓ never falls, and the number of evaluations is bounded, so it ends whatever the data are. */
static double climb(const Problem *of, double *x, double *left) {
    int64_t size = of->design->columns + 1;
    double value = value_at(of, x), damping = 0.0;
    *left = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        slopes_at(of, x);
        int accepted = 0;
        for (int try = 0; try < TRIES && !accepted; try++) {
            double predicted = newton_step(of, x, damping), scale = bounded(of);
            if (predicted >= 0) {
                for (int64_t k = 0; k < size; k++) of->trial[k] = x[k] + scale * of->step[k];
                if (try == 0 && of->step[size - 1] > 0.5 && x[size - 1] > of->highest - NEARLY_BINOMIAL)
                    of->trial[size - 1] = of->highest;
                of->trial[size - 1] = between(of->trial[size - 1], of->lowest, of->highest);
                double reached = value_at(of, of->trial);
                *left = least(*left, most(predicted, reached - value));
                if (reached >= value) {
                    accepted = 1;
                    *left = scale < 1 ? INFINITY : predicted;
                    for (int64_t k = 0; k < size; k++) x[k] = of->trial[k];
                    value = reached;
                    break;
                }
                if (predicted < of->enough) return value; /* only rounding is left */
            }
            damping = most(8 * damping, 1e-3);
        }
        if (!accepted || *left < of->enough) break;
        damping = damping > 1e-2 ? damping / 16 : 0.0;
    }
    return value;
}

/* −∂²ℓ/∂β_0² of the profile over all other parameters, at x. */
static double profile_curvature(const Problem *of, const double *x) {
    int64_t size = of->design->columns + 1;
    double curvature;
    slopes_at(of, x);
    curvature = -of->hessian[0];
    Problem rest = *of;
    rest.held = 1;
    for (int64_t k = 1; k < size; k++) of->moved[k] = of->gradient[k] = -of->hessian[k * size];
    double predicted = newton_step(&rest, x, 0.0);
    return predicted >= 0 ? curvature - 2 * predicted : curvature;
}

/* Collects the cells of a term in each design cell. */
static int32_t begin(const Cells *cells, const Design *design, int64_t term, const Room *room,
                     const DesignRoom *design_room, Problem *of, double *documents) {
    int64_t used = 0, found = 0, size = design->columns + 1;
    double n_i = 0.0, n = 0.0;
    Term *present = design_room->present;
    if (!is_term(cells, term)) return TB_BAD_INDEX;
    if (design_room->size < 2 * size * size + ROWS_OF_SCRATCH * size) return TB_NO_ROOM;
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
        design_room->place[g] = found++;
    }
    double share = between(n_i / n, 1e-300, 1 - 1e-16), *numbers = design_room->numbers;
    *of = (Problem){.design = design, .present = present, .place = design_room->place};
    of->middle = log(share) + log1p(-share);
    of->highest = least(log((double)most_int(design->longest, 1)) + FARTHEST_TAU, LARGEST);
    of->lowest = SMALLEST / 2;
    of->enough = FIT_GAIN;
    of->hessian = numbers;
    of->factor = numbers += size * size;
    of->gradient = numbers += size * size;
    of->step = numbers += size;
    of->trial = numbers += size;
    of->moved = numbers += size;
    return TB_OK;
}

/* Coefficients from a weighted least-squares fit of the logits of the observed shares: a design cell without the term
 * has a logit near FARTHEST_LOGIT/2 and hardly any weight. So coefficients without a finite maximum start far out, where
 * Newton's method would arrive only by steps of one. */
static void observed_start(const Problem *of, double *x) {
    int64_t columns = of->design->columns, size = columns + 1;
    double largest = 0.0;
    for (int64_t k = 0; k < size; k++) of->step[k] = 0.0;
    for (int64_t k = 0; k < size * size; k++) of->factor[k] = 0.0;
    for (int64_t g = 0; g < of->design->groups; g++) {
        const double *row = of->design->rows + g * columns;
        const Term *term = term_in(of, g);
        double n = of->design->tokens[g], most_of_it = most(n - term->n_i, 1e-8);
        double weight = most(term->documents, 1e-8), logit = log(most(term->n_i, 1e-8) / most_of_it);
        if (of->held) logit -= row[0] * x[0];
        for (int64_t k = 0; k < columns; k++) {
            of->step[k] += weight * row[k] * logit;
            for (int64_t l = 0; l <= k; l++) of->factor[k * size + l] += weight * row[k] * row[l];
        }
    }
    of->factor[size * size - 1] = 1.0;
    if (of->held) {
        for (int64_t k = 0; k < columns; k++) of->factor[k * size] = 0.0;
        of->factor[0] = 1.0;
        of->step[0] = x[0];
    }
    for (int64_t k = 0; k < columns; k++) largest = most(largest, of->factor[k * size + k]);
    if (!cholesky(of->factor, size, 1e-15 * largest)) return;
    solve(of->factor, size, of->step);
    for (int64_t k = 0; k < columns; k++) x[k] = of->step[k];
}

/* Keeps the fit that an uphill search from x reaches, if it is better than *out*. */
static void try_start(const Problem *of, double *x, double *out) {
    int64_t size = of->design->columns + 1;
    double left, value = climb(of, x, &left);
    if (!(value > out[size] + 1e-9)) return;
    for (int64_t k = 0; k < size; k++) out[k] = x[k];
    out[size] = value;
    out[size + 1] = left;
}

/* Looks for other maxima over τ, with all coefficients as they are, and climbs those: few documents may have two. */
static void scan(const Problem *of, double *x, double *out) {
    int64_t size = of->design->columns + 1;
    double tau = most(out[size - 1], of->lowest), before = -INFINITY, here = -INFINITY, at = of->highest;
    double end = most(tau - 12, of->lowest), start = least(of->highest, tau + 12);
    for (int64_t k = 0; k < size; k++) x[k] = out[k];
    for (double next = of->highest; next > end - 3; next = next > start ? start : next - 3) {
        double value = -INFINITY;
        x[size - 1] = next;
        if (next > end) value = value_at(of, x);
        if (here > before && here > value && fabs(at - tau) > 3) {
            x[size - 1] = at;
            try_start(of, x, out);
            for (int64_t k = 0; k < size; k++) x[k] = out[k];
        }
        before = here;
        here = value;
        at = next;
    }
}

/* Fit one term from its start and from the observed shares, whichever is better. */
static void fit_one(Problem *of, const DesignFitTask *task, int64_t term, double documents) {
    int64_t size = of->design->columns + 1;
    const double *start = task->start + term * size;
    double *out = task->out + term * (size + 3), *x = of->moved;
    of->held = task->held;
    for (int64_t k = 0; k < size; k++) out[k] = x[k] = start[k];
    out[size - 1] = x[size - 1] = between(start[size - 1], of->lowest, of->highest);
    if (task->scan) {
        observed_start(of, x);
        if (value_at(of, x) > value_at(of, out))
            for (int64_t k = 0; k < size; k++) out[k] = x[k];
    }
    out[size] = climb(of, out, &out[size + 1]);
    if (task->scan && documents <= FEW) scan(of, x, out);
    out[size + 2] = task->held ? NAN : profile_curvature(of, out);
}

int32_t tb_fit_design(const Cells *cells, const Design *design, const DesignFitTask *task, const Room *room,
                      const DesignRoom *design_room) {
    for (int64_t k = 0; k < task->size; k++) {
        Problem of;
        double documents;
        int32_t status = begin(cells, design, task->terms[k], room, design_room, &of, &documents);
        if (status != TB_OK) return status;
        fit_one(&of, task, task->terms[k], documents);
    }
    return TB_OK;
}

/* The value of the first coefficient on one side of its estimate where √(2 × fall of ℓ) equals *root*; x is scratch.
 *
 * Newton's method on the root of the fall, whose slope is known: |∂ℓ/∂β_0|/√(2 × fall). */
static double limit(const Problem *of, const double *fit, double root, double side, double *x) {
    int64_t size = of->design->columns + 1;
    double top = fit[size], low = fit[0], high = side * INFINITY, left;
    double at = low + side * between(root / sqrt(most(fit[size + 2], SEPARATED)), 1e-4, 6.0);
    if (fit[size + 2] < SEPARATED) { /* the estimate is far out on one side */
        if (low * side >= 0) return side * INFINITY;
        at = 0.0;
    }
    for (int64_t k = 0; k < size; k++) x[k] = fit[k];
    for (int round = 0; round < LIMIT_ROUNDS; round++) {
        if (!(fabs(at) <= FARTHEST_LIMIT)) return side * INFINITY;
        x[0] = at;
        double fallen = sqrt(most(2 * (top - climb(of, x, &left)), 0.0));
        slopes_at(of, x);
        if (fabs(fallen - root) < 1e-4 * root) break;
        if (fallen < root)
            low = at;
        else
            high = at;
        double slope = fabs(of->gradient[0]) / most(fallen, 1e-3), step = side * (root - fallen) / most(slope, 1e-8);
        double farthest = 2 * fabs(at - fit[0]) + 0.1;
        double next = at + between(step, -farthest, farthest);
        if (!((next - low) * side > 0 && (high - next) * side > 0)) {
            if (isinf(high)) return side * INFINITY;
            next = (low + high) / 2;
        }
        if (fabs(next - at) < 1e-7 * most(1.0, fabs(at))) break;
        at = next;
    }
    return at;
}

int32_t tb_design_limits(const Cells *cells, const Design *design, const DesignLimitTask *task, const Room *room,
                         const DesignRoom *design_room) {
    int64_t size = design->columns + 1;
    for (int64_t k = 0; k < task->size; k++) {
        int64_t i = task->terms[k];
        Problem of;
        double documents;
        int32_t status = begin(cells, design, i, room, design_room, &of, &documents);
        if (status != TB_OK) return status;
        of.held = 1;
        of.enough = LIMIT_GAIN;
        for (int side = 0; side < 2; side++)
            task->out[2 * i + side] = limit(&of, task->fits + i * (size + 3), sqrt(task->critical[i]),
                                            side ? 1.0 : -1.0, of.moved);
    }
    return TB_OK;
}

/* clang-format off */
TB_LAYOUT(regression,
    TB_WHOLE(Design),
    TB_FIELD(Design, rows),
    TB_FIELD(Design, columns),
    TB_FIELD(Design, groups),
    TB_FIELD(Design, group),
    TB_FIELD(Design, tables),
    TB_FIELD(Design, tokens),
    TB_FIELD(Design, longest),
    TB_FIELD(Design, kappa),
    TB_WHOLE(DesignRoom),
    TB_FIELD(DesignRoom, present),
    TB_FIELD(DesignRoom, place),
    TB_FIELD(DesignRoom, numbers),
    TB_FIELD(DesignRoom, size),
    TB_WHOLE(DesignFitTask),
    TB_FIELD(DesignFitTask, terms),
    TB_FIELD(DesignFitTask, size),
    TB_FIELD(DesignFitTask, held),
    TB_FIELD(DesignFitTask, scan),
    TB_FIELD(DesignFitTask, start),
    TB_FIELD(DesignFitTask, out),
    TB_WHOLE(DesignLimitTask),
    TB_FIELD(DesignLimitTask, terms),
    TB_FIELD(DesignLimitTask, size),
    TB_FIELD(DesignLimitTask, fits),
    TB_FIELD(DesignLimitTask, critical),
    TB_FIELD(DesignLimitTask, out))
