#include "regression.h"

#include "cholesky.h"
#include "design_starts.h"

#define LIMIT_GAIN 1e-6     /* of a Newton step at a point of the profile, whose height is all that is needed */
#define SEPARATED 1e-3      /* curvature below which a coefficient has no finite maximum */
#define FARTHEST_LIMIT 60.0 /* of a limit: beyond, it is infinite */
#define INSIDE 3.0          /* of τ above log of the longest document, from which a fit starts at most */
#define NOTHING 1e-8        /* fall of a likelihood that is rounding */
#define REACHED 1e-9        /* below the fit with all parameters free: no other fit can gain more */
#define APART 0.5           /* of a coefficient: if the likelihood is the same that far off, it says nothing about it */
#define FAR 8.0             /* of a logit: the tangent says little about what is that far off */
#define FEW 30.0            /* documents with a term, up to which other starts are tried */
#define JOINT_GAIN 1e-7     /* the same for a search in all parameters at once */
#define CUBIC_NEAR 3e-3     /* distance from the root, as a part of it, from where a cubic finds the limit, */
#define CUBIC_GAIN 1e-6     /* if no more than this can be gained in the other parameters there, */
#define CUBIC_FIRST 1e-3    /* and no more than this at the point before */
#define HIGHER 1e-5         /* of another maximum that matters for a limit */
#define FARTHEST_BEND 2.0   /* of a parameter from the tangent, up to which a parabola is believed */
#define PRECISION_STEP 0.1  /* of a parameter of the precision, for a derivative */
#define TELLING 6.0         /* documents with a term from which its precision says something: fewer bursts are conditional */
#define CLEAR 0.3           /* √(2 × fall of ℓ) from which a point says how the profile bends */
enum { LIMIT_ROUNDS = 40, JOINT_ROUNDS = 16, HIGHER_ROUNDS = 3, MOST_CLIMBS = 2 };

/* Keeps the fit that an uphill search from x reaches, if it is better than *out*. Returns the lower one of the two. */
static double try_start(const Problem *of, double *x, double *out) {
    int64_t size = of->design->columns + 1;
    double left, value = climb(of, x, &left), lower = out[size];
    if (!(value > lower + 1e-9)) return value;
    for (int64_t k = 0; k < size; k++) out[k] = x[k];
    out[size] = value;
    out[size + 1] = left;
    return lower;
}

/* Looks for other maxima over τ, with all coefficients as they are, and climbs those: few documents may have two. The last
 * call of `value_at` must have been at *out*. Returns the highest one that is not kept, or −∞. */
static double scan(const Problem *of, double *x, double *out) {
    int64_t size = of->design->columns + 1;
    double rival = -INFINITY;
    double tau = most(out[size - 1], of->lowest), before = -INFINITY, here = -INFINITY, at = of->highest;
    double centre = least(tau, log((double)most_int(of->design->longest, 1)) + INSIDE); /* beyond, all is flat */
    double end = most(centre - 12, of->lowest), start = least(of->highest, centre + 12);
    for (int64_t k = 0; k < size; k++) x[k] = out[k];
    for (double next = of->highest; next > end - 3; next = next > start ? start : next - 3) {
        double value = -INFINITY;
        if (next > end) value = value_at_tau(of, next);
        if (here > before && here > value && fabs(at - tau) > 3) {
            x[size - 1] = at;
            rival = most(rival, try_start(of, x, out));
            for (int64_t k = 0; k < size; k++) x[k] = out[k];
            value_at(of, x);
        }
        before = here;
        here = value;
        at = next;
    }
    return rival;
}

/* Replaces *best*, a row with a value after its parameters, by x if that is higher. */
static void prefer(const Problem *of, const double *x, double *best) {
    int64_t size = of->design->columns + 1;
    double value = value_at(of, x);
    if (!(value > best[size])) return;
    for (int64_t k = 0; k < size; k++) best[k] = x[k];
    best[size] = value;
}

