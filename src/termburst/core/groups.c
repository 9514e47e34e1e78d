#include "groups.h"
#include "special.h"

#define TOLERANCE 1e-8       /* of the last Newton step in τ */
#define SPACING 1.5          /* of the scan over τ */
#define FEW 30               /* documents with a term, up to which the profile over τ is scanned for a second maximum */
#define FARTHEST 12.0        /* of τ above log of the longest document: from there on the binomial's interval is used */
#define FARTHEST_RATIO 60.0  /* of the logarithm of a limit: beyond, it is infinite */
enum { ROUNDS = 60, ROWS = 6 };

/* The groups of a term, and how their precisions are tied: κ and v. */
typedef struct {
    Group *group;
    int64_t size;
    double kappa, middle;
} Model;

/* log α_0 of a group with logit π = ω, and its first and second derivative in ω. */
typedef struct {
    double tau, slope, bend;
} Bent;

static Bent bent(const Model *model, double tau, double omega) {
    Bent none = {tau, 0.0, 0.0};
    if (model->kappa == 0) return none;
    Share share = split(omega);
    double own = tau - model->kappa * (-fabs(omega) - 2 * log1p_of(exp(-fabs(omega))) - model->middle);
    if (own > LARGEST || own < SMALLEST) {
        none.tau = between(own, SMALLEST, LARGEST);
        return none;
    }
    Bent found = {own, -model->kappa * (share.rest - share.p), 2 * model->kappa * share.p * share.rest};
    return found;
}

/* Derivatives of the log-likelihood of one group in the shared τ and its own ω, by the chain rule. */
static Derivatives group_derivatives(const Model *model, int64_t g, double tau, double omega) {
    const Group *group = &model->group[g];
    Bent own = bent(model, tau, omega);
    Derivatives d = derivatives(own.tau, omega, &group->term, group->n, group->table, NULL);
    double across = d.tau_omega + own.slope * d.tau_tau;
    d.omega_omega += own.slope * (d.tau_omega + across) + own.bend * d.tau;
    d.tau_omega = across;
    d.omega += own.slope * d.tau;
    return d;
}

static double group_gain(const Model *model, int64_t g, double tau, double omega) {
    const Group *group = &model->group[g];
    return gain(bent(model, tau, omega).tau, omega, &group->term, group->n, group->table);
}

/* Whether the likelihood of a group depends on τ: not if all of its tokens are the term, or none. */
static int is_mixed(const Group *group) { return group->term.n_i > 0 && group->term.n_i < group->n; }

/* Moves ω to within *near* of the maximum at fixed τ. Returns the derivatives there. */
static Derivatives group_profile(const Model *model, int64_t g, double tau, double *omega, double near) {
    Derivatives d = {0};
    for (int round = 0; round < 100; round++) {
        d = group_derivatives(model, g, tau, *omega);
        double step = d.omega_omega < 0 ? -d.omega / d.omega_omega : copysign(1.0, d.omega);
        if (fabs(step) < near) break;
        *omega = between(*omega + between(step, -2.0, 2.0), -700.0, 36.0);
    }
    return d;
}

typedef struct {
    double slope, curvature;
} Slope;

/* Slope and curvature of the profile at τ. Moves ω to within *near* of its maximum in each group. */
static Slope slope_at(const Model *model, double tau, double *omega, double near) {
    Slope sum = {0.0, 0.0};
    for (int64_t g = 0; g < model->size; g++) {
        if (!is_mixed(&model->group[g])) continue;
        Derivatives d = group_profile(model, g, tau, &omega[g], near);
        sum.slope += d.tau - d.tau_omega * d.omega / d.omega_omega;
        sum.curvature += d.tau_tau - d.tau_omega * d.tau_omega / d.omega_omega;
    }
    return sum;
}

/* Σ_g ℓ_g(τ, ω_g) − ℓ_g,binomial, where the binomial of each group has its own mean. */
static double total_gain(const Model *model, double tau, const double *omega) {
    double total = 0.0;
    for (int64_t g = 0; g < model->size; g++)
        if (is_mixed(&model->group[g])) total += group_gain(model, g, tau, omega[g]);
    return total;
}

