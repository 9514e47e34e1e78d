#include "collocates.h"

#include "special.h"

enum { ROUNDS = 200, FEW = 32 }; /* up to FEW steps, a cell keeps probabilities; above, their logarithms */
enum { SMALL = 12 };             /* up to this number the limits are by exact tails; above, both have the mid-p */
static const double LARGEST_STEP = 2.0, LOG_2PI = 1.83787706640934548356;

/* The distribution of one word: for each cell the probabilities of 0, 1, …, steps[c] tokens above the smallest possible
 * number. `range` is the sum of all steps. */
typedef struct {
    const double *probability;
    const int64_t *steps;
    int64_t cells, range, lowest;
    double expected;
} Sum;

/* log E exp(θX), and the mean and the variance of X under exp(θX). */
typedef struct {
    double log_mean, mean, variance;
} Cumulants;

/* The probabilities of a hypergeometric number: `near` of `others` places, `count` tokens. Returns the largest number
 * minus the smallest one. */
static int64_t fill(double others, double near, double count, double *to) {
    int64_t low = (int64_t)most(0.0, count + near - others), high = (int64_t)least(count, near), steps = high - low;
    double far = others - near, fewer = least(count, near), p = 1.0;
    if (low > 0 || steps > FEW) {
        double last = log_choose(count, (double)low) + log_choose(others - count, near - (double)low);
        last -= log_choose(others, near);
        for (int64_t k = 0; k <= steps; k++) {
            double x = (double)(low + k);
            to[k] = steps > FEW ? last : exp(last);
            last += log((count - x) * (near - x) / ((x + 1) * (far - count + x + 1)));
        }
        return steps;
    }
    for (double k = 0; k < fewer; k++) p *= (others - most(count, near) - k) / (others - k);
    for (int64_t k = 0; k <= steps; k++) {
        double x = (double)k;
        to[k] = p;
        p *= (count - x) * (near - x) / ((x + 1) * (far - count + x + 1));
    }
    return steps;
}

/* Add log E exp(θX), mean and variance of a cell with few steps. Above θ = 0 the sums are in powers of exp(−θ), so that
 * nothing overflows. */
TB_INLINE void add_few(const double *p, int64_t steps, double theta, double tilt, double *product, Cumulants *sum) {
    double zero = 0.0, one = 0.0, two = 0.0;
    if (steps == 1) {
        double up = theta > 0 ? p[1] : p[1] * tilt, down = theta > 0 ? p[0] * tilt : p[0];
        double share = up / (up + down);
        *product *= up + down;
        sum->mean += share;
        sum->variance += share * (1 - share);
        return;
    }
    for (int64_t k = 0; k <= steps; k++) { /* Horner's scheme for Σ p_k t^k and its first two derivatives */
        double next = theta > 0 ? p[k] : p[steps - k];
        two = two * tilt + 2 * one;
        one = one * tilt + zero;
        zero = zero * tilt + next;
    }
    zero = most(zero, 1e-300);
    double mean = one * tilt / zero, square = (two * tilt + one) * tilt / zero;
    *product *= zero;
    sum->mean += theta > 0 ? (double)steps - mean : mean;
    sum->variance += most(square - mean * mean, 0.0);
}

/* The same for a cell with many steps, which keeps logarithms of probabilities. */
static void add_many(const double *log_p, int64_t steps, double theta, Cumulants *sum) {
    double largest = -INFINITY, zero = 0.0, one = 0.0, two = 0.0;
    for (int64_t k = 0; k <= steps; k++) largest = most(largest, log_p[k] + theta * (double)k);
    for (int64_t k = 0; k <= steps; k++) {
        double weight = exp(log_p[k] + theta * (double)k - largest);
        zero += weight;
        one += weight * (double)k;
        two += weight * (double)k * (double)k;
    }
    sum->log_mean += largest + log(zero);
    sum->mean += one / zero;
    sum->variance += most(two / zero - one / zero * (one / zero), 0.0);
}

static Cumulants cumulants(const Sum *x, double theta) {
    Cumulants sum = {0.0, 0.0, 0.0};
    const double *p = x->probability;
    double tilt = exp(-fabs(theta)), product = 1.0, shifts = 0.0;
    for (int64_t c = 0; c < x->cells; c++) {
        int64_t steps = x->steps[c];
        if (steps > FEW) {
            add_many(p, steps, theta, &sum);
        } else if (steps > 0) {
            add_few(p, steps, theta, tilt, &product, &sum);
            if (theta > 0) shifts += (double)steps;
            if (product < 1e-200) {
                sum.log_mean += log(most(product, 1e-300));
                product = 1.0;
            }
        }
        p += steps + 1;
    }
    sum.log_mean += log(product) + shifts * theta;
    return sum;
}

