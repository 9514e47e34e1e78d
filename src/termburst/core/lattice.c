#include "lattice.h"

static const double CELL = 0.004;      /* smallest width of a cell of the lattice, in sd T */
static const double LONGEST = CELLS; /* largest documents × rows: beyond, one cell would be wider than the range of T */
static const double WHOLE = 48;        /* up to this number of documents, floats hold the exact number of assignments */

/* 1 if a sum is below t, ½ if it is equal. */
TB_INLINE double below(double sum, double t) { return sum < t - SAME ? 1.0 : sum <= t + SAME ? 0.5 : 0.0; }

/* log C(others, taken − k) by stratum, for k up to the documents held, up to a constant per stratum; −inf if
 * impossible. With `linear` its exponential, scaled so that the largest is 1. */
static void weigh_others(const Points *points, int64_t most_held, int linear) {
    for (int64_t s = 0; s < points->strata; s++) {
        const Stratum *stratum = points->by + s;
        double taken = stratum->taken, others = stratum->others, value = 0.0, top = -INFINITY;
        double *w = points->w + s * most_held;
        for (int64_t k = 0; k < most_held; k++) w[k] = -INFINITY;
        int64_t last = least_int((int64_t)taken, least_int((int64_t)stratum->held, most_held - 1));
        for (int64_t k = most_int((int64_t)(taken - others), 0); k <= last; k++) {
            w[k] = value;
            top = most(top, value);
            if ((double)k < taken) value += log(taken - (double)k) - log(others - taken + (double)k + 1);
        }
        for (int64_t k = 0; linear && k < most_held; k++) w[k] = exp(w[k] - top);
    }
}

/* How many documents of a point are in the first corpus, and whether the next step adds or removes one. */
typedef struct {
    double fallen, way;
} Turn;

/* Sums of the weights of outcomes, relative to exp(top). */
typedef struct {
    double total, below, above, top;
} Tails;

/* Two integers; the number of assignments changes by their ratio. */
typedef struct {
    double up, down;
} Ratio;

/* In a reflected Gray code the number of one point changes by one at a time. Returns the factor by which this changes
 * the number of assignments, C(m, fallen); 0 after the last outcome. */
TB_INLINE Ratio next_outcome(Points *points, Turn *turn, double *own_sum) {
    int64_t g = 0;
    for (; g < points->own; g++) {
        double next = turn[g].fallen + turn[g].way;
        if (0 <= next && next <= points->at[g].m) break;
        turn[g].way = -turn[g].way;
    }
    if (g == points->own) return (Ratio){0.0, 1.0};
    const Point *point = points->at + g;
    double fallen = turn[g].fallen, way = turn[g].way;
    turn[g].fallen = fallen + way;
    points->by[point->stratum].fallen += way > 0 ? 1 : -1;
    *own_sum += way * point->x;
    return way > 0 ? (Ratio){point->m - fallen, fallen + 1} : (Ratio){fallen, point->m - fallen + 1};
}

/* An outcome has k_g of the m_g documents of point g in the first corpus, k in total in a stratum. Its weight is
 * Π_g C(m_g, k_g) Π_strata C(others, taken − k). Strata without own points add a constant. */
static Tails sum_outcomes(double t, Points *points, int64_t most_held, double constant) {
    Turn turn[ENUMERATED];
    Tails tails = {0.0, 0.0, 0.0, 0.0};
    Ratio ratio = {1.0, 1.0};
    double ways = 1.0, own_sum = constant;
    for (int64_t g = 0; g < points->own; g++) turn[g] = (Turn){0.0, 1.0};
    for (; ratio.up > 0; ratio = next_outcome(points, turn, &own_sum)) {
        ways = ways * ratio.up / ratio.down;
        double weight = ways, sum = own_sum;
        for (int64_t g = 0, s = -1; g < points->own; g++) {
            if (points->at[g].stratum == s) continue;
            s = points->at[g].stratum;
            const Stratum *stratum = points->by + s;
            weight *= points->w[s * most_held + stratum->fallen];
            sum += (stratum->taken - (double)stratum->fallen) * stratum->mean;
        }
        tails.total += weight;
        tails.below += weight * below(sum, t);
        tails.above += weight * below(-sum, -t);
    }
    return tails;
}