/* Whether the likelihood is the same with β_0 = 0 as at the *fit*, of the last call of `value_at`, whose β_0 is another
 * one: then the data say nothing about β_0. Receives the coefficients, τ and the value with β_0 = 0. */
static int says_nothing(Problem *of, const double *fit, double *out) {
    int64_t size = of->design->columns + 1;
    if (!(fabs(fit[0]) > APART) || !somewhere_improbable(of)) return 0;
    for (int64_t k = 0; k < size; k++) out[k] = fit[k];
    of->held = 1;
    out[0] = out[size + 1] = 0.0;
    nearest_start(of, out);
    out[size] = value_at(of, out);
    out[size + 2] = NAN;
    of->held = 0;
    return out[size] >= fit[size] - NOTHING;
}

/* The fit with β_0 = 0, given the *fit* with it, at which `tangent` is known: if β_0 is not far out, all other
 * parameters follow it along the tangent, and one or two steps are left. If the fit is higher than *rival*, no other
 * start can lead higher. */
static void fit_without(Problem *of, const double *fit, double documents, double rival, double *out) {
    int64_t size = of->design->columns + 1;
    double *x = of->moved, inside = log((double)most_int(of->design->longest, 1)) + INSIDE;
    int far = !(fit[size + 2] >= SEPARATED) || !(fabs(fit[0]) < FAR);
    of->held = 1;
    for (int64_t k = 0; k < size; k++) out[k] = x[k] = fit[k] - fit[0] * of->tangent[k];
    out[0] = x[0] = out[size + 1] = 0.0;
    out[size - 1] = x[size - 1] = between(x[size - 1], of->lowest, inside);
    out[size + 2] = NAN;
    if (far) {
        out[size] = value_at(of, out);
        x[size - 1] = between(fit[size - 1], of->lowest, inside);
        observed_start(of, x);
        prefer(of, x, out);
    }
    if (!far) out[size] = value_at(of, out);
    if (!(out[size] >= fit[size] - REACHED)) out[size] = climb(of, out, &out[size + 1]);
    if (documents <= FEW && !(out[size] > rival)) {
        observed_start(of, x);
        try_start(of, x, out);
        value_at(of, out);
        scan(of, x, out);
    }
    put_far_out(of, out);
    of->held = 0;
}

/* The `spread` of a fit: d is how fast log V changes with each parameter of the precision, and C their covariance; the
 * variance of log V is dᵀCd. V is the inverse of the curvature of β_0 if α_0 of each design cell is fixed; where the
 * estimate is infinite, in the fit *without* β_0. If this is NULL, V is left out. */
static void note_spread(Problem *of, const double *precision, const double *without, double *out) {
    int64_t size = of->design->columns + 1, mean = mean_columns(of->design), leaning = of->design->leaning;
    int infinite = !(precision[size + 2] >= SEPARATED);
    const double *x = infinite && without != NULL ? without : precision;
    double *moved = of->other, *d = of->moves, *along = of->across, first = NAN;
    for (int64_t p = 0; p <= leaning; p++) out[p] = NAN;
    for (int64_t k = 0; k < size; k++) moved[k] = precision[k];
    for (int64_t k = mean - 1; k < size && without != NULL; k++) {
        if (k >= mean) moved[k] = precision[k] + PRECISION_STEP;
        fix_precision(of, moved);
        value_at(of, x);
        slopes_here(of);
        double curvature = profile_curvature(of, x);
        if (k < mean) first = curvature;
        if (!(curvature > 0 && first > 0)) return;
        if (k < mean) continue;
        d[k] = -log(curvature / first) / PRECISION_STEP;
        moved[k] = precision[k];
    }
    of->fixed = 0;
    of->held = infinite;
    value_at(of, precision);
    slopes_here(of);
    int64_t last = free_parameters(of, precision);
    double known = newton_step(of, precision, 0.0), total = 0.0;
    of->held = 0;
    if (isnan(known)) return;
    for (int64_t k = 0; k < size && without != NULL; k++) along[k] = k >= mean && k < last ? d[k] : 0.0;
    if (without != NULL) solve(of->factor, size, along);
    for (int64_t k = mean; k < last && without != NULL; k++) total += d[k] * along[k];
    out[0] = without != NULL ? total : NAN;
    for (int64_t p = 0; p < leaning; p++) {
        for (int64_t k = 0; k < size; k++) along[k] = k == mean + p;
        solve(of->factor, size, along);
        out[1 + p] = along[mean + p];
    }
}

