#include "profiles.h"

#define DEPTH 10.0      /* below the maximum of the log-likelihood: negligible */
#define LEAST_TAU (-8.0)
#define NEAR 1e-3       /* of the last step in ω; its square is the error */
#define FINE 0.5        /* step of a profile, */
#define COARSE 1.0      /* and of one with few documents, or with more points than there is room for */
#define FEW 20.0
#define ASIDE 0.02      /* of the differences that give the third derivative */
#define MANY 400.0      /* bursts from which on skewness does not matter */
enum { ROUNDS = 60 };

int32_t gather_groups(const Cells *cells, const GroupLengths *lengths, int64_t term, const Room *room, Group *out) {
    int64_t used = 0;
    if (!is_term(cells, term)) return TB_BAD_INDEX;
    for (int64_t g = 0; g < cells->groups; g++) {
        const int64_t *range = range_of(cells, g, term);
        int32_t status = gather(cells, range[0], range[1], room, &used, &out[g].term);
        if (status != TB_OK) return status;
        out[g].table = lengths->tables + g * PANELS * (DEGREE + 1) * 2;
        out[g].n = lengths->tokens[g];
    }
    return TB_OK;
}

/* Whether a group has both the term and others. */
static int is_mixed(const Group *group) { return group->term.n_i > 0 && group->term.n_i < group->n; }

/* One point at τ; moves ω to the maximum there. A flat prior of logit π integrates π out: the term −½ log N π̂(1 − π̂) of
 * Laplace's method. (For a rare term it is constant. For a frequent one it is the degree of freedom that the mean costs:
 * Cox & Reid 1987, JRSS B 49.) */
static void set_point(const Group *group, double tau, double *omega, double *turn, int64_t node, SideProfile *out) {
    if (!is_mixed(group)) {
        out->height[node] = out->slope[node] = out->skew[node] = 0.0;
        out->omega[node] = group->term.n_i > 0 ? INFINITY : -INFINITY;
        out->log_size[node] = log(most(group->n - look_up(group->table, tau)[0], 1e-300));
        return;
    }
    Derivatives d = {0};
    double step = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        d = derivatives(tau, *omega, &group->term, group->n, group->table, NULL);
        step = d.omega_omega < 0 ? -d.omega / d.omega_omega : copysign(1.0, d.omega);
        if (fabs(step) < NEAR) break;
        *omega = between(*omega + between(step, -2.0, 2.0), -700.0, 36.0);
    }
    *turn = -d.tau_omega / d.omega_omega;
    Share share = split(*omega);
    double information = most(-d.omega_omega, 1e-300);
    out->height[node] = gain(tau, *omega, &group->term, group->n, group->table) + d.omega * step / 2;
    out->height[node] -= 0.5 * log(information);
    out->slope[node] = d.tau + d.tau_omega * step;
    out->omega[node] = *omega + step;
    out->log_size[node] = log(information) - log(share.p) - log(share.rest);
    out->skew[node] = 0.0;
    if (!(information < MANY)) return;
    double aside = *omega < 0 ? ASIDE : -ASIDE; /* towards ½, so that the complement has the mirrored value */
    Derivatives there = derivatives(tau, *omega + aside, &group->term, group->n, group->table, NULL);
    double third = (there.omega_omega - d.omega_omega) / aside;
    out->skew[node] = between(-third / information - (share.rest - share.p), -1.0, 1.0);
}

static void copy_point(const SideProfile *from, int64_t k, SideProfile *to, int64_t at) {
    to->height[at] = from->height[k];
    to->slope[at] = from->slope[k];
    to->omega[at] = from->omega[k];
    to->log_size[at] = from->log_size[k];
    to->skew[at] = from->skew[k];
}

/* The points from *middle* on in one direction, until the likelihood is negligible or the end is reached. */
static void walk(const Group *group, double width, int64_t middle, int64_t end, double omega, double *top,
                 SideProfile *out) {
    const int64_t way = end < middle ? -1 : 1;
    double turn = 0.0; /* dω/dτ along the profile */
    out->size = 0;
    for (int64_t k = middle; (end - k) * way >= 0 && out->size < NODES; k += way) {
        set_point(group, width * (double)k, &omega, &turn, out->size, out);
        omega += between(turn * width * (double)way, -1.0, 1.0);
        double height = out->height[out->size++];
        *top = most(*top, height);
        if (!(height > *top - DEPTH)) break;
    }
}

/* The slope of the profile where only π̂ was integrated out does not have that of the last term: added from neighbours. */
static void add_slope_of_information(const Group *group, SideProfile *out) {
    if (!is_mixed(group)) return;
    double information[NODES];
    for (int64_t k = 0; k < out->size; k++) {
        Share share = split(out->omega[k]);
        information[k] = out->log_size[k] + log(share.p) + log(share.rest);
    }
    for (int64_t k = 0; k < out->size; k++) {
        int64_t low = most_int(k - 1, 0), high = least_int(k + 1, out->size - 1);
        if (high > low)
            out->slope[k] -= 0.5 * (information[high] - information[low]) / (out->step * (double)(high - low));
    }
}