static void copy(const Model *model, const double *of, double *to) {
    for (int64_t g = 0; g < model->size; g++) to[g] = of[g];
}

/* Newton's method on the profile for the maximum between *low* (rising) and *high* (falling), without leaving them. */
static double climb(const Model *model, double tau, double *omega, double low, double high) {
    for (int round = 0; round < ROUNDS; round++) {
        Slope at = slope_at(model, tau, omega, 1e-4);
        if (at.slope > 0)
            low = tau;
        else
            high = tau;
        double step = at.curvature < 0 ? -at.slope / at.curvature : copysign(2.0, at.slope);
        step = between(step, -3.0, 3.0);
        if (!(low < tau + step && tau + step < high)) step = (low + high) / 2 - tau;
        tau += step;
        if (fabs(step) < TOLERANCE) break;
    }
    slope_at(model, tau, omega, 1e-2 * TOLERANCE);
    return tau;
}

/* The next maximum uphill from τ: the bracket widens until the slope changes sign; inf if it never does. *trial* is
 * scratch space. */
static double nearest_maximum(const Model *model, double tau, double *omega, double *trial) {
    double side = copysign(1.0, slope_at(model, tau, omega, 1e-4).slope), step = 0.25, other = tau;
    for (;;) {
        other += side * step;
        step *= 2;
        if (!(other <= LARGEST)) return INFINITY;
        if (other < SMALLEST) return NAN;
        copy(model, omega, trial);
        if (slope_at(model, other, trial, 1e-3).slope * side <= 0) break;
        tau = other;
        copy(model, trial, omega);
    }
    double low = side > 0 ? tau : other, high = side > 0 ? other : tau;
    return climb(model, (low + high) / 2, omega, low, high);
}

typedef struct {
    double tau, gain;
} BestFit;

/* The best τ of all maxima that a scan from large to small α_0 brackets, with its gain; inf if none has a gain. */
static BestFit scan(const Model *model, double *omega, double *trial, double *found, double mixed, int64_t longest) {
    BestFit best = {INFINITY, 0.0};
    double rarest = 1.0;
    copy(model, omega, trial);
    for (int64_t g = 0; g < model->size; g++) {
        const Group *group = &model->group[g];
        if (group->term.n_i > 0)
            rarest = most(rarest, most(group->term.largest, 1.0) * group->n / group->term.n_i);
    }
    double tau = log(most((double)longest, rarest)) + 2.0, above = LARGEST;
    int falling = 1;
    while (tau > SMALLEST) {
        double slope = slope_at(model, tau, trial, 1e-3).slope;
        if (slope > 0 && falling) {
            copy(model, trial, found);
            double at = climb(model, tau + least(above - tau, 2.0) / 2, found, tau, above);
            double value = total_gain(model, at, found);
            if (value > best.gain) {
                best.tau = at;
                best.gain = value;
                copy(model, found, omega);
            }
        }
        falling = slope <= 0;
        above = tau;
        if (slope > 0.5 * mixed) break;
        tau -= SPACING;
    }
    return best;
}

/* The best τ (inf for the binomial) with its gain. The first of the *rows* receives the logits of the groups.
 *
 * If the null model has an interior maximum (*start*, *omega_start*), the search goes uphill from there, so the result
 * is never worse; *start_gain* is the gain of that model over one binomial per group. The profile is scanned from large
 * to small α_0, as for one group, in three cases: there is no such maximum, the search ends below it, or there are so
 * few documents that groups may disagree on their precision. */
static BestFit fit_groups(const Model *model, double start, double start_gain, double omega_start, double mixed,
                       int64_t longest, double *rows) {
    double *omega = rows, *climbed = rows + model->size, *trial = rows + 2 * model->size;
    BestFit best = {INFINITY, 0.0};
    for (int64_t g = 0; g < model->size; g++) {
        double share = least(most(model->group[g].term.n_i, 1e-300) / model->group[g].n, 1 - 1e-16);
        omega[g] = log(share) - log1p(-share);
    }
    if (mixed == 0) return best;
    if (start < LARGEST) {
        for (int64_t g = 0; g < model->size; g++) climbed[g] = omega_start;
        best.tau = nearest_maximum(model, start, climbed, trial);
        if (best.tau < LARGEST) best.gain = total_gain(model, best.tau, climbed);
        if (!(best.gain > 0 && best.gain >= start_gain)) best = (BestFit){INFINITY, 0.0};
        double documents = 0.0;
        for (int64_t g = 0; g < model->size; g++) documents += model->group[g].term.documents;
        if (documents > FEW && (best.tau < LARGEST || start_gain <= 0)) {
            if (best.tau < LARGEST) copy(model, climbed, omega);
            return best;
        }
    }
    BestFit scanned = scan(model, omega, trial, rows + 3 * model->size, mixed, longest);
    if (!(best.gain > scanned.gain)) return scanned;
    copy(model, climbed, omega);
    return best;
}