/* Fit one term from its start and from the observed shares, whichever is better. */
static void fit_one(Problem *of, const DesignFitTask *task, int64_t term, double documents) {
    int64_t size = of->design->columns + 1;
    const double *start = task->start + term * size;
    double *out = task->out + term * (size + 3), *x = of->moved;
    of->held = task->held;
    for (int64_t k = 0; k < size; k++) out[k] = x[k] = start[k];
    if (task->keep) {
        double *without = task->without + term * (size + 3);
        out[size] = value_at(of, out);
        out[size + 1] = out[size + 2] = 0.0;
        if (says_nothing(of, out, without)) return;
        value_at(of, out);
        slopes_here(of);
        out[size + 2] = profile_curvature(of, out);
        double *spread = task->spread + term * (1 + of->design->leaning);
        if (task->alone) {
            note_spread(of, out, NULL, spread);
            return;
        }
        for (int64_t k = 0; k < size; k++) task->tangent[term * size + k] = of->tangent[k];
        fit_without(of, out, documents, task->rival[term], without);
        if (of->design->leaning && documents >= TELLING) note_spread(of, out, without, spread);
        return;
    }
    out[size - 1] = x[size - 1] = between(start[size - 1], of->lowest, of->highest);
    if (task->scan) {
        observed_start(of, x);
        if (value_at(of, x) > value_at(of, out))
            for (int64_t k = 0; k < size; k++) out[k] = x[k];
    }
    double first = out[size] = climb(of, out, &out[size + 1]);
    out[size + 2] = task->held ? NAN : profile_curvature(of, out);
    if (task->scan && documents <= FEW) {
        value_at(of, out);
        task->rival[term] = scan(of, x, out);
    }
    if (task->scan) put_far_out(of, out);
    if (task->held || !(out[size] > first)) return;
    value_at(of, out);
    slopes_here(of);
    out[size + 2] = profile_curvature(of, out);
}

int32_t tb_fit_design(const Cells *cells, const Design *design, const DesignFitTask *task, const Room *room,
                      const DesignRoom *design_room) {
    int32_t status = prepare(design, design_room);
    for (int64_t k = 0; k < task->size && status == TB_OK; k++) {
        Problem of;
        double documents;
        status = begin(cells, design, task->terms[k], room, design_room, &of, &documents);
        if (status != TB_OK) return status;
        fit_one(&of, task, task->terms[k], documents);
    }
    return status;
}

/* A point of a search for a limit: β_0, √(2 × fall of the profile), how β_0 changes with that, and the gain of a Newton
 * step in the other parameters. */
typedef struct {
    double at, fallen, rise, left;
} Passed;

/* β_0 where the root is reached, by the cubic through two points with their slopes. Its error is of the order of the
 * squares of both distances, so the last point need not be as near as for Newton's method. NaN if they are not near. */
static double by_cubic(Passed a, Passed b, double root) {
    double width = b.fallen - a.fallen, s = (root - a.fallen) / width, t = 1 - s;
    if (!(a.left < CUBIC_FIRST && b.left < CUBIC_GAIN && fabs(a.fallen - root) < 0.1 * root)) return NAN;
    if (!(fabs(b.fallen - root) < CUBIC_NEAR * root && fabs(width) > 1e-5 * root)) return NAN;
    return t * t * ((1 + 2 * s) * a.at + s * width * a.rise) + s * s * ((1 + 2 * t) * b.at - t * width * b.rise);
}