static void profile_with(const Group *group, double step, double start, double last_tau, SideProfile *out) {
    const int64_t lowest = (int64_t)ceil(LEAST_TAU / step), highest = (int64_t)ceil(last_tau / step);
    const int64_t middle = between_int((int64_t)rint(between(start, LEAST_TAU, last_tau) / step), lowest + 1, highest);
    double share = least(most(group->term.n_i, 1e-300) / group->n, 1 - 1e-16), top = -INFINITY;
    double omega = log(share) - log1p(-share);
    SideProfile up, down;
    walk(group, step, middle, highest, omega, &top, &up);
    walk(group, step, middle - 1, lowest, omega, &top, &down);
    /* points beyond one that is negligible, and the farthest ones if there are too many */
    while (up.size > 1 && up.height[up.size - 2] < top - DEPTH) up.size--;
    while (down.size > 1 && down.height[down.size - 2] < top - DEPTH) down.size--;
    if (up.size + down.size > NODES && step < COARSE) {
        profile_with(group, COARSE, start, last_tau, out);
        return;
    }
    while (up.size + down.size > NODES) {
        if (up.size > 1 && up.height[up.size - 1] <= down.height[down.size - 1])
            up.size--;
        else
            down.size--;
    }
    for (int64_t k = 0; k < down.size; k++) copy_point(&down, k, out, down.size - 1 - k);
    for (int64_t k = 0; k < up.size; k++) copy_point(&up, k, out, down.size + k);
    out->step = step;
    out->first = middle - down.size;
    out->size = up.size + down.size;
    add_slope_of_information(group, out);
}

/* `mixed` is the same for a term and its complement, and so is the profile. */
static void profile_of(const Group *group, double start, double last_tau, SideProfile *out) {
    profile_with(group, group->term.mixed < FEW ? COARSE : FINE, start, last_tau, out);
}

/* The slope at a point, from its neighbours; at an end from the only one. */
static double slope_at(const double *value, int64_t k, int64_t last) {
    int64_t low = most_int(k - 1, 0), high = least_int(k + 1, last);
    return high > low ? (value[high] - value[low]) / (double)(high - low) : 0.0;
}

ProfilePoint profile_at(const SideProfile *of, double tau) {
    double u = tau / of->step - (double)of->first, inside = between(u, 0.0, (double)(of->size - 1));
    int64_t k = between_int((int64_t)inside, 0, most_int(of->size - 2, 0)), next = least_int(k + 1, of->size - 1);
    double w = inside - (double)k, w_2 = w * w, w_3 = w_2 * w, over = u - inside;
    double at_0 = 2 * w_3 - 3 * w_2 + 1, at_1 = 1 - at_0, turn_0 = w_3 - 2 * w_2 + w, turn_1 = w_3 - w_2;
    double rise_0 = slope_at(of->log_size, k, of->size - 1), rise_1 = slope_at(of->log_size, next, of->size - 1);
    ProfilePoint at;
    at.height = at_0 * of->height[k] + at_1 * of->height[next];
    at.height += of->step * (turn_0 * of->slope[k] + turn_1 * of->slope[next]);
    at.height += of->step * over * (over > 0 ? of->slope[next] : of->slope[k]);
    at.log_size = at_0 * of->log_size[k] + at_1 * of->log_size[next] + turn_0 * rise_0 + turn_1 * rise_1;
    if (over < 0) at.log_size += over * rise_0;
    at.skew = of->skew[k] + w * (of->skew[next] - of->skew[k]);
    at.omega = of->omega[k];
    if (!isinf(at.omega)) {
        rise_0 = slope_at(of->omega, k, of->size - 1);
        rise_1 = slope_at(of->omega, next, of->size - 1);
        at.omega = at_0 * of->omega[k] + at_1 * of->omega[next] + turn_0 * rise_0 + turn_1 * rise_1;
    }
    return at;
}

int32_t tb_profiles(const Cells *cells, const GroupLengths *lengths, const SideProfileTask *task, const Room *room) {
    Group groups[2];
    const int64_t size = cells->groups;
    if (size > 2 || lengths->groups != size) return TB_BAD_INDEX;
    for (int64_t k = 0; k < task->size; k++) {
        int64_t i = task->terms[k];
        int32_t status = gather_groups(cells, lengths, i, room, groups);
        if (status != TB_OK) return status;
        for (int64_t g = 0; g < size; g++)
            profile_of(&groups[g], task->start[i], task->highest, &task->out[size * k + g]);
    }
    return TB_OK;
}
