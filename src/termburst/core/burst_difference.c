#include "burst_difference.h"
#include "special.h"

#define LEAST 1e-6      /* λ that is as good as 0, over its standard error near R = 1 if that is below 1 */
#define EVENEST 33.0    /* log α_0 of the least λ: beyond, the search for τ would reach its end */
#define FARTHEST 60.0   /* of limits of δ: beyond, there is none */
#define CLOSE 1e-2      /* last step in τ: a parabola gives the rest of the way to the maximum */
#define EXACT 1e-5      /* relative error of a root, where limits are bracketed */
#define LAST_STEP 1e-4  /* last step of Newton's method, over the distance from the fit: its square is what is left */
#define NEAR 1e-3       /* distance of two λ that are the same, over the least λ */
#define LAST_GAIN 1e-6  /* what the last step to a maximum still gains */
#define APART 0.1       /* difference in τ, or in ℓ, of two maxima */
#define WIDE_SLACK 4.0  /* of a log-likelihood near the wide maximum, for what its search would gain */
#define WIDE_STEP 1.0   /* the same for a maximum at one λ, for what it may gain up to the next λ that is looked at */
#define SAME 1e-4       /* relative difference of two roots that is only the error of the search */
enum { ROUNDS = 60, QUICK_ROUNDS = 14, WIDE_LOOKS = 10 };

/* One group: its data, and its own fit. */
typedef struct {
    Profile of;
    double estimate; /* λ = log R */
    double omega;    /* logit of the mean */
    double least;    /* λ that is as good as 0 */
    double top;      /* the gain over the binomial */
    int wide;        /* whether the wide maximum may matter; see `Side` */
} Group;

/* ℓ of one group at its best for a given λ, with its first and second derivative in λ. For a given λ there may be two
 * maxima in τ. At the narrow one the mean is about that of the fit. At the wide one α_0 is small and the mean near 1/R:
 * few documents have nearly all tokens of the term. If that may matter, both are followed, and the side has the higher. */
typedef struct {
    double lambda, level, gain, slope, bend;
    Best narrow, wide;
} Side;

/* τ near the wide maximum. With α_0 → 0 each document that has the term and others contributes log α_0, and each of the D
 * without it −(1 + α_0 log n_j)/R: α_0 is about R times the former, over D log n_j. */
static double wide_start(const Group *group, double lambda) {
    const LengthTable *table = group->of.table;
    double documents = most(table->tokens - look_up(table->coefficients, LOWEST)[0], 1.0); /* K(0) = Σ (n_j − 1) */
    double fall = documents * log1p_of(most(table->tokens, 1.0) / documents);
    return between(log(most(group->of.term->mixed, 1.0) / fall) + lambda, SMALLEST + 5, 0.0);
}

/* τ where the mean stays that of the fit. */
static double narrow_start(const Group *group, double level) {
    double grown = most(-group->omega - level, 1e-3); /* log(1 + e^τ) */
    return grown > 30 ? grown : log(expm1(grown));
}

/* Moves a side to another λ. The search for the best τ starts where the side was if that is near. Where both searches
 * ended at the same maximum, the other one may have appeared since, so both start anew. At λ = 0 the best is the binomial
 * with the mean of the group, whose gain is 0; the slope there is that at the least λ. */
static void move_to(const Group *group, double lambda, Side *side) {
    double odds = expm1(least(most(lambda, group->least), 300.0)), level = log(odds), way = level - side->level;
    Best *both[2] = {&side->narrow, &side->wide};
    int follow = fabs(way) < 1.5 && (!group->wide || fabs(side->narrow.s - side->wide.s) > APART);
    for (int k = 0; k < 1 + group->wide; k++) {
        Best *best = both[k];
        if (follow)
            best->s += best->off + between(best->turn * way, -2.0, 2.0);
        else
            best->s = k == 0 ? narrow_start(group, level) : wide_start(group, lambda);
        best->s = least(best->s, LARGEST - 1);
        best_on(&group->of, level, best);
    }
    const Best *best = group->wide && side->wide.gain > side->narrow.gain ? &side->wide : &side->narrow;
    double rise = (1 + odds) / odds; /* d log(R − 1)/d log R = R/(R − 1) */
    side->lambda = lambda;
    side->level = level;
    side->gain = lambda > group->least ? best->gain : 0.0;
    side->slope = best->slope * rise;
    side->bend = best->bend * rise * rise - best->slope * rise / odds;
}

