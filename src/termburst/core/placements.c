#include "placements.h"

#include "burst_places.h"
#include "cholesky.h"

#define FARTHEST_PLACE 2.0 /* in units of the column */

enum { ROUNDS = 80 };

/* x̃: the column of the coefficient minus its projection on the other columns, weighted by the variance of the score. */
static int residual_column(const Design *design, Bursts *of) {
    int64_t groups = design->groups, columns = design->columns, size = columns - 1;
    double largest = 0.0;
    for (int64_t k = 0; k < size * size; k++) of->matrix[k] = 0.0;
    for (int64_t k = 0; k < size; k++) of->vector[k] = 0.0;
    for (int64_t g = 0; g < groups; g++) {
        const double *row = design->rows + g * columns;
        double weight = 0.0;
        for (int64_t k = 0; k < of->count; k++) {
            double rise = of->rise[k * groups + g];
            weight += of->times[k] * of->share[k * groups + g] * rise * rise;
        }
        for (int64_t k = 0; k < size; k++) {
            of->vector[k] += weight * row[k + 1] * row[0];
            for (int64_t l = 0; l <= k; l++) of->matrix[k * size + l] += weight * row[k + 1] * row[l + 1];
        }
    }
    for (int64_t k = 0; k < size; k++) largest = most(largest, of->matrix[k * size + k]);
    if (!(largest > 0) || !cholesky(of->matrix, size, 1e-11 * largest)) return 0;
    solve(of->matrix, size, of->vector);
    for (int64_t g = 0; g < groups; g++) {
        const double *row = design->rows + g * columns;
        of->column[g] = row[0];
        for (int64_t k = 0; k < size; k++) of->column[g] -= row[k + 1] * of->vector[k];
    }
    return 1;
}

/* Mean of T, its variance, and the variance if a document can have only one burst. */
typedef struct {
    double mean, variance, without;
} Moments;

static Moments moments(const Bursts *of, int64_t groups) {
    Moments found = {0};
    for (int64_t k = 0; k < of->count; k++) {
        const double *share = of->share + k * groups, *rise = of->rise + k * groups;
        double mean = 0.0;
        for (int64_t g = 0; g < groups; g++) mean += share[g] * of->column[g] * rise[g];
        for (int64_t g = 0; g < groups; g++) {
            double off = of->column[g] * rise[g] - mean;
            double part = of->times[k] * share[g] * off * off;
            found.variance += part;
            found.without += part * most(1 - of->expected[g] / most(of->held[g], 1.0), 0.0);
        }
        found.mean += of->times[k] * mean;
    }
    found.without *= of->documents / most(of->documents - 1, 1.0);
    return found;
}

/* How far apart places may be and still count as equal: a tenth of the standard deviation of one burst, in which no place
 * is farther than twice the unit of the column. Designs span one unit, but for a number with extreme values, whose unit is
 * what its other values span: without the bound they would all count as equal. */
static double nearness(const Bursts *of, int64_t groups) {
    double variance = 0.0;
    for (int64_t k = 0; k < of->count; k++) {
        const double *share = of->share + k * groups, *rise = of->rise + k * groups;
        double mean = 0.0, steepest = 0.0;
        for (int64_t g = 0; g < groups; g++) {
            mean += share[g] * between(of->column[g], -FARTHEST_PLACE, FARTHEST_PLACE) * rise[g];
            if (share[g] > 0) steepest = most(steepest, fabs(rise[g]));
        }
        for (int64_t g = 0; g < groups; g++) {
            double off = of->column[g] * rise[g] - mean, bound = FARTHEST_PLACE * steepest;
            off = between(off, -bound, bound);
            variance += of->times[k] * share[g] * off * off;
        }
    }
    return 0.1 * sqrt(variance / of->bursts);
}

/* The cumulant generating function of T at s, with its first two derivatives. */
typedef struct {
    double value, slope, bend;
} Cumulants;

static Cumulants cumulants(const Bursts *of, int64_t groups, double s) {
    Cumulants sum = {0};
    for (int64_t k = 0; k < of->count; k++) {
        const double *share = of->share + k * groups, *rise = of->rise + k * groups;
        double largest = -INFINITY, zero = 0.0, one = 0.0, two = 0.0;
        for (int64_t g = 0; g < groups; g++)
            if (share[g] > 0) largest = most(largest, s * of->column[g] * rise[g]);
        for (int64_t g = 0; g < groups; g++) {
            if (!(share[g] > 0)) continue;
            double y = of->column[g] * rise[g], p = share[g] * exp(s * y - largest);
            zero += p;
            one += p * y;
            two += p * y * y;
        }
        sum.value += of->times[k] * (largest + log(zero));
        sum.slope += of->times[k] * one / zero;
        sum.bend += of->times[k] * (two / zero - one / zero * (one / zero));
    }
    return sum;
}