/* θ at which the mean of X is `target`, between 0 and the range, by Newton's method within a bracket. */
static double theta_at(const Sum *x, double target, double theta, Cumulants *there) {
    double low = -INFINITY, high = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        *there = cumulants(x, theta);
        double gap = target - there->mean, step = gap / most(there->variance, 1e-300);
        if (gap > 0) low = theta;
        else high = theta;
        double next = theta + between(step, -LARGEST_STEP, LARGEST_STEP);
        if (next <= low || next >= high) next = low + (high - low) / 2; /* both are finite here, or next is between */
        if (!(fabs(gap) > 1e-9 * sqrt(most(there->variance, 1e-300))) || !(fabs(next - theta) > 1e-13)) break;
        theta = next;
    }
    return theta;
}

/* A first value of θ for a mean: the exact one if all places have the same probability. */
static double first_theta(const Sum *x, double target) {
    double range = (double)x->range, mean = between(x->expected, 1e-12 * range, (1 - 1e-12) * range);
    return log(target) - log(range - target) - log(mean) + log(range - mean);
}

/* log(1 − Φ(r)). */
static double log_upper_normal(double r) {
    if (r < -5) return log1p(-erfc(-r / sqrt(2.0)) / 2);
    if (r < 35) return log(erfc(r / sqrt(2.0)) / 2);
    double y = 1 / (r * r);
    return -0.5 * r * r - log(r) - 0.5 * LOG_2PI + log1p(-y * (1 - 3 * y * (1 - 5 * y)));
}

/* log P(X ≥ at) for 0 < at ≤ range: the saddlepoint at at − ½, with u = 2 sinh(θ/2)·sd (the second continuity
 * correction of Daniels 1987), in the form Φ(−r*) of Barndorff-Nielsen. */
static double log_tail_near(const Sum *x, int64_t at) {
    double target = (double)at - 0.5;
    Cumulants there;
    double theta = theta_at(x, target, first_theta(x, target), &there);
    double r = copysign(sqrt(most(2 * (theta * target - there.log_mean), 0.0)), theta);
    if (fabs(r) < 0.02) { /* rounding would rule log(u/r)/r: take the mean of both sides, where it does not */
        double far = 0.1 / sqrt(there.variance), sum = 0.0;
        for (int side = -1; side <= 1; side += 2) {
            Cumulants beside = cumulants(x, theta + side * far);
            double t = theta + side * far, root = copysign(sqrt(most(2 * (t * beside.mean - beside.log_mean), 0.0)), t);
            double u = 2 * sinh(t / 2) * sqrt(beside.variance);
            sum += log(u / root) / root;
        }
        return log_upper_normal(r + sum / 2);
    }
    double u = 2 * sinh(theta / 2) * sqrt(there.variance);
    return log_upper_normal(r + log(u / r) / r);
}

/* Sum the probabilities: P(X = 0, …, at) in `state`, and P(X > at), which is returned. All terms are positive, so a
 * small tail is as exact as a large one. */
static double convolve(const Sum *x, int64_t at, double *state) {
    const double *p = x->probability;
    double above = 0.0, own[FEW + 1];
    for (int64_t j = 0; j <= at; j++) state[j] = j == 0;
    for (int64_t c = 0, filled = 0; c < x->cells; c++) {
        int64_t steps = x->steps[c];
        const double *q = p;
        p += steps + 1;
        if (steps == 0) continue;
        filled = least_int(filled + steps, at);
        if (steps == 1) {
            above += state[at] * q[1];
            for (int64_t j = filled; j > 0; j--) state[j] = state[j] * q[0] + state[j - 1] * q[1];
            state[0] *= q[0];
            continue;
        }
        for (int64_t k = 0; steps <= FEW && k <= steps; k++) own[k] = q[k];
        double beyond = 0.0;
        for (int64_t k = steps; k > 0; k--) {
            beyond += steps > FEW ? exp(q[k]) : own[k];
            if (at - k + 1 >= 0) above += state[at - k + 1] * beyond;
        }
        for (int64_t j = filled; j >= 0; j--) {
            double sum = 0.0;
            for (int64_t k = 0; k <= least_int(steps, j); k++) sum += (steps > FEW ? exp(q[k]) : own[k]) * state[j - k];
            state[j] = sum;
        }
    }
    return above;
}