static Side new_side(void) { return (Side){.level = INFINITY, .narrow = {.close = CLOSE}, .wide = {.close = CLOSE}}; }

/* Both groups with λ_up = λ_down + δ, and the sums of what each side has. */
typedef struct {
    const Group *up, *down;
    Side of_up, of_down;
    double gain, slope, bend, least;
} Pairing;

static Pairing new_pairing(const Group *up, const Group *down) {
    return (Pairing){up, down, new_side(), new_side(), 0.0, 0.0, 0.0, least(up->least, down->least)};
}

static void move_common(Pairing *pair, double common, double delta) {
    move_to(pair->up, common + delta, &pair->of_up);
    move_to(pair->down, common, &pair->of_down);
    pair->gain = pair->of_up.gain + pair->of_down.gain;
    pair->slope = pair->of_up.slope + pair->of_down.slope;
    pair->bend = pair->of_up.bend + pair->of_down.bend;
}

/* Moves uphill from where the pair is to the next maximum between *low* and *high*. */
static void climb(Pairing *pair, double delta, double low, double high) {
    for (int round = 0; round < ROUNDS; round++) {
        double at = pair->of_down.lambda, step = pair->bend < 0 ? -pair->slope / pair->bend : NAN;
        if (pair->slope * step / 2 < LAST_GAIN) {
            pair->gain += pair->slope * step / 2;
            return;
        }
        if (pair->slope > 0)
            low = at;
        else
            high = at;
        if (!(high - low > NEAR * pair->least)) return;
        if (!(at + step > low && at + step < high)) step = (pair->slope > 0 ? high - at : low - at) / 4;
        move_common(pair, at + step, delta);
    }
}

/* Climbs from the highest of some points between *low* and *high*, and leaves the pair there if it is higher. */
static void try_between(Pairing *pair, double delta, double low, double high) {
    double step = (high - low) / WIDE_LOOKS;
    Pairing best = *pair, here = *pair;
    best.gain = -INFINITY;
    for (int k = 1; k < WIDE_LOOKS; k++) {
        move_common(&here, low + step * k, delta);
        if (here.gain > best.gain) best = here;
    }
    climb(&best, delta, low, high);
    if (best.gain > pair->gain) *pair = best;
}

/* The largest ℓ with λ_up − λ_down = δ. It is between the λ that each group prefers. If one group prefers R = 1, or if its
 * likelihood is flat far from its fit, there may be two maxima: then the search starts at both ends. With wide maxima
 * there may be more, so it also starts in between. The pair is left at the highest one. */
static double best_common(Pairing *pair, double delta) {
    double floor = most(0.0, -delta), one = most(pair->up->estimate - delta, floor);
    double other = most(pair->down->estimate, floor), low = least(one, other), high = most(one, other);
    move_common(pair, low, delta);
    if (!(high - low > pair->least)) return pair->gain;
    Pairing from_high = *pair;
    move_common(&from_high, high, delta);
    int wide = pair->up->wide || pair->down->wide;
    int one_maximum = !wide && pair->slope > 0 && from_high.slope < 0 && pair->bend < 0 && from_high.bend < 0;
    if (pair->slope > 0) climb(pair, delta, low, high);
    double expected = from_high.gain - from_high.slope * from_high.slope / from_high.bend / 2; /* by a parabola */
    if (one_maximum && !(expected > pair->gain + APART)) return pair->gain;
    if (from_high.slope < 0) climb(&from_high, delta, low, high);
    if (from_high.gain > pair->gain) *pair = from_high;
    if (wide) try_between(pair, delta, low, high);
    return pair->gain;
}

/* The second derivative, or where that is not negative, the mean one between the fit and here. */
static double falling(const Group *group, const Side *side) {
    double away = most(fabs(side->lambda - group->estimate), group->least);
    return side->bend < 0 ? side->bend : -most(fabs(side->slope), 1e-9) / away;
}

/* The largest δ = λ_up − λ_down that the likelihood does not reject, from a first guess of both λ; NaN if the search
 * fails. There both slopes add up to 0, or λ_down is 0. Newton's method solves this and √(2(ℓ̂ − ℓ)) = root at once. */