/* The largest T (side 1) or the smallest (−1), and the logarithms of its probability and of the probability that every
 * burst is at least that far out, where values that differ by less than *same* count as equal (see `least_p`). One burst
 * after the other is put into a document that has none yet. */
typedef struct {
    double t, log_p, log_bound;
} End;

static End farthest(const Bursts *of, int64_t groups, double side, double same) {
    double taken = 0.0;
    End end = {0};
    for (int64_t k = 0; k < of->count; k++) {
        const double *share = of->share + k * groups, *rise = of->rise + k * groups;
        double best = -INFINITY, p = 0.0, near = 0.0;
        for (int64_t g = 0; g < groups; g++)
            if (share[g] > 0) best = most(best, side * of->column[g] * rise[g]);
        for (int64_t g = 0; g < groups; g++) {
            double off = best - side * of->column[g] * rise[g];
            if (share[g] > 0 && off < 1e-9 * (1 + fabs(best))) p += share[g];
            if (share[g] > 0 && off <= same) near += share[g];
        }
        end.t += side * of->times[k] * best;
        for (double m = 0; m < of->times[k]; m++, taken++) {
            double left = most(of->documents - taken, 1.0);
            end.log_p += log(between((p * of->documents - taken) / left, 1e-300, 1.0));
            end.log_bound += log(between((most(p, near) * of->documents - taken) / left, 1e-300, 1.0));
        }
    }
    return end;
}

/* The normal deviate of T = t by the saddlepoint with Barndorff-Nielsen's r*. */
static double deviate(const Bursts *of, int64_t groups, double t, Moments about) {
    double low = -INFINITY, high = INFINITY, s = (t - about.mean) / about.variance;
    Cumulants k = {0};
    if (fabs(t - about.mean) < 1e-6 * sqrt(about.variance)) return 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        k = cumulants(of, groups, s);
        if (fabs(k.slope - t) < 1e-10 * fabs(t - about.mean)) break; /* log(u/r)/r magnifies the error of s by 1/r */
        if (k.slope < t)
            low = s;
        else
            high = s;
        double next = k.bend > 0 ? s - (k.slope - t) / k.bend : s;
        double farthest_step = 2 * fabs(s) + 1 / sqrt(about.variance);
        next = between(next, s - farthest_step, s + farthest_step);
        if (!(next > low && next < high)) next = isinf(low) || isinf(high) ? 2 * s : (low + high) / 2;
        if (!(fabs(next) < 1e6 / sqrt(about.variance)) || fabs(next - s) <= 1e-15 * fabs(s)) break;
        s = next;
    }
    double r = copysign(sqrt(most(2 * (s * t - k.value), 0.0)), s), u = s * sqrt(most(k.bend, 0.0));
    if (fabs(r) < 1e-3 || !(u / r > 0)) return (t - about.mean) / sqrt(about.variance);
    return r + log(u / r) / r;
}

/* A lower bound of p: the probability that every burst is at least as far out as it is, one after the other into
 * documents that have none yet. Without it, tiny differences between design cells would pass for evidence if there are
 * only two or three bursts. */
static double least_p(const Cells *cells, const Design *design, const Bursts *of, int64_t term, double side,
                      double same) {
    int64_t groups = design->groups;
    const int64_t *range = range_of(cells, 0, term);
    double log_p = 0.0, taken = 0.0;
    for (int64_t j = range[0]; j < range[1] && log_p > -50; j++) {
        int64_t k = 0, own = design->group[j];
        while (k < of->count - 1 && of->sizes[k] < cells->count[j]) k++;
        const double *share = of->share + k * groups, *rise = of->rise + k * groups;
        double here = side * of->column[own] * rise[own], p = 0.0;
        for (int64_t g = 0; g < groups; g++)
            if (side * of->column[g] * rise[g] >= here - same) p += share[g];
        for (double m = 0; m < weight_of(cells, j) && log_p > -50; m++, taken++)
            log_p += log(between((p * of->documents - taken) / most(of->documents - taken, 1.0), 1e-300, 1.0));
    }
    return exp(log_p);
}