/* The same in logarithms, relative to the largest weight so far. */
static Tails sum_many_outcomes(double t, Points *points, int64_t most_held, double constant) {
    Turn turn[ENUMERATED];
    Tails tails = {0.0, 0.0, 0.0, -INFINITY};
    Ratio ratio = {1.0, 1.0};
    double log_ways = 0.0, own_sum = constant;
    for (int64_t g = 0; g < points->own; g++) turn[g] = (Turn){0.0, 1.0};
    for (; ratio.up > 0; ratio = next_outcome(points, turn, &own_sum)) {
        log_ways += log(ratio.up / ratio.down);
        double log_weight = log_ways, sum = own_sum;
        for (int64_t g = 0, s = -1; g < points->own; g++) {
            if (points->at[g].stratum == s) continue;
            s = points->at[g].stratum;
            const Stratum *stratum = points->by + s;
            log_weight += points->w[s * most_held + stratum->fallen];
            sum += (stratum->taken - (double)stratum->fallen) * stratum->mean;
        }
        if (!(log_weight > -INFINITY)) continue;
        if (log_weight > tails.top) {
            double shrink = exp(tails.top - log_weight);
            tails = (Tails){tails.total * shrink, tails.below * shrink, tails.above * shrink, log_weight};
        }
        double weight = exp(log_weight - tails.top);
        tails.total += weight;
        tails.below += weight * below(sum, t);
        tails.above += weight * below(-sum, -t);
    }
    return tails;
}

double enumerated(double t, Points *points) {
    double held = 0.0, constant = 0.0;
    for (int64_t s = 0; s < points->strata; s++) {
        Stratum *stratum = points->by + s;
        stratum->others = stratum->mean = stratum->held = 0.0;
        stratum->fallen = 0;
    }
    for (int64_t k = 0; k < points->size; k++) {
        const Point *point = points->at + k;
        Stratum *stratum = points->by + point->stratum;
        if (k < points->own) {
            stratum->held += point->m;
            held += point->m;
        } else {
            stratum->others = point->m;
            stratum->mean = point->x;
        }
    }
    for (int64_t s = 0; s < points->strata; s++)
        if (points->by[s].held == 0) constant += points->by[s].taken * points->by[s].mean;
    int64_t most_held = (int64_t)held + 1;
    weigh_others(points, most_held, held <= WHOLE);
    Tails tails = held <= WHOLE ? sum_outcomes(t, points, most_held, constant)
                                : sum_many_outcomes(t, points, most_held, constant);
    return least(tails.below, tails.above) / tails.total;
}

/* Fill the strata for a lattice. Returns the variance of the scores of the other points, or −1 if T is in the middle of
 * a symmetric distribution.
 *
 * The lattice counts the documents on one side, with signed scores. This is the second corpus if it is the smaller one,
 * unless the choice saves nothing and T would need more cells. With t < 0 the lattice is made for −T of the other corpus;
 * the result must be the same. */
static double choose_sides(double t, const Points *points) {
    for (int64_t s = 0; s < points->strata; s++) {
        Stratum *stratum = points->by + s;
        stratum->held = stratum->others = stratum->mean = stratum->squares = 0.0;
    }
    for (int64_t k = 0; k < points->size; k++) {
        const Point *point = points->at + k;
        Stratum *stratum = points->by + point->stratum;
        if (k < points->own) {
            stratum->held += point->m;
        } else {
            stratum->others += point->m;
            stratum->mean += point->m * point->x;
        }
    }
    for (int64_t s = 0; s < points->strata; s++) points->by[s].mean /= most(points->by[s].others, 1.0);
    for (int64_t k = points->own; k < points->size; k++) {
        Stratum *stratum = points->by + points->at[k].stratum;
        double off = points->at[k].x - stratum->mean;
        stratum->squares += points->at[k].m * (off * off);
    }
    double variance = 0.0;
    int middle = fabs(t) <= SAME;
    for (int64_t s = 0; s < points->strata; s++) {
        Stratum *stratum = points->by + s;
        double others = stratum->others, held = stratum->held, documents = held + others;
        double side = t < 0 ? documents - stratum->taken : stratum->taken, sign = 1.0;
        middle = middle && 2 * side == documents;
        if (4 * side > 3 * documents || (2 * side > documents && held > least(documents - side, DEEPEST))) {
            side = documents - side;
            sign = -1.0;
        }
        double p = side / documents;
        stratum->documents = documents;
        stratum->side = side;
        stratum->sign = sign;
        stratum->p = p;
        stratum->depth = (int64_t)between(least(side, held), 0.0, DEEPEST);
        variance += stratum->squares * others / most(others - 1, 1.0) * p * (1 - p);
    }
    return middle ? -1.0 : variance;
}

/* By how much the own documents can lower and raise T, and T without them. */
typedef struct {
    double fall, rise, none;
} Range;