/* Collects the cells of a term in each group. Returns the number of mixed documents. */
static int32_t gather_groups(const Cells *cells, const GroupLengths *lengths, int64_t term, const Room *room,
                             Model *model, double *mixed) {
    int64_t used = 0;
    double occurrences = 0.0, tokens = 0.0;
    *mixed = 0.0;
    if (!is_term(cells, term)) return TB_BAD_INDEX;
    for (int64_t g = 0; g < cells->groups; g++) {
        const int64_t *range = range_of(cells, g, term);
        Group *group = &model->group[g];
        int32_t status = gather(cells, range[0], range[1], room, &used, &group->term);
        if (status != TB_OK) return status;
        group->table = lengths->tables + g * PANELS * (DEGREE + 1) * 2;
        group->n = lengths->tokens[g];
        *mixed += group->term.mixed;
        occurrences += group->term.n_i;
        tokens += group->n;
    }
    double share = least(occurrences / tokens, 1 - 1e-16);
    model->middle = log(share) + log1p(-share);
    return TB_OK;
}

static int32_t has_room(const Cells *cells, const GroupRoom *room) {
    return room->size >= ROWS * cells->groups ? TB_OK : TB_NO_ROOM;
}

int32_t tb_fit_groups(const Cells *cells, const GroupLengths *lengths, const GroupFitTask *task, const Room *room,
                      const GroupRoom *group_room) {
    Model model = {group_room->groups, cells->groups, task->kappa, 0.0};
    int32_t status = has_room(cells, group_room);
    for (int64_t k = 0; k < task->size && status == TB_OK; k++) {
        int64_t i = task->terms[k];
        double mixed, *out = task->out + i * (2 + cells->groups);
        status = gather_groups(cells, lengths, i, room, &model, &mixed);
        if (status != TB_OK) return status;
        /* the τ that corresponds to α_0 of the null model */
        double start = 2 * task->tau[i] - bent(&model, task->tau[i], task->omega[i]).tau;
        BestFit best =
            fit_groups(&model, start, task->gain[i], task->omega[i], mixed, lengths->longest, group_room->rows);
        out[0] = best.tau;
        out[1] = best.gain;
        copy(&model, group_room->rows, out + 2);
    }
    return status;
}

/* log π/(1 − π) from log π. */
static double logit(double log_share) { return log_share - log(-expm1(log_share)); }

/* Two groups at a given log π_a/π_b: τ and ω of each, the log-likelihood's derivatives, and log π_b. */
typedef struct {
    const Model *model;
    double cap; /* the largest τ: if the likelihood still rises there, τ stays there */
    int own;    /* whether each group has its own precision */
    double tau[2], omega[2], start[2];
    double level;
} Two;

static double log_share(const Two *two, int g, double ratio) {
    return least(g == 0 ? two->level + ratio : two->level, -1e-12);
}

/* Maximise over τ and log π_b at a given log π_a/π_b, by Newton's method with bounded steps. */
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
        double move = curvature < 0 ? -slope / curvature : copysign(1.5, slope);
        if (free_curvature < 0) move = -free_slope / free_curvature;
        move = least(two->level + between(move, -1.5, 1.5), highest) - two->level;
        double moved = fabs(move);
        for (int g = 0; g < 2; g++) {
            double step = h_tt[g] < 0 ? -(g_t[g] + h_tl[g] * move) / h_tt[g] : copysign(1.0, g_t[g]);
            step = between(two->tau[g] + between(step, -1.0, 1.0), SMALLEST, two->cap) - two->tau[g];
            two->tau[g] += step;
            moved = most(moved, fabs(step));
        }
        two->level += move;
        if (moved < 1e-5) break; /* the likelihood is stationary: its error is of the order of the square */
    }
    for (int g = 0; g < 2; g++) two->omega[g] = most(logit(log_share(two, g, ratio)), -700.0);
}

