#include "margin.h"

#include "random.h"

#define BEYOND 0.1 /* in units of the margin */

/* v·x_j, in four sums that do not wait for each other. */
TB_INLINE double product(const WeightRows *in, int64_t j, const double *pairs) {
    int64_t k = in->starts[j], end = in->starts[j + 1];
    double a = 0.0, b = 0.0, c = 0.0, d = 0.0;
    for (; k + 3 < end; k += 4) {
        a += pairs[2 * (int64_t)in->columns_of[k]] * in->weights[k];
        b += pairs[2 * (int64_t)in->columns_of[k + 1]] * in->weights[k + 1];
        c += pairs[2 * (int64_t)in->columns_of[k + 2]] * in->weights[k + 2];
        d += pairs[2 * (int64_t)in->columns_of[k + 3]] * in->weights[k + 3];
    }
    for (; k < end; k++) a += pairs[2 * (int64_t)in->columns_of[k]] * in->weights[k];
    return (a + b) + (c + d);
}

/* The rows with a cost, and Σ_i s_i x_ij² + 1 + 1/c_j of each, the second derivative of the dual. Returns their
 * number, or −1 if an index is out of range; indices of rows without a cost are not used. */
static int64_t begin(const WeightRows *in, const MarginProblem *problem, const MarginFit *fit) {
    int64_t used = 0;
    for (int64_t i = 0; i < in->columns; i++) fit->pairs[2 * i] = 0.0;
    for (int64_t j = 0; j < in->rows; j++) {
        fit->dual[j] = fit->square[j] = 0.0;
        if (!(problem->cost[j] > 0)) continue;
        if (in->starts[j] < 0 || in->starts[j + 1] < in->starts[j] || in->starts[j + 1] > in->cells) return -1;
        double total = 1.0 + 1.0 / problem->cost[j];
        for (int64_t k = in->starts[j]; k < in->starts[j + 1]; k++) {
            int64_t column = in->columns_of[k];
            if ((uint64_t)column >= (uint64_t)in->columns) return -1;
            total += fit->pairs[2 * column + 1] * in->weights[k] * in->weights[k];
        }
        fit->square[j] = total;
        fit->order[used++] = j;
    }
    return used;
}

/* The slope of the dual in the variable of one row. */
TB_INLINE double slope_of(const WeightRows *in, const MarginProblem *problem, const MarginFit *fit, int64_t j, double bias) {
    return problem->side[j] * (product(in, j, fit->pairs) + bias) - 1.0 + fit->dual[j] / problem->cost[j];
}

/* Exact minimisation over the dual variable of one row. Returns the violation of its optimality before. */
TB_INLINE double step(
    const WeightRows *in, const MarginProblem *problem, const MarginFit *fit, int64_t j, double slope, double *bias
) {
    double old = fit->dual[j], violation = old > 0 ? slope : least(slope, 0.0);
    if (!(fabs(violation) > 1e-12)) return 0.0;
    double now = most(old - slope / fit->square[j], 0.0), change = (now - old) * problem->side[j];
    fit->dual[j] = now;
    *bias += change;
    for (int64_t k = in->starts[j]; k < in->starts[j + 1]; k++) {
        double *pair = fit->pairs + 2 * (int64_t)in->columns_of[k];
        pair[0] += change * pair[1] * in->weights[k];
    }
    return fabs(violation);
}

/* One sweep over the active rows, in random order. Rows beyond their margin by more than *limit* become inactive.
 * Returns the largest violation. */
static double sweep_once(
    const WeightRows *in, const MarginProblem *problem, const MarginFit *fit, double limit, uint64_t *random,
    int64_t *active, double *bias
) {
    int64_t *order = fit->order, size = *active;
    double largest = 0.0;
    for (int64_t at = 0; at < size;) {
        int64_t other = at + (int64_t)(mixed(*random += GOLDEN) % (uint64_t)(size - at)), j = order[other];
        order[other] = order[at];
        order[at] = j;
        double slope = slope_of(in, problem, fit, j, *bias);
        if (fit->dual[j] == 0.0 && slope > limit) {
            order[at] = order[--size];
            order[size] = j;
            continue;
        }
        largest = most(largest, step(in, problem, fit, j, slope, bias));
        at++;
    }
    *active = size;
    return largest;
}

/* Coordinate descent in the dual (Hsieh et al., ICML 2008). A row whose dual variable is 0 and whose slope is above a
 * limit is left out until the others have converged; then all rows are looked at again. The limit is the violation of
 * the last sweep, as in liblinear, but at most BEYOND: in a class with few documents the violation stays large, while
 * nearly all rows are soon beyond their margin, and not to look at them saves most of the time. */
int32_t tb_margin(const WeightRows *in, const MarginProblem *problem, const MarginFit *fit) {
    int64_t used = begin(in, problem, fit), active = used;
    if (used < 0) return TB_BAD_INDEX;
    uint64_t random = (uint64_t)problem->seed;
    double bias = 0.0, limit = BEYOND, largest = 0.0, sweeps = 0.0;
    while (used > 0 && sweeps < (double)problem->sweeps) {
        int all = active == used;
        sweeps += (double)active / (double)used;
        largest = sweep_once(in, problem, fit, limit, &random, &active, &bias);
        int converged = !(largest > problem->tolerance);
        if (all && converged) break;
        limit = least(largest, BEYOND);
        if (!converged && active > 0) continue;
        active = used;
        limit = BEYOND;
    }
    fit->state[0] = bias;
    fit->state[1] = sweeps;
    fit->state[2] = largest;
    return TB_OK;
}