/* What each own document adds to T, written to x of the spare points; and the range of T. */
static Range increments(const Points *points) {
    for (int64_t s = 0; s < points->strata; s++) points->by[s].least = INFINITY;
    for (int64_t k = 0; k < points->own; k++) {
        Stratum *stratum = points->by + points->at[k].stratum;
        stratum->least = least(stratum->least, stratum->sign * points->at[k].x);
    }
    for (int64_t s = 0; s < points->strata; s++) {
        Stratum *stratum = points->by + s;
        /* without others k is fixed, and any score can stand for theirs: this one makes all sums increase */
        if (stratum->others == 0 && stratum->held > 0) stratum->mean = stratum->sign * stratum->least;
        stratum->least = stratum->most = stratum->falls = stratum->rises = 0.0;
    }
    for (int64_t k = 0; k < points->own; k++) {
        const Point *point = points->at + k;
        Stratum *stratum = points->by + point->stratum;
        double y = stratum->sign * (point->x - stratum->mean);
        points->spare[k].x = y;
        stratum->least = least(stratum->least, y);
        stratum->most = most(stratum->most, y);
        stratum->falls -= point->m * least(y, 0.0);
        stratum->rises += point->m * most(y, 0.0);
    }
    Range range = {0.0, 0.0, 0.0};
    for (int64_t s = 0; s < points->strata; s++) {
        const Stratum *stratum = points->by + s;
        range.fall += least(stratum->falls, -stratum->least * stratum->side);
        range.rise += least(stratum->rises, stratum->most * stratum->side);
        range.none += stratum->sign * stratum->side * stratum->mean;
    }
    return range;
}

/* The cells low to high − 1 of a row; all others are 0. */
typedef struct {
    int64_t low, high;
} Span;

TB_INLINE void scale(double *row, int64_t low, int64_t high, double factor) {
    for (int64_t c = low; c < high; c++) row[c] *= factor;
}

/* The row `to` ← stay × itself + near × the row `of` shifted by `jump` + far × the same shifted by one more. Mass that
 * would leave the row stays in the end cells, 0 and `last`. */
static void step(double *restrict to, Span *filled, const double *restrict of, Span from, int64_t last, int64_t jump,
                 double stay, double near, double far) {
    if (from.low >= from.high) {
        scale(to, filled->low, filled->high, stay);
        return;
    }
    int64_t first = least_int(most_int(from.low, -jump), from.high);
    int64_t end = most_int(least_int(from.high, last - jump), first);
    int64_t low = first + jump, high = end + jump; /* first and last cell that receive mass */
    if (first < end) {
        scale(to, filled->low, least_int(filled->high, low), stay);
        scale(to, most_int(filled->low, high + 1), filled->high, stay);
        double *shifted = to + low;
        const double *source = of + first;
        int64_t size = end - first;
        shifted[0] = stay * shifted[0] + near * source[0];
        for (int64_t c = 1; c < size; c++) shifted[c] = (stay * shifted[c] + near * source[c]) + far * source[c - 1];
        shifted[size] = stay * shifted[size] + far * source[size - 1];
    } else {
        scale(to, filled->low, filled->high, stay);
    }
    for (int64_t c = from.low; c < first; c++) to[0] += (near + far) * of[c];
    for (int64_t c = end; c < from.high; c++) to[last] += (near + far) * of[c];
    int64_t reach_low = most_int(from.low + jump, 0), reach_high = least_int(from.high + jump + 1, last + 1);
    reach_low = least_int(reach_low, last);
    reach_high = most_int(reach_high, 1);
    if (filled->low < filled->high) {
        reach_low = least_int(reach_low, filled->low);
        reach_high = most_int(reach_high, filled->high);
    }
    *filled = (Span){reach_low, reach_high};
}

/* Replace the binomial weight of k in each row by the hypergeometric one, and add all rows to the first. */
static void collect(double *w, Span *filled, int64_t cells, const Stratum *stratum) {
    double documents = stratum->documents, others = stratum->others, side = stratum->side, p = stratum->p;
    double of_all = log_ways_of(documents, side);
    Span all = filled[0];
    for (int64_t k = 0; k <= stratum->depth; k++) {
        double ratio = 0.0, in = (double)k, out = documents - others - in;
        double *row = w + k * cells;
        if (side - in >= 0 && side - in <= others) {
            double log_ratio = log_ways_of(others, side - in) - of_all;
            if (in > 0) log_ratio -= in * log(p);
            if (out > 0) log_ratio -= out * log1p(-p);
            ratio = exp(log_ratio);
        }
        if (k == 0) {
            scale(w, all.low, all.high, ratio);
            continue;
        }
        for (int64_t c = filled[k].low; c < filled[k].high; c++) {
            w[c] += row[c] * ratio;
            row[c] = 0.0;
        }
        if (filled[k].low < filled[k].high) {
            all.low = least_int(all.low, filled[k].low);
            all.high = most_int(all.high, filled[k].high);
        }
    }
    filled[0] = all;
}