/* A limit found by one search in all parameters at once from x, or NaN if it leaves the region where that is safe.
 *
 * At each point the other parameters have a Newton step s and follow β_0 along the tangent t. The profile is
 * ℓ + g·s/2 to second order, and its slope is ∂ℓ/∂β_0 + g·t. Newton's method on the root of its fall gives the step of
 * β_0, and the others move by s + t times that step. Every point costs one evaluation with derivatives. *climbs* receives
 * how often the search had to climb to a maximum over the others, of which there may be a higher one. */
static double joint_limit(const Problem *of, double top, double root, double side, double *x, int *climbs) {
    int64_t size = of->design->columns + 1;
    Passed before = {0.0, 0.0, 0.0, INFINITY};
    *climbs = 0;
    for (int round = 0; round < JOINT_ROUNDS; round++) {
        double value = value_at(of, x);
        slopes_here(of);
        double left = newton_step(of, x, 0.0), slope = of->gradient[0], *tau_step = &of->step[size - 1];
        if (!(left >= 0)) { /* not near a maximum over the others */
            if ((*climbs)++ == MOST_CLIMBS) return NAN;
            climb(of, x, &left);
            before.left = INFINITY;
            continue;
        }
        for (int64_t k = 0; k < size; k++) of->across[k] = k > 0 ? of->hessian[k * of->width] : 0.0;
        for (int64_t k = free_parameters(of, x); k < size; k++) of->across[k] = 0.0;
        solve(of->factor, size, of->across);
        for (int64_t k = 1; k < size; k++) slope += of->across[k] * of->gradient[k];
        double fallen = sqrt(most(2 * (top - value - left), 0.0)), steep = -side * slope / most(fallen, 1e-3);
        if (!(steep > 1e-4)) return NAN;
        double step = left < 0.5 ? between(side * (root - fallen) / steep, -3.0, 3.0) : 0.0;
        if (left < JOINT_GAIN && fabs(fallen - root) < 1e-4 * root) return x[0] + step;
        int rising = *tau_step > 0.5 && x[size - 1] > of->highest - NEARLY_BINOMIAL;
        Passed here = {x[0], fallen, side / steep, rising ? INFINITY : left}; /* τ jumps: the profile is not known yet */
        double found = by_cubic(before, here, root);
        before = here;
        if (!isnan(found)) step = found - x[0];
        for (int64_t k = 1; k < size; k++) of->step[k] += of->across[k] * step;
        of->step[0] = step;
        if (rising) *tau_step = 0.0;
        double scale = bounded(of);
        for (int64_t k = 0; k < size; k++) x[k] += scale * of->step[k];
        x[size - 1] = rising ? of->highest : between(x[size - 1], of->lowest, of->highest);
        if (!isnan(found)) return found;
    }
    return NAN;
}

/* A point of the profile besides the fit: its parameters, and √(2 × fall of ℓ) there; NULL if none is known. `climbs` is
 * from the search for it. */
typedef struct {
    const double *x;
    double fallen;
    int climbs;
} Known;

/* How far the limit is from the fit, if √(2 × fall) is δ√c(1 + bδ), c the curvature, and goes through the known point. */
static double curved_step(const double *fit, int64_t size, Known at, double root, double side) {
    double straight = root / sqrt(fit[size + 2]), delta = at.x[0] - fit[0];
    double bend = (at.fallen / (fabs(delta) * sqrt(fit[size + 2])) - 1) / delta, under = 1 + 4 * side * bend * straight;
    return under > 0.25 && under < 4 ? 2 * straight / (1 + sqrt(under)) : straight;
}

/* The start of that search: along the parabola through the fit and a known point, with the tangent of the fit; along the
 * tangent if none is known; or the fit with β_0 = 0 if the estimate is far out. Returns 0 if the limit is infinite. */
