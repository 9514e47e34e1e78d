#include "ratios.h"
#include "special.h"

#define FARTHEST 12.0       /* of τ above log of the longest document: from there on the binomial's interval is used */
#define EVEN 9.0            /* below that: nearly binomial, but τ can still go either way */
#define BURSTY 15.0         /* below that: bursty */
#define FARTHEST_RATIO 60.0 /* of the logarithm of a limit: beyond, it is infinite */
enum { ROUNDS = 60, UNGUARDED = 8, HALVINGS = 30, STARTS = 5 };

/* log π/(1 − π) from log π. */
static double logit(double log_share) { return log_share - log(-expm1(log_share)); }

/* Two groups at a given log π_a/π_b: τ and ω of each, the log-likelihood's derivatives, and log π_b. */
typedef struct {
    const GroupModel *model;
    double cap; /* the largest τ: if the likelihood still rises there, τ stays there */
    int own;    /* whether each group has its own precision */
    int careful; /* whether to look for other maxima at each ratio */
    double tau[2], omega[2], start[2];
    double level;
} Two;

static double log_share(const Two *two, int g, double ratio) {
    return least(g == 0 ? two->level + ratio : two->level, -1e-12);
}

/* The log-likelihood where the groups are now. */
static double gain_at(Two *two, double ratio) {
    double sum = 0.0;
    for (int g = 0; g < 2; g++) {
        two->omega[g] = most(logit(log_share(two, g, ratio)), -700.0);
        sum += group_gain(two->model, g, two->tau[g], two->omega[g]);
    }
    return sum;
}

/* Go by a step of the level and of each τ, or by a part of it that does not lower the log-likelihood. Return the largest
 * part of the step. */
static double go_uphill(Two *two, double ratio, double move, const double step[2]) {
    double level = two->level, tau[2] = {two->tau[0], two->tau[1]}, here = gain_at(two, ratio), part = 1.0;
    for (int halving = 0; halving < HALVINGS; halving++, part /= 2) {
        two->level = level + part * move;
        for (int g = 0; g < 2; g++) two->tau[g] = tau[g] + part * step[g];
        if (gain_at(two, ratio) >= here) break;
    }
    return part * most(fabs(move), most(fabs(step[0]), fabs(step[1])));
}

/* Maximise over τ and log π_b at a given log π_a/π_b, by Newton's method with bounded steps. If it has not ended after
 * some rounds, as it may if steps lead back and forth, no step may lower the log-likelihood. */
static void at_ratio(Two *two, double ratio) {
    double highest = -1e-6 - most(ratio, 0.0); /* largest level: a share must not exceed 1 */
    two->level = least(two->level, highest - 0.1); /* closer, steps would be so short that they seem to have converged */
    for (int round = 0; round < ROUNDS; round++) {
        double slope = 0.0, curvature = 0.0, g_t[2], h_tt[2], h_tl[2]; /* slope and curvature in the level */
        for (int g = 0; g < 2; g++) {
            two->omega[g] = most(logit(log_share(two, g, ratio)), -700.0);
            Derivatives d = group_derivatives(two->model, g, two->tau[g], two->omega[g]);
            Share share = split(two->omega[g]);
            g_t[g] = d.tau;
            h_tt[g] = d.tau_tau;
            h_tl[g] = d.tau_omega / share.rest;
            slope += d.omega / share.rest; /* dω/d log π = 1/(1 − π) */
            curvature += (d.omega_omega + d.omega * share.p) / (share.rest * share.rest);
        }
        if (!two->own) { /* one τ for both */
            g_t[0] = g_t[1] = g_t[0] + g_t[1];
            h_tt[0] = h_tt[1] = h_tt[0] + h_tt[1];
            h_tl[0] = h_tl[1] = h_tl[0] + h_tl[1];
        }
        double free_slope = slope, free_curvature = curvature; /* of the profile over the free τ */
        for (int g = 0; g < (two->own ? 2 : 1); g++) {
            if (h_tt[g] < 0 && (two->tau[g] < two->cap || g_t[g] < 0)) {
                free_slope -= h_tl[g] * g_t[g] / h_tt[g];
                free_curvature -= h_tl[g] * h_tl[g] / h_tt[g];
            }
        }
        double move = curvature < 0 ? -slope / curvature : copysign(1.5, slope), steps[2];
        if (round >= UNGUARDED) move = copysign(1.5, free_slope); /* the way up, whatever the curvature */
        if (free_curvature < 0) move = -free_slope / free_curvature;
        move = least(two->level + between(move, -1.5, 1.5), highest) - two->level;
        for (int g = 0; g < 2; g++) {
            double step = h_tt[g] < 0 ? -(g_t[g] + h_tl[g] * move) / h_tt[g] : copysign(1.0, g_t[g]);
            steps[g] = between(two->tau[g] + between(step, -1.0, 1.0), SMALLEST, two->cap) - two->tau[g];
        }
        double moved = most(fabs(move), most(fabs(steps[0]), fabs(steps[1])));
        if (round >= UNGUARDED) {
            double whole = moved;
            const double none[2] = {0.0, 0.0};
            moved = go_uphill(two, ratio, move, steps);
            if (moved < 1e-5 && whole >= 1e-5) { /* shortened steps may lead down together; one by one they lead up */
                double level = curvature < 0 ? -slope / curvature : copysign(1.5, slope), tau[2];
                level = least(two->level + between(level, -1.5, 1.5), highest) - two->level;
                for (int g = 0; g < 2; g++) {
                    double step = h_tt[g] < 0 ? -g_t[g] / h_tt[g] : copysign(1.0, g_t[g]);
                    tau[g] = between(two->tau[g] + between(step, -1.0, 1.0), SMALLEST, two->cap) - two->tau[g];
                }
                moved = go_uphill(two, ratio, level, none);
                moved = most(moved, go_uphill(two, ratio, 0.0, tau));
            }
        } else {
            two->level += move;
            for (int g = 0; g < 2; g++) two->tau[g] += steps[g];
        }
        if (moved < 1e-5) break; /* the likelihood is stationary: its error is of the order of the square */
    }
}