/* The probabilities of the sums of y, to the first row of `cells`. Returns the range of filled cells. */
static Span convolve(const Points *points, int64_t cells, double cell, int64_t zero) {
    double *w = points->w;
    Span filled[DEEPEST + 1];
    int64_t first = 0;
    w[zero] = 1.0;
    filled[0] = (Span){zero, zero + 1};
    for (int64_t s = 0; s < points->strata; s++) {
        const Stratum *stratum = points->by + s;
        double p = stratum->p;
        int64_t depth = stratum->depth, inside = 0;
        for (int64_t k = 1; k <= depth; k++) filled[k] = (Span){0, 0};
        for (; first < points->own && points->at[first].stratum == s; first++) {
            if (depth == 0) continue; /* then p is 0 */
            double y = points->spare[first].x / cell;
            double whole = between(floor(y), -(double)SPACE, (double)SPACE), far = p * (y - whole);
            int64_t jump = (int64_t)whole, times = (int64_t)points->at[first].m;
            for (int64_t i = 0; i < times; i++) {
                inside = least_int(inside + 1, depth);
                for (int64_t k = inside; k > 0; k--)
                    step(w + k * cells, &filled[k], w + (k - 1) * cells, filled[k - 1], cells - 1, jump, 1 - p, p - far,
                         far);
                scale(w, filled[0].low, filled[0].high, 1 - p);
            }
        }
        collect(w, filled, cells, stratum);
    }
    return filled[0];
}

/* The smaller tail of the first row at `target`; each cell is a normal distribution with deviation `smooth`. */
static double smoothed_tail(const double *w, Span filled, double target, double cell, int64_t zero, double smooth) {
    double under = 0.0, over = 0.0;
    for (int64_t c = filled.low; c < filled.high; c++) {
        double gap = (target - (double)(c - zero) * cell) / (smooth * sqrt(2.0));
        double tail = fabs(gap) < 27.5 ? erfc(fabs(gap)) / 2 : 0.0; /* beyond, it underflows */
        under += w[c] * (gap > 0 ? 1 - tail : tail);
        over += w[c] * (gap > 0 ? tail : 1 - tail);
    }
    return least(under, over);
}

/* The smaller side of a stratum has k of the own documents and side − k others. Each own document is in it with
 * probability p = side/documents. It then adds y, its score minus the mean of the others, divided between the two
 * nearest cells. At the end the binomial weight of k is replaced by the hypergeometric one. Sums that can no longer
 * come back below t stay in the uppermost cell. The result is smoothed by the variance of the others' scores; without
 * it, by one cell, so that equal sums count half. */
double lattice(double t, Points *points) {
    double variance = choose_sides(t, points);
    if (variance < 0) return 0.5;
    Range range = increments(points);
    double target = fabs(t) - range.none, fall = range.fall;
    if (target + 2 * fall > 2 * range.rise - target) { /* the direction that needs fewer cells */
        target = -target;
        fall = range.rise;
        for (int64_t k = 0; k < points->own; k++) points->spare[k].x = -points->spare[k].x;
    }
    double work = 0.0;
    int64_t deepest = 0;
    for (int64_t s = 0; s < points->strata; s++) {
        work += points->by[s].held * (double)points->by[s].depth;
        deepest = most_int(deepest, points->by[s].depth);
    }
    double cell = most(most(CELL, 0.7 * sqrt(variance)), (target + 2 * fall) * work / CELLS);
    for (int64_t k = 0; k < points->own; k++) { /* dividing between two cells adds variance, too */
        double y = points->spare[k].x / cell, share = y - floor(y);
        variance -= points->at[k].m * points->by[points->at[k].stratum].p * share * (1 - share) * cell * cell;
    }
    double smooth = most(sqrt(most(variance, 0.0)), cell);
    double below_zero = fall / cell, above_zero = (target + fall + 8 * smooth) / cell;
    double width = below_zero + most(above_zero, 0.0) + MARGIN + 1;
    if (!(work <= LONGEST && width * work <= 32 * LONGEST)) return -1.0; /* also if a number is NaN */
    if (!(below_zero >= 0 && width * (double)(deepest + 1) <= SPACE)) return -1.0;
    int64_t zero = (int64_t)below_zero + MARGIN;
    int64_t cells = most_int(zero + 1, (int64_t)most(above_zero, -1.0) + zero + 1);
    for (int64_t c = 0; c < (deepest + 1) * cells; c++) points->w[c] = 0.0;
    Span filled = convolve(points, cells, cell, zero);
    return smoothed_tail(points->w, filled, target, cell, zero, smooth);
}