static int joint_start(const Problem *of, const double *fit, const double *at_zero, Known at, double root, double side,
                       double *x) {
    int64_t size = of->design->columns + 1;
    int separated = !(fit[size + 2] >= SEPARATED), curved = at.x != NULL && !separated;
    if (separated && fit[0] * side >= 0) return 0;
    double step = separated ? 0.0 : curved ? curved_step(fit, size, at, root, side) : root / sqrt(fit[size + 2]);
    step = side * least(step, 4.0);
    double delta = curved ? at.x[0] - fit[0] : 1.0, square = step / delta * (step / delta);
    for (int64_t k = 1; k < size && curved; k++)
        curved = fabs(at.x[k] - fit[k] - of->tangent[k] * delta) * square < FARTHEST_BEND;
    for (int64_t k = 0; k < size; k++) {
        x[k] = separated ? at_zero[k] : fit[k] + of->tangent[k] * step;
        if (curved) x[k] += (at.x[k] - fit[k] - of->tangent[k] * delta) * square;
    }
    x[0] = separated ? 0.0 : fit[0] + step;
    x[size - 1] = between(x[size - 1], of->lowest, of->highest);
    return 1;
}

/* Where `limit` begins: as far out as the curvature says, or at 0 if the estimate is far out on the other side. */
static double first_guess(const double *fit, int64_t size, double root, double side) {
    if (fit[size + 2] < SEPARATED) return fit[0] * side >= 0 ? side * INFINITY : 0.0;
    return fit[0] + side * between(root / sqrt(fit[size + 2]), 1e-4, 6.0);
}

/* The value of the first coefficient on one side of its estimate where √(2 × fall of ℓ) equals *root*. The search begins
 * *at* a value, with the other parameters of x.
 *
 * Newton's method on the root of the fall, whose slope is known: |∂ℓ/∂β_0|/√(2 × fall). The other parameters are at
 * their maximum at each point. */
static double limit(const Problem *of, const double *fit, double root, double side, double at, double *x) {
    int64_t size = of->design->columns + 1;
    double top = fit[size], low = fit[0], high = side * INFINITY, left;
    for (int round = 0; round < LIMIT_ROUNDS; round++) {
        if (!(fabs(at) <= FARTHEST_LIMIT)) return side * INFINITY;
        x[0] = at;
        double fallen = sqrt(most(2 * (top - climb(of, x, &left)), 0.0));
        if (fallen < root)
            low = at;
        else
            high = at;
        double slope = fabs(of->gradient[0]) / most(fallen, 1e-3), step = side * (root - fallen) / most(slope, 1e-8);
        double farthest = 2 * fabs(at - fit[0]) + 0.1;
        double next = at + between(step, -farthest, farthest);
        if (fabs(fallen - root) < 1e-4 * root) return next; /* the error of this last step is far smaller still */
        if (!((next - low) * side > 0 && (high - next) * side > 0)) {
            if (isinf(high)) return side * INFINITY;
            next = (low + high) / 2;
        }
        if (fabs(next - at) < 1e-7 * most(1.0, fabs(at))) break;
        at = next;
    }
    return at;
}

/* The limit again, as long as few documents have a higher maximum over the other parameters at it; `moved` is near the
 * limit. If the search for it had *climbs*, the starts of the fit are tried, too. */
static double at_highest(const Problem *of, const double *fit, double root, double side, double found, int climbs) {
    int64_t size = of->design->columns + 1;
    double *x = of->moved, *other = of->other;
    for (int round = 0; round < HIGHER_ROUNDS && isfinite(found); round++) {
        for (int64_t k = 0; k < size; k++) other[k] = x[k];
        other[0] = found;
        double value = other[size] = value_at(of, other), again = NAN;
        for (int start = 0; start < 2 && climbs; start++) {
            for (int64_t k = 0; k < size; k++) x[k] = k > 0 ? fit[k] : found;
            if (start) observed_start(of, x);
            try_start(of, x, other);
        }
        if (climbs) value_at(of, other);
        scan(of, x, other);
        if (!(other[size] > value + HIGHER)) return found;
        for (int64_t k = 0; k < size; k++) x[k] = other[k];
        again = joint_limit(of, fit[size], root, side, x, &climbs);
        if (isnan(again)) {
            for (int64_t k = 0; k < size; k++) x[k] = other[k];
            again = limit(of, fit, root, side, found, x);
        }
        found = again;
    }
    return found;
}