/* √(2(ℓ̂ − ℓ(ratio))), almost linear in the ratio; *top* is ℓ̂.
 *
 * τ and level start from their values at the ratio *before*; the share of the group with more of the term changes
 * least. */
static double fall(Two *two, double before, double ratio, double top) {
    const Group *group = two->model->group;
    if (group[0].term.n_i > group[1].term.n_i) two->level += before - ratio;
    at_ratio(two, ratio);
    return sqrt(most(2 * (top - gain_at(two, ratio)), 0.0));
}

/* The same as *known*, or less if a start of τ at its estimate, next to the binomial or far from it leads to a higher
 * maximum. There are sometimes several, and which one is the highest changes with the ratio. */
static double least_fall(Two *two, double ratio, double top, double known) {
    const Two found = *two;
    const double bursty = found.cap - BURSTY, even = found.cap - EVEN, *start = found.start;
    const double starts[STARTS][2] = {{start[0], start[1]}, {even, even}, {bursty, bursty}, {start[0], even}, {even, start[1]}};
    for (int k = 0; k < (found.own ? STARTS : 3); k++) {
        Two other = found;
        for (int g = 0; g < 2; g++) other.tau[g] = starts[k][g];
        double value = fall(&other, ratio, ratio, top);
        if (value >= known - 1e-6) continue;
        known = value;
        *two = other;
    }
    return known;
}

/* The log ratio beyond *inside*, where √(2 × fall) is *at_inside*, in the direction of *step*, where it equals *root*;
 * ±inf beyond ±60.
 *
 * The step doubles until the fall is large enough; then the Illinois variant of regula falsi finds the root. */
static double crossing(Two *two, double inside, double at_inside, double step, double top, double root) {
    double outside, at_outside;
    for (;;) {
        outside = inside + step;
        if (!(fabs(outside) <= FARTHEST_RATIO)) return copysign(INFINITY, step);
        at_outside = fall(two, inside, outside, top);
        if (two->careful) at_outside = least_fall(two, outside, top, at_outside);
        if (at_outside >= root) break;
        inside = outside;
        at_inside = at_outside;
        step *= 2;
    }
    double low = at_inside - root, high = at_outside - root, middle = outside, before = outside;
    int side = 0;
    for (int round = 0; round < ROUNDS; round++) {
        middle = (inside * high - outside * low) / (high - low);
        double value = fall(two, before, middle, top) - root;
        if (two->careful) value = least_fall(two, middle, top, value + root) - root;
        before = middle;
        if (fabs(value) < 1e-5 * root || fabs(outside - inside) < 1e-9) break;
        if (value > 0) {
            outside = middle;
            high = value;
            if (side == 1) low /= 2;
            side = 1;
        } else {
            inside = middle;
            low = value;
            if (side == -1) high /= 2;
            side = -1;
        }
    }
    return middle;
}