static double quick_limit(Pairing *pair, double top, double root, double lambda_up, double lambda_down) {
    double fitted = pair->up->estimate - pair->down->estimate;
    int at_zero = !(lambda_down > pair->down->least);
    for (int round = 0; round < QUICK_ROUNDS; round++) {
        move_common(pair, most(lambda_down, 0.0), lambda_up - most(lambda_down, 0.0));
        const Side *up = &pair->of_up, *down = &pair->of_down;
        double fall = sqrt(most(2 * (top - pair->gain), 0.0)), need = fall * (root - fall), d_up, d_down = 0.0;
        if (!(fall > 0) || !(up->slope < 0)) return NAN;
        if (at_zero && pair->slope > 0) at_zero = 0;
        if (at_zero) {
            d_up = -need / up->slope;
        } else {
            double a = falling(pair->up, up), b = falling(pair->down, down), c = -up->slope, d = -down->slope;
            double determinant = a * d - b * c;
            if (!(determinant > 0)) return NAN;
            d_up = (-pair->slope * d - b * need) / determinant;
            d_down = (a * need + pair->slope * c) / determinant;
            if (!(down->lambda + d_down > pair->down->least)) {
                at_zero = 1;
                d_down = -down->lambda;
            }
        }
        double delta = up->lambda - down->lambda, way = fabs(d_up) + fabs(d_down);
        if (way < LAST_STEP * (delta - fitted)) return delta + d_up - d_down;
        lambda_up += between(d_up, -3.0, 3.0);
        lambda_down += between(d_down, -3.0, 3.0);
        if (!(lambda_up - lambda_down > fitted)) return NAN;
    }
    return NAN;
}

/* √(2(ℓ̂ − ℓ)) at a given δ. */
static double fall_at(Pairing *pair, double delta, double top) {
    return sqrt(most(2 * (top - best_common(pair, delta)), 0.0));
}

/* The limit beyond *inside* by Newton's method within a bracket, with the best common λ for each δ. */
static double bracketed_limit(Pairing *pair, double inside, double top, double root) {
    double outside = INFINITY, delta = inside + 0.5;
    for (int round = 0; round < ROUNDS; round++) {
        if (!(delta <= FARTHEST)) return INFINITY;
        double fall = fall_at(pair, delta, top);
        if (!(fabs(fall - root) > EXACT * root) || outside - inside < 1e-9) break;
        if (fall < root)
            inside = delta;
        else
            outside = delta;
        double rise = -pair->of_up.slope / most(fall, 1e-3);
        double next = delta + between((root - fall) / rise, -3.0, 3.0);
        if (!(next > inside && next < outside)) next = isfinite(outside) ? (inside + outside) / 2 : inside + 1.0;
        delta = next;
    }
    return delta;
}

static double log_ratio_of(double tau, double omega) {
    double level = -omega - (most(tau, 0.0) + log1p_of(exp(-fabs(tau))));
    return tau > LARGEST ? 0.0 : log1p_of(exp(least(level, 300.0)));
}

/* The standard error of λ near R = 1, by the information on ρ. */
static double even_spread(const Group *group) {
    return log1p_of(exp(-group->omega) / sqrt(most(group->of.table->pairs, 1.0)));
}

/* The standard error of λ by the curvature at the fit; if the fit is the binomial, that near R = 1. */
static double spread_of(const Group *group) {
    Side side = new_side();
    if (!(group->estimate > group->least)) return even_spread(group);
    move_to(group, group->estimate, &side);
    return side.bend < 0 ? 1 / sqrt(-side.bend) : 0.5;
}

/* There may be two such δ, since a likelihood can be flat between R = 1 and the fit: if the group whose λ decreases may
 * have R = 1, the search starts there, too. The farther δ is the limit, if no other λ have a higher likelihood there. It is
 * not below *known*, the limit without the wide maxima: with them, the likelihood is nowhere lower. */
static double limit(const Group *up, const Group *down, const double *spread, double root, double known) {
    double total = sqrt(spread[0] * spread[0] + spread[1] * spread[1]), top = up->top + down->top;
    double lambda_up = up->estimate + root * spread[0] * spread[0] / total;
    double lambda_down = down->estimate - root * spread[1] * spread[1] / total;
    double left = root * root - 2 * down->top; /* of 2(ℓ̂ − ℓ), if R_down = 1 */
    Pairing pair = new_pairing(up, down);
    double found = quick_limit(&pair, top, root, lambda_up, lambda_down);
    if (left > 0 && pair.of_down.lambda > down->least) {
        double other = quick_limit(&pair, top, root, up->estimate + sqrt(left) * spread[0], 0.0);
        if (!(found > other)) found = other;
    }
    if (!(found > known) && !isnan(known)) found = known;
    if (found == INFINITY) return found;
    if (!isfinite(found)) return bracketed_limit(&pair, up->estimate - down->estimate, top, root);
    return fall_at(&pair, found, top) > (1 - SAME) * root ? found : bracketed_limit(&pair, found, top, root);
}