/* The limit of θ on one side (−1 low, 1 high) for 0 < at < range: where r* of the estimate is ∓deviate. With
 * u = 2 tanh(θ/2)·sd, Φ(−r*) is the mean of P(X ≥ at) and P(X > at), both without shift: the mid-p. */
static double limit(const Sum *x, double at, double estimate, Cumulants there, double deviate, double side) {
    double sd = sqrt(most(there.variance, 1e-300)), theta = estimate + side * deviate / sd;
    for (int round = 0; round < ROUNDS; round++) {
        Cumulants now = cumulants(x, theta);
        double gap = estimate - theta;
        double r = -side * sqrt(most(2 * (gap * at - there.log_mean + now.log_mean), 1e-12));
        double corrected = r + log(2 * tanh(fabs(gap) / 2) * sd / fabs(r)) / r;
        double step = (corrected + side * deviate) * r / (at - now.mean); /* dr/dθ = −(at − mean)/r */
        if (!(fabs(step) < INFINITY)) break;
        step = between(step, -LARGEST_STEP, LARGEST_STEP);
        if ((theta + step - estimate) * side <= 0) step = (estimate - theta) / 2; /* stay on this side */
        theta += step;
        if (fabs(step) < 1e-7) break;
    }
    return theta;
}

/* log P(X = 0) (side 1) or log P(X = range) (side −1). */
static double log_end_of(const Sum *x, double side) {
    const double *p = x->probability;
    double sum = 0.0;
    for (int64_t c = 0; c < x->cells; c++) {
        int64_t steps = x->steps[c];
        double end = side > 0 ? p[0] : p[steps];
        if (steps) sum += steps > FEW ? end : log(end);
        p += steps + 1;
    }
    return sum;
}

/* The one limit of θ if X is 0 (side 1) or the whole range (side −1): where the probability of that is `log_tail`. */
static double limit_at_end(const Sum *x, double log_tail, double side) {
    double log_end = log_end_of(x, side), whole = side > 0 ? 0.0 : (double)x->range, theta = 0.0;
    for (int round = 0; round < 10 * ROUNDS; round++) {
        Cumulants now = cumulants(x, theta);
        double step = (log_end + whole * theta - now.log_mean - log_tail) / (now.mean - whole);
        if (!(fabs(step) < INFINITY))
            step = side * copysign(LARGEST_STEP, log_end + whole * theta - now.log_mean - log_tail);
        step = between(step, -LARGEST_STEP, LARGEST_STEP);
        theta += step;
        if (fabs(step) < 1e-9) break;
    }
    return theta;
}

/* The weight of P(X = x) in a tail, by the mean of X: as `weighted` of inference/collocates.py. */
static double tail_weight(double mean) { return between(1 - (mean - 1) / 8, 0.5, 1.0); }

/* log of the tail of `at` under exp(θX), upwards (side −1) or downwards (side 1). `state` has P(X = 0, …, at) at θ = 0, so
 * that P_θ(X = j) = P(X = j) exp(θj)/E exp(θX). */
static double log_exact_tail(const Sum *x, const double *state, int64_t at, double theta, double side) {
    Cumulants now = cumulants(x, theta);
    double below = 0.0, own = state[at] * exp(theta * (double)at - now.log_mean);
    for (int64_t j = 0; j < at; j++) below += state[j] * exp(theta * (double)j - now.log_mean);
    double w = tail_weight(now.mean + (double)x->lowest);
    double tail = side < 0 ? 1 - below - (1 - w) * own : below + w * own;
    return log(most(tail, 1e-300));
}

/* The limit of θ on one side where the tail that p is made of has the probability exp(log_tail), by the method of
 * Illinois from a first value. */
