#include "tails.h"
#include "special.h"

#define HUGE_WEIGHT 1e200                   /* above, weights are scaled down */
#define NEGLIGIBLE 2.319522830243569e-16 /* exp(−36): smaller weights, relative to the largest, are left out */

/* Four classes of documents at a tilt: log of the sum of the weights, mean and variance of the count, the share of
 * documents with the term, and the mean of log Γ(c). */
typedef struct {
    Lanes log_sum, mean, variance, held, repetition;
} ClassSums;

/* A count has the weight w_0 = 1, w_1 = m odds e^u e^{s·slope}, w_c = w_{c−1} · (m − c + 1) odds e^u · (c − 1)^{2s}/c.
 * The last factor is steps[c]. c goes up to m, rounded up, since m may be a mean length. */
static ClassSums class_sums(const TailTask *task, double n_i, Lanes length, double first_step, double growth,
                            const double *steps) {
    Lanes zero = {0.0}, none = lanes_of(1.0), scale = zero, z = zero, first = zero, second = zero, zr = zero;
    Lanes weight = lanes_of(first_step), left = length + 1.0, negligible = lanes_of(NEGLIGIBLE);
    LaneMask active = left > 0; /* a class ends when its weights are negligible */
    double longest = most(most(length[0], length[1]), most(length[2], length[3]));
    int64_t last = (int64_t)least(least(n_i, ceil(longest)), (double)(task->counts - 1));
    for (int64_t c = 1; c <= last; c++) {
        /* A step waits only for the previous weight and whether it was negligible; everything else is off this critical
         * path. */
        double count = (double)c;
        Lanes before = weight, rest = left - count, by = rest * growth * steps[c];
        active &= rest > 0;
        weight = lanes_where(active, weight * by, zero);
        z += weight;
        first += count * weight;
        second += count * count * weight;
        zr += task->log_gamma[c] * weight;
        if (c > 4) active &= ~((weight < negligible) & (weight < before));
        Lanes share = NEGLIGIBLE * weight; /* relative to the largest weight so far, for the next weight */
        negligible = lanes_where(share > negligible, share, negligible);
        if (!lanes_any(active)) break;
        LaneMask over = active & (weight > HUGE_WEIGHT);
        if (lanes_any(over)) {
            Lanes down = lanes_where(over, lanes_of(HUGE_WEIGHT), lanes_of(1.0));
            scale += lanes_where(over, lanes_of(log(HUGE_WEIGHT)), zero);
            none /= down, negligible /= down, weight /= down, z /= down, first /= down, second /= down, zr /= down;
        }
    }
    Lanes whole = none + z, mean = first / whole;
    Lanes logs = {log(whole[0]), log(whole[1]), log(whole[2]), log(whole[3])};
    return (ClassSums){logs + scale, mean, second / whole - mean * mean, z / whole, zr / whole};
}

/* The null tilted by e^{s(slope·b + 2R)}; u is chosen so that the mean total is n_i. */
static Tilted tilted(const TailTask *task, int64_t tail, int64_t row, double slope, double start) {
    const double *steps = task->steps + row * task->counts;
    double n_i = task->n_i[tail], u = start, first_step = exp(task->tilts[row] * slope);
    Tilted found = {0};
    for (int round = 0; round < 80; round++) {
        double cumulant = 0.0, total = 0.0, square = 0.0, growth = task->odds[tail] * exp(u);
        found.b = found.r = 0.0;
        for (int64_t k = 0; k < task->classes; k += LANES) {
            ClassSums sums = class_sums(task, n_i, lanes_at(task->length + k), first_step, growth, steps);
            for (int lane = 0; lane < LANES; lane++) { /* in a fixed order: a few results depend on the last digits */
                double weight = task->weight[k + lane];
                cumulant += weight * sums.log_sum[lane];
                total += weight * sums.mean[lane];
                square += weight * sums.variance[lane];
                found.b += weight * sums.held[lane];
                found.r += weight * sums.repetition[lane];
            }
        }
        found.mass = cumulant;
        double step = (n_i - total) / square;
        if (fabs(step) < 1e-6) break;
        u += between(step, -1.0, 1.0);
    }
    found.mass -= u * n_i;
    found.u = u;
    return found;
}

int32_t tb_tilted(const TailTask *task, const TiltTask *tilt) {
    if (tilt->row < 0 || tilt->row >= task->size) return TB_BAD_INDEX;
    *tilt->out = tilted(task, 0, tilt->row, tilt->slope, tilt->start);
    return TB_OK;
}

/* The interval of an even grid that contains b. */
static int64_t stretch(const double *grid, int64_t size, double b) {
    return (int64_t)between((b - grid[0]) / (grid[1] - grid[0]), 0.0, (double)(size - 2));
}

static void tail_curve(const TailTask *task, int64_t tail) {
    const double *grid = task->grid + tail * task->grid_size, *base = task->base + tail * task->grid_size;
    double width = grid[1] - grid[0], b = task->start_b[tail];
    Tilted here = {0};
    for (int64_t k = 0; k < task->size; k++) {
        double s = task->tilts[k], slope = 0.0;
        for (int round = 0; round < 6; round++) {
            int64_t at = stretch(grid, task->grid_size, b);
            slope = (base[at + 1] - base[at]) / width;
            here = tilted(task, tail, k, slope, here.u);
            double moved = fabs(here.b - b);
            b = here.b;
            if (moved < 1e-3 * (1 + b)) break;
        }
        int64_t at = stretch(grid, task->grid_size, b);
        double g = base[at] + (base[at + 1] - base[at]) * (b - grid[at]) / width;
        task->x[tail * task->size + k] = g + 2 * here.r;
        task->log_p[tail * task->size + k] = here.mass - s * (slope * b + 2 * here.r);
    }
}

