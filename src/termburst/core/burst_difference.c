#include "burst_difference.h"
#include "special.h"

#define EXACT 1e-5     /* relative error of a root */
#define LEAST 1e-6     /* λ that is as good as 0 */
#define FARTHEST 60.0  /* of limits of δ: beyond, there is none */
enum { ROUNDS = 60 };

/* The two groups at their best λ for a given δ. */
typedef struct {
    Profile of[2];
    Best best[2];
    double estimate[2]; /* λ of each group's own fit */
    double omega[2];    /* logit of its mean */
    double slope[2];    /* of ℓ_g in λ_g */
    double common;      /* λ of the second group */
} TwoGroups;

/* Σ_g ℓ_g at λ_a = common + δ and λ_b = common; the slopes are stored. */
static double gain_of(TwoGroups *two, double common, double delta) {
    double total = 0.0;
    for (int g = 0; g < 2; g++) {
        double lambda = most(g == 0 ? common + delta : common, LEAST), odds = expm1(least(lambda, 300.0));
        double level = log(odds), grown = most(-two->omega[g] - level, 1e-3); /* log(1 + e^τ) if the mean stays */
        two->best[g].s = least(grown > 30 ? grown : log(expm1(grown)), LARGEST - 1);
        best_on(&two->of[g], level, &two->best[g]);
        two->slope[g] = two->best[g].slope * (1 + odds) / odds; /* d log(R − 1)/d log R = R/(R − 1) */
        total += two->best[g].gain;
    }
    two->common = common;
    return total;
}

/* The maximum over the common λ at a given δ: it is between those that each group prefers. The Illinois variant of regula
 * falsi finds where the slope changes its sign. */
static double best_common(TwoGroups *two, double delta) {
    double floor = most(0.0, -delta), one = most(two->estimate[0] - delta, floor), other = most(two->estimate[1], floor);
    double low = least(one, other), high = most(one, other), at_low, at_high, value;
    if (!(high - low > LEAST)) return gain_of(two, low, delta);
    value = gain_of(two, low, delta);
    at_low = two->slope[0] + two->slope[1];
    if (!(at_low > 0)) return value;
    value = gain_of(two, high, delta);
    at_high = two->slope[0] + two->slope[1];
    if (!(at_high < 0)) return value;
    int side = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double middle = (low * at_high - high * at_low) / (at_high - at_low);
        if (!(middle > low && middle < high)) middle = (low + high) / 2;
        value = gain_of(two, middle, delta);
        double slope = two->slope[0] + two->slope[1];
        if (!(fabs(slope) * (high - low) > 1e-7) || !(high - low > 1e-9)) break;
        if (slope > 0) {
            low = middle;
            at_low = slope;
            if (side == 1) at_high /= 2;
            side = 1;
        } else {
            high = middle;
            at_high = slope;
            if (side == -1) at_low /= 2;
            side = -1;
        }
    }
    return value;
}

/* The limit of δ beyond its estimate *inside*, in the direction of *step*. */
static double limit(TwoGroups *two, double inside, double step, double top, double root) {
    double outside = copysign(INFINITY, step), delta = inside + step;
    for (int round = 0; round < ROUNDS; round++) {
        if (!(fabs(delta) <= FARTHEST)) return copysign(INFINITY, step);
        double fall = sqrt(most(2 * (top - best_common(two, delta)), 0.0));
        if (!(fabs(fall - root) > EXACT * root) || fabs(outside - inside) < 1e-9) break;
        if (fall < root)
            inside = delta;
        else
            outside = delta;
        double rise = -two->slope[0] / most(fall, 1e-3); /* at the best λ, d/dδ is the slope of the first group */
        double next = delta + between((root - fall) / rise, -3.0, 3.0);
        int ahead = step > 0 ? next > inside && next < outside : next < inside && next > outside;
        if (!ahead) next = isfinite(outside) ? (inside + outside) / 2 : inside + 2 * step;
        delta = next;
    }
    return delta;
}

static double log_ratio_of(double tau, double omega) {
    double level = -omega - (most(tau, 0.0) + log1p_of(exp(-fabs(tau))));
    return tau > LARGEST ? 0.0 : log1p_of(exp(least(level, 300.0)));
}

static void compare(TwoGroups *two, const double *fit, double root, double *out) {
    double top = 0.0;
    for (int g = 0; g < 2; g++) {
        two->estimate[g] = log_ratio_of(fit[3 * g], fit[3 * g + 1]);
        two->omega[g] = fit[3 * g + 1];
        top += fit[3 * g + 2];
    }
    double estimate = two->estimate[0] - two->estimate[1];
    out[0] = most(2 * (top - best_common(two, 0.0)), 0.0);
    if (!(root > 0)) return;
    out[1] = limit(two, estimate, -0.5, top, root);
    out[2] = limit(two, estimate, 0.5, top, root);
}

int32_t tb_burst_differences(const Cells *cells, const LengthTable *first, const LengthTable *second,
                             const DifferenceTask *task, const Room *room) {
    const LengthTable *tables[2] = {first, second};
    Term terms[2];
    if (cells->groups != 2) return TB_BAD_INDEX;
    for (int64_t k = 0; k < task->size; k++) {
        int64_t i = task->terms[k], used = 0;
        if (!is_term(cells, i)) return TB_BAD_INDEX;
        TwoGroups two = {0};
        for (int g = 0; g < 2; g++) {
            const int64_t *range = range_of(cells, g, i);
            int32_t status = gather(cells, range[0], range[1], room, &used, &terms[g]);
            if (status != TB_OK) return status;
            two.of[g] = (Profile){&terms[g], tables[g], 0.0, OF_RATIO};
        }
        compare(&two, task->fits + 6 * i, task->roots[i], task->out + 3 * i);
    }
    return TB_OK;
}

/* clang-format off */
TB_LAYOUT(burst_difference,
    TB_WHOLE(DifferenceTask),
    TB_FIELD(DifferenceTask, terms),
    TB_FIELD(DifferenceTask, size),
    TB_FIELD(DifferenceTask, fits),
    TB_FIELD(DifferenceTask, roots),
    TB_FIELD(DifferenceTask, out))