/* √(2(ℓ̂ − ℓ(ratio))), almost linear in the ratio; *top* is ℓ̂.
 *
 * τ and level start from their values at the ratio *before*; the share of the group with more of the term changes
 * least. */
static double fall(Two *two, double before, double ratio, double top) {
    const Group *group = two->model->group;
    if (group[0].term.n_i > group[1].term.n_i) two->level += before - ratio;
    at_ratio(two, ratio);
    double reached = 0.0;
    for (int g = 0; g < 2; g++) reached += group_gain(two->model, g, two->tau[g], two->omega[g]);
    return sqrt(most(2 * (top - reached), 0.0));
}

/* The log ratio beyond *inside*, in the direction of *step*, where √(2 × fall) equals *root*; ±inf beyond ±60.
 *
 * The step doubles until the fall is large enough; then the Illinois variant of regula falsi finds the root. */
static double limit(Two *two, double inside, double step, double top, double root) {
    double at_inside = 0.0, outside, at_outside;
    for (int g = 0; g < 2; g++) two->tau[g] = two->start[g];
    for (;;) {
        outside = inside + step;
        if (!(fabs(outside) <= FARTHEST_RATIO)) return copysign(INFINITY, step);
        at_outside = fall(two, inside, outside, top);
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
    Model model = {group_room->groups, cells->groups, 0.0, 0.0};
    double mixed;
    int32_t status = cells->groups == 2 ? has_room(cells, group_room) : TB_BAD_INDEX;
    for (int64_t k = 0; k < task->size && status == TB_OK; k++) {
        int64_t i = task->terms[k];
        status = gather_groups(cells, lengths, i, room, &model, &mixed);
        if (status != TB_OK) return status;
        Two two = {.model = &model, .cap = log((double)lengths->longest) + FARTHEST, .own = task->own[i]};
        double before = begin(&two, task->fits + 5 * i);
        double fallen = fall(&two, before, 0.0, task->fits[5 * i + 2]);
        task->out[i] = fallen * fallen;
    }
    return status;
}

int32_t tb_ratio_limits(const Cells *cells, const GroupLengths *lengths, const RatioTask *task, const Room *room,
                        const GroupRoom *group_room) {
    Model model = {group_room->groups, cells->groups, 0.0, 0.0};
    double mixed;
    int32_t status = cells->groups == 2 ? has_room(cells, group_room) : TB_BAD_INDEX;
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
TB_LAYOUT(groups,
    TB_WHOLE(Group),
    TB_FIELD(Group, term),
    TB_FIELD(Group, table),
    TB_FIELD(Group, n),
    TB_WHOLE(GroupLengths),
    TB_FIELD(GroupLengths, tables),
    TB_FIELD(GroupLengths, tokens),
    TB_FIELD(GroupLengths, groups),
    TB_FIELD(GroupLengths, longest),
    TB_WHOLE(GroupRoom),
    TB_FIELD(GroupRoom, groups),
    TB_FIELD(GroupRoom, rows),
    TB_FIELD(GroupRoom, size),
    TB_WHOLE(GroupFitTask),
    TB_FIELD(GroupFitTask, terms),
    TB_FIELD(GroupFitTask, size),
    TB_FIELD(GroupFitTask, kappa),
    TB_FIELD(GroupFitTask, tau),
    TB_FIELD(GroupFitTask, gain),
    TB_FIELD(GroupFitTask, omega),
    TB_FIELD(GroupFitTask, out),
    TB_WHOLE(RatioTask),
    TB_FIELD(RatioTask, terms),
    TB_FIELD(RatioTask, size),
    TB_FIELD(RatioTask, kappa),
    TB_FIELD(RatioTask, own),
    TB_FIELD(RatioTask, fits),
    TB_FIELD(RatioTask, critical),
    TB_FIELD(RatioTask, out))