/* Whether the wide maximum of a group may be the higher one for some λ up to *farthest*, where ℓ is less than *depth* below
 * its top. Below that it changes neither the statistic nor a limit. The likelihood where the search would start is known
 * after one evaluation, and mostly suffices to say no. */
static int wide_matters(const Group *group, double farthest, double depth) {
    const LengthTable *table = group->of.table;
    Group both = *group;
    both.wide = 1;
    for (int k = WIDE_LOOKS; k > 0; k--) {
        double lambda = farthest * k / WIDE_LOOKS, tau = wide_start(group, lambda);
        double omega = -log(expm1(most(lambda, group->least))) - log1p_of(exp(tau));
        if (!(gain(tau, omega, group->of.term, table->tokens, table->coefficients) > group->top - depth - WIDE_SLACK))
            continue;
        Side side = new_side();
        move_to(&both, lambda, &side);
        double enough = most(side.narrow.gain, group->top - depth) - WIDE_STEP; /* at λ in between it may be higher */
        if (fabs(side.narrow.s - side.wide.s) > APART && side.wide.gain > enough) return 1;
    }
    return 0;
}

/* *out* has the limits without the wide maxima, or NaN. */
static void compare_once(const Group *groups, double root, double *out) {
    const Group *a = groups, *b = groups + 1;
    Pairing pair = new_pairing(a, b);
    int equal = a->estimate == b->estimate; /* then both fits have a common ratio */
    out[0] = equal ? 0.0 : most(2 * (a->top + b->top - best_common(&pair, 0.0)), 0.0);
    if (!(root > 0)) return;
    double spread[3] = {spread_of(a), spread_of(b), 0.0};
    spread[2] = spread[0];
    out[1] = -limit(b, a, spread + 1, root, -out[1]);
    out[2] = limit(a, b, spread, root, out[2]);
}

/* Compares without the wide maxima, and again if one of them may matter. */
static void compare(Group *groups, double root, double *out) {
    out[1] = out[2] = NAN;
    compare_once(groups, root, out);
    double depth = most(out[0], root > 0 ? root * root : 0.0) / 2, farthest = 0.0;
    for (int g = 0; g < 2; g++) farthest = most(farthest, groups[g].estimate);
    for (int k = 1; k < 3; k++)
        if (root > 0 && isfinite(out[k])) farthest = most(farthest, fabs(out[k]));
    farthest = least(farthest + 1.0, FARTHEST);
    for (int g = 0; g < 2; g++) groups[g].wide = wide_matters(&groups[g], farthest, depth);
    if (!groups[0].wide && !groups[1].wide) return;
    double before = out[0];
    compare_once(groups, root, out);
    out[0] = least(out[0], before);
}

int32_t tb_burst_differences(const Cells *cells, const LengthTable *first, const LengthTable *second,
                             const DifferenceTask *task, const Room *room) {
    const LengthTable *tables[2] = {first, second};
    Term terms[2];
    if (cells->groups != 2) return TB_BAD_INDEX;
    for (int64_t k = 0; k < task->size; k++) {
        int64_t i = task->terms[k], used = 0;
        if (!is_term(cells, i)) return TB_BAD_INDEX;
        Group groups[2];
        for (int g = 0; g < 2; g++) {
            const int64_t *range = range_of(cells, g, i);
            int32_t status = gather(cells, range[0], range[1], room, &used, &terms[g]);
            if (status != TB_OK) return status;
            const double *fit = task->fits + 6 * i + 3 * g;
            const Profile of = {&terms[g], tables[g], 0.0, OF_RATIO};
            groups[g] = (Group){of, log_ratio_of(fit[0], fit[1]), fit[1], 0.0, fit[2], 0};
            groups[g].least = most(LEAST * least(even_spread(&groups[g]), 1.0), exp(-fit[1] - EVENEST));
        }
        compare(groups, task->roots[i], task->out + 3 * i);
    }
    return TB_OK;
}