int32_t tb_tail_curves(const TailTask *task) {
    for (int64_t tail = 0; tail < task->tails; tail++) tail_curve(task, tail);
    return TB_OK;
}

/* How many values of a sorted sample are at least *value*. */
static int64_t at_least(const double *sample, int64_t size, double value) {
    int64_t low = 0, left = size;
    while (left > 0) {
        int64_t half = left / 2;
        int below = sample[low + half] < value;
        low = below ? low + half + 1 : low;
        left = below ? left - half - 1 : half;
    }
    return size - low;
}

static double near_to(const ReachTask *task, double value) { return task->tie * (1 + fabs(value)); }

int32_t tb_reach(const ReachTask *task) {
    int64_t draws = task->draws;
    for (int64_t row = 0; row < task->rows; row++) {
        const double *sample = task->sample + row * draws;
        double anchor = sample[draws - task->top];
        int64_t reached = at_least(sample, draws, anchor - near_to(task, anchor));
        int64_t above = at_least(sample, draws, anchor + near_to(task, anchor));
        if (2 * above < reached) {
            anchor = sample[draws - (above >= task->few ? above : 1)];
            reached = at_least(sample, draws, anchor - near_to(task, anchor));
        }
        task->anchor[row] = anchor;
        task->at_least[row] = reached;
    }
    for (int64_t k = 0; k < task->size; k++) {
        int64_t row = task->row[k];
        if (row < 0 || row >= task->rows) return TB_BAD_INDEX;
        double value = task->observed[k];
        task->reached[k] = at_least(task->sample + row * draws, draws, value - near_to(task, value));
        task->exceeded[k] = at_least(task->sample + row * draws, draws, value + near_to(task, value));
    }
    return TB_OK;
}

/* The slope at an end of a cubic, from the two intervals next to it; never positive. */
static double end_slope(double width, double next, double chord, double next_chord) {
    return least(((2 * width + next) * chord - width * next_chord) / (width + next), 0.0);
}

/* The slopes of a decreasing cubic at its points. */
static void cubic_slopes(const double *x, const double *y, int64_t size, double *slope) {
    for (int64_t k = 1; k + 1 < size; k++) {
        double before = x[k] - x[k - 1], after = x[k + 1] - x[k];
        double chord = (y[k] - y[k - 1]) / before, next = (y[k + 1] - y[k]) / after;
        slope[k] = 3 * (before + after) / ((2 * after + before) / chord + (after + 2 * before) / next);
        if (k == 1) slope[0] = end_slope(before, after, chord, next);
        if (k + 2 == size) slope[size - 1] = end_slope(after, before, next, chord);
    }
}

int32_t tb_falling_cubics(const CubicTask *task) {
    int64_t before = -1;
    double *x = task->room, *slope = task->room + task->columns;
    for (int64_t k = 0; k < task->values; k++) {
        int64_t row = task->row[k];
        if (row < 0 || row >= task->rows || task->size[row] < 3 || task->size[row] > task->columns) return TB_BAD_INDEX;
        int64_t size = task->size[row], at = 0;
        const double *y = task->y + row * task->columns;
        if (row != before) {
            for (int64_t q = 0; q < size; q++) x[q] = task->x[row * task->columns + q] + task->shift[row];
            cubic_slopes(x, y, size, slope);
            before = row;
        }
        double value = between(task->value[k], x[0], x[size - 1]);
        while (at < size - 2 && x[at + 1] <= value) at++;
        double width = x[at + 1] - x[at], chord = (y[at + 1] - y[at]) / width, t = value - x[at];
        double cubic = (slope[at] + slope[at + 1] - 2 * chord) / (width * width);
        double square = (3 * chord - 2 * slope[at] - slope[at + 1]) / width;
        task->out[k] = y[at] + t * (slope[at] + t * (square + t * cubic));
    }
    return TB_OK;
}

int32_t tb_one_document(const OneDocumentTask *task) {
    double *rate = task->room, *log_rate = task->room + task->classes;
    int64_t before = -1;
    for (int64_t e = 0; e < task->size; e++) {
        int64_t row = task->row[e];
        if (row < 0 || row >= task->rows) return TB_BAD_INDEX;
        if (row != before) {
            for (int64_t k = 0; k < task->classes; k++) {
                rate[k] = task->n_i[row] * task->length[k] / task->tokens;
                log_rate[k] = log(rate[k]);
            }
            before = row;
        }
        double share = task->n_i[row] / task->tokens, top = -INFINITY, total = 0.0;
        for (int64_t k = 0; k < task->classes; k++) {
            double middle = share * task->length[k], c = middle + sqrt(middle * middle + task->excess[e]);
            if (!(c <= task->length[k] && c > rate[k])) continue;
            double value = task->log_weight[k] + c * log_rate[k] - rate[k] - log_gamma(c + 1);
            if (value > top) {
                total = total * exp(top - value) + 1;
                top = value;
            } else {
                total += exp(value - top);
            }
        }
        task->log_p[e] = total > 0 ? top + log(total) : -INFINITY;
    }
    return TB_OK;
}