static double exact_limit(const Sum *x, const double *state, int64_t at, double from, double log_tail, double side) {
    double inner = from, outer = from, gap = log_exact_tail(x, state, at, from, side) - log_tail, out = gap;
    if (!(fabs(gap) < INFINITY)) return from;
    double away = gap > 0 ? side : -side; /* the tail falls away from the estimate */
    for (int round = 0; round < ROUNDS && (out > 0) == (gap > 0); round++) {
        inner = outer;
        gap = out;
        outer += away * 0.125 * (double)(round + 1);
        out = log_exact_tail(x, state, at, outer, side) - log_tail;
    }
    if ((out > 0) == (gap > 0)) return from;
    for (int round = 0; round < ROUNDS && fabs(outer - inner) > 1e-8; round++) {
        double next = outer - out * (outer - inner) / (out - gap);
        double value = log_exact_tail(x, state, at, next, side) - log_tail;
        if ((value > 0) == (out > 0)) gap /= 2;
        else {
            inner = outer;
            gap = out;
        }
        outer = next;
        out = value;
        if (fabs(value) < 1e-10) break;
    }
    return outer;
}

static void estimate(const Sum *x, int64_t w, int64_t at, const double *state, const Attraction *out) {
    double range = (double)x->range, shrunk = ((double)at + 0.5) / (range + 1) * range;
    Cumulants there;
    double theta = theta_at(x, shrunk, first_theta(x, shrunk), &there);
    out->theta[w] = theta;
    if (at > 0 && at < x->range) {
        double best = theta_at(x, (double)at, theta, &there);
        out->low[w] = limit(x, (double)at, best, there, out->deviate, -1.0);
        out->high[w] = limit(x, (double)at, best, there, out->deviate, 1.0);
        if (state && at <= SMALL && out->log_tail > -18) { /* 1 minus a sum has no smaller tails */
            out->low[w] = exact_limit(x, state, at, out->low[w], out->log_tail, -1.0);
            out->high[w] = exact_limit(x, state, at, out->high[w], out->log_tail, 1.0);
        }
    } else {
        out->low[w] = at == 0 ? -INFINITY : limit_at_end(x, out->log_tail, -1.0);
        out->high[w] = at == 0 ? limit_at_end(x, out->log_tail, 1.0) : INFINITY;
    }
}

/* The probabilities of all cells of a word. */
static int32_t sum_of(const Windows *windows, const WordCells *words, int64_t w, const AttractionRoom *room, Sum *x) {
    int64_t from = words->starts[w], to = words->starts[w + 1], used = 0;
    if (from < 0 || to < from || to > words->cells) return TB_BAD_INDEX;
    if (to - from > room->cells) return TB_NO_ROOM;
    *x = (Sum){room->probability, room->steps, to - from, 0, 0, 0.0};
    for (int64_t c = from; c < to; c++) {
        int64_t d = words->document[c], count = words->count[c];
        if (d < 0 || d >= windows->documents) return TB_BAD_INDEX;
        int64_t others = windows->others[d], near = windows->near[d];
        if (count < 1 || near < 0 || near > others || count > others) return TB_BAD_CELL;
        if (count + 1 > room->size - used) return TB_NO_ROOM;
        double *p = room->probability + used;
        int64_t steps = fill((double)others, (double)near, (double)count, p);
        room->steps[c - from] = steps;
        x->range += steps;
        x->lowest += most_int(0, count + near - others);
        x->expected += (double)count * (double)near / (double)others;
        used += steps + 1;
    }
    return TB_OK;
}

int32_t tb_attraction(const Windows *windows, const WordCells *words, const Attraction *out,
                      const AttractionRoom *room) {
    for (int64_t w = 0; w < words->words; w++) {
        Sum x;
        int32_t status = sum_of(windows, words, w, room, &x);
        if (status != TB_OK) return status;
        int64_t at = words->observed[w] - x.lowest;
        if (at < 0 || at > x.range) return TB_BAD_CELL;
        out->expected[w] = x.expected;
        out->log_p[w] = 0.0;
        out->log_above[w] = -INFINITY;
        out->exact[w] = 1;
        out->theta[w] = out->low[w] = out->high[w] = NAN;
        if (x.range == 0) continue;
        x.expected -= (double)x.lowest; /* from here on, X is the number above the smallest possible one */
        double steps = (double)(at + 1) * (double)(x.cells + x.range);
        if (steps <= out->most && at < room->states) {
            double above = convolve(&x, at, room->state);
            out->log_above[w] = log(above);
            if (at > 0) out->log_p[w] = least(log(above + room->state[at]), 0.0);
        } else {
            out->exact[w] = 0;
            if (at > 0) out->log_p[w] = log_tail_near(&x, at);
            if (at < x.range) out->log_above[w] = log_tail_near(&x, at + 1);
        }
        out->theta[w] = 0.0;
        if (out->effects) estimate(&x, w, at, out->exact[w] ? room->state : NULL, out);
    }
    return TB_OK;
}