static double tokens_of(const Problem *of) {
    double n_i = 0.0;
    for (int64_t g = 0; g < of->design->groups; g++) n_i += term_in(of, g) == NULL ? 0.0 : term_in(of, g)->n_i;
    return n_i;
}

/* One limit: by the joint search, or by the careful one if that fails; *at* receives what is known of this point. */
static double one_limit(const Problem *of, const double *fit, const double *without, double root, double side,
                        Known *at) {
    int64_t size = of->design->columns + 1;
    double found = side * INFINITY;
    int climbs = 0;
    int searched = joint_start(of, fit, without, *at, root, side, of->moved);
    if (searched) found = joint_limit(of, fit[size], root, side, of->moved, &climbs);
    *at = (Known){NULL, root, climbs};
    if (searched && isfinite(found) && fit[size + 2] >= SEPARATED) {
        for (int64_t m = 0; m < size; m++) of->limit[m] = of->moved[m];
        at->x = of->limit;
    }
    if (!isnan(found)) return found;
    int at_zero = !(fit[size + 2] >= SEPARATED); /* the search begins there, and the fit is far from it */
    for (int64_t m = 0; m < size; m++) of->moved[m] = at_zero ? without[m] : fit[m];
    return limit(of, fit, root, side, first_guess(fit, size, root, side), of->moved);
}

int32_t tb_design_limits(const Cells *cells, const Design *design, const DesignLimitTask *task, const Room *room,
                         const DesignRoom *design_room) {
    int64_t size = design->columns + 1;
    int32_t status = prepare(design, design_room);
    for (int64_t k = 0; k < task->size && status == TB_OK; k++) {
        int64_t i = task->terms[k];
        const double *fit = task->fits + i * (size + 3);
        const double *without = task->without + i * (size + 3);
        double root = sqrt(task->critical[i]), fallen = sqrt(most(2 * (fit[size] - without[size]), 0.0)), documents;
        Problem of;
        if (!(fit[size + 2] >= SEPARATED) && without[size] >= fit[size] - 2 * NOTHING) { /* no data on this coefficient */
            task->out[2 * i] = -INFINITY;
            task->out[2 * i + 1] = INFINITY;
            continue;
        }
        status = begin(cells, design, i, room, design_room, &of, &documents);
        if (status != TB_OK) return status;
        of.enough = LIMIT_GAIN;
        of.held = 1;
        for (int64_t m = 0; m < size; m++) of.tangent[m] = task->tangent[i * size + m];
        if (isnan(of.tangent[0])) {
            value_at(&of, fit);
            slopes_here(&of);
            profile_curvature(&of, fit);
        }
        Known at = {fallen > CLEAR && fallen < 4 * root && without[0] == 0 ? without : NULL, fallen, 0};
        /* Where the estimate is far out, or next to the binomial, a maximum may appear that the fit does not have. */
        int at_end = !(fit[size + 2] >= SEPARATED) || tokens_of(&of) == documents ||
                     fit[size - 1] >= log((double)most_int(design->longest, 1)) + INSIDE;
        int other_maxima = documents <= FEW && (at_end || !(task->rival[i] < fit[size] - task->critical[i] / 2));
        for (int side = 0; side < 2; side++) {
            double sign = side ? 1.0 : -1.0, found = one_limit(&of, fit, without, root, sign, &at);
            if (other_maxima || (at.climbs && documents <= FEW)) found = at_highest(&of, fit, root, sign, found, at.climbs);
            task->out[2 * i + side] = found;
        }
    }
    return status;
}