/* The same from the maximum. If another maximum is higher at the limit, the search goes on from it, with more care. */
static double limit(Two *two, double ratio, double step, double top, double root) {
    double value = 0.0;
    two->careful = 0;
    for (int g = 0; g < 2; g++) two->tau[g] = two->start[g];
    for (;;) {
        ratio = crossing(two, ratio, value, step, top, root);
        if (two->careful || isinf(ratio)) return ratio;
        value = least_fall(two, ratio, top, root);
        if (value > root * (1 - 1e-4)) return ratio;
        two->careful = 1;
    }
}

/* log π_a/π_b at the maximum, with τ, ω and the level. If a share is 0 or 1, the search starts close to it. */
static double begin(Two *two, const double *fit) {
    double share[2];
    for (int g = 0; g < 2; g++) {
        const Group *group = &two->model->group[g];
        double omega = fit[3 + g];
        share[g] = group->term.n_i > 0 ? log(split(omega).p) : log(1e-3 / group->n);
        if (group->term.n_i == group->n) {
            share[g] = log1p(-1e-3 / group->n);
            omega = logit(share[g]);
        }
        two->tau[g] = two->start[g] = least(fit[g], two->cap);
        two->omega[g] = omega;
    }
    two->level = share[1];
    return share[0] - share[1];
}

int32_t tb_ratios(const Cells *cells, const GroupLengths *lengths, const RatioTask *task, const Room *room,
                  const GroupRoom *group_room) {
    GroupModel model = {group_room->groups, cells->groups, 0.0, 0.0};
    double mixed;
    int32_t status = cells->groups == 2 ? has_group_room(cells, group_room) : TB_BAD_INDEX;
    for (int64_t k = 0; k < task->size && status == TB_OK; k++) {
        int64_t i = task->terms[k];
        status = gather_groups(cells, lengths, i, room, &model, &mixed);
        if (status != TB_OK) return status;
        Two two = {.model = &model, .cap = log((double)lengths->longest) + FARTHEST, .own = task->own[i]};
        double before = begin(&two, task->fits + 5 * i), top = task->fits[5 * i + 2];
        double fallen = fall(&two, before, 0.0, top);
        fallen = least_fall(&two, 0.0, top, fallen);
        task->out[i] = fallen * fallen;
    }
    return status;
}

int32_t tb_ratio_limits(const Cells *cells, const GroupLengths *lengths, const RatioTask *task, const Room *room,
                        const GroupRoom *group_room) {
    GroupModel model = {group_room->groups, cells->groups, 0.0, 0.0};
    double mixed;
    int32_t status = cells->groups == 2 ? has_group_room(cells, group_room) : TB_BAD_INDEX;
    for (int64_t k = 0; k < task->size && status == TB_OK; k++) {
        int64_t i = task->terms[k];
        status = gather_groups(cells, lengths, i, room, &model, &mixed);
        if (status != TB_OK) return status;
        const Group *group = model.group;
        if (group[0].term.n_i + group[1].term.n_i == group[0].n + group[1].n) continue;
        Two two = {.model = &model, .cap = log((double)lengths->longest) + FARTHEST, .own = task->own[i]};
        model.kappa = two.own ? 0.0 : task->kappa;
        double ratio = begin(&two, task->fits + 5 * i), level = two.level, variance = 0.0;
        for (int g = 0; g < 2; g++) {
            if (!(group[g].term.n_i > 0)) continue;
            Derivatives d = group_derivatives(&model, g, two.tau[g], two.omega[g]);
            double rest = split(two.omega[g]).rest;
            variance += rest * rest / most(-d.omega_omega, 1e-3);
        }
        double root = sqrt(task->critical[i]), step = between(sqrt(task->critical[i] * variance), 1e-3, 5.0);
        for (int side = 0; side < 2; side++) {
            if (!(group[side].term.n_i > 0)) continue;
            two.level = level;
            task->out[2 * i + side] = limit(&two, ratio, side ? step : -step, task->fits[5 * i + 2], root);
        }
    }
    return status;
}

/* clang-format off */
TB_LAYOUT(ratios,
    TB_WHOLE(RatioTask),
    TB_FIELD(RatioTask, terms),
    TB_FIELD(RatioTask, size),
    TB_FIELD(RatioTask, kappa),
    TB_FIELD(RatioTask, own),
    TB_FIELD(RatioTask, fits),
    TB_FIELD(RatioTask, critical),
    TB_FIELD(RatioTask, out))