static void test_term(const Cells *cells, const Design *design, const LengthClasses *classes,
                      const PlacementTask *task, int64_t term, Bursts *of) {
    int64_t groups = design->groups;
    double *out = task->out + RESULTS * term, t = 0.0, widest = 0.0, spread = 0.0;
    for (int k = 0; k < RESULTS; k++) out[k] = NAN;
    if (!collect_bursts(cells, term, of)) return;
    if (!find_places(cells, design, classes, term, task->fits + term * (design->columns + 4), of)) return;
    leave_out(cells, design, term, of);
    if (!residual_column(design, of)) return;
    for (int64_t g = 0; g < groups; g++) {
        double square = of->column[g] * of->column[g];
        spread += of->expected[g] * square / of->bursts;
        if (of->expected[g] > 0) widest = most(widest, square);
    }
    Moments about = moments(of, groups);
    if (!(about.variance > 1e-12 * widest) || !(spread > 0)) {
        out[0] = 1.0; /* nothing can vary: all documents that could have the term are alike */
        out[1] = out[2] = 0.0;
        out[3] = out[4] = 1.0;
        return;
    }
    out[2] = of->bursts / (1 + widest / spread);
    out[3] = about.without / about.variance;
    if (!(out[2] < task->enough)) return;
    const int64_t *range = range_of(cells, 0, term);
    for (int64_t j = range[0]; j < range[1]; j++) {
        int64_t k = 0, g = design->group[j];
        while (k < of->count - 1 && of->sizes[k] < cells->count[j]) k++;
        t += weight_of(cells, j) * of->column[g] * of->rise[k * groups + g];
    }
    double root_at[2]; /* √(−2 log P) of the smallest and the largest T */
    double same = nearness(of, groups);
    out[4] = 1.0;
    for (int side = -1; side <= 1; side += 2) {
        End end = farthest(of, groups, side, same);
        root_at[side > 0] = sqrt(most(-2 * end.log_p, 0.0));
        out[4] = least(out[4], exp(end.log_bound));
        if ((end.t - t) * side > 1e-7 * sqrt(about.variance)) continue;
        out[0] = least(exp(end.log_p), 1.0); /* not half of it: so one document alone is never significant by chance */
        out[1] = side * INFINITY;
    }
    double bound = least_p(cells, design, of, term, t > about.mean ? 1.0 : -1.0, same);
    if (isinf(out[1])) {
        out[0] = most(out[0], bound);
        return;
    }
    double root = deviate(of, groups, t, about);
    out[1] = root / sqrt(between(out[3], 0.05, 1.0));
    out[0] = erfc(fabs(out[1]) / sqrt(2.0));
    if (fabs(out[1]) > root_at[root < 0]) out[0] /= 2; /* nothing on the other side is as improbable */
    out[0] = most(out[0], bound);
}

int32_t tb_placements(const Cells *cells, const Design *design, const LengthClasses *classes,
                      const PlacementTask *task, const PlacementRoom *room) {
    int64_t groups = design->groups, columns = design->columns;
    if (columns < 2 || mean_columns(design) < columns) return TB_BAD_INDEX;
    if (room->size < 2 * MOST_SIZES * groups + 3 * groups + columns * columns) return TB_NO_ROOM;
    for (int64_t g = 0; g < groups; g++)
        if (classes->starts[g] < 0 || classes->starts[g + 1] < classes->starts[g] ||
            classes->starts[g + 1] > classes->size)
            return TB_BAD_INDEX;
    Bursts of = {.count = 0};
    of.share = room->numbers;
    of.rise = of.share + MOST_SIZES * groups;
    of.column = of.rise + MOST_SIZES * groups;
    of.expected = of.column + groups;
    of.held = of.expected + groups;
    of.vector = of.held + groups;
    of.matrix = of.vector + columns - 1;
    for (int64_t k = 0; k < task->size; k++) {
        if (!is_term(cells, task->terms[k])) return TB_BAD_INDEX;
        const int64_t *range = range_of(cells, 0, task->terms[k]);
        for (int64_t j = range[0]; j < range[1]; j++)
            if (design->group[j] < 0 || design->group[j] >= groups) return TB_BAD_INDEX;
        test_term(cells, design, classes, task, task->terms[k], &of);
    }
    return TB_OK;
}
