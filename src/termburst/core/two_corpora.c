#include "two_corpora.h"

#include "sorting.h"
#include "special.h"

static const double TIE = 1e-7; /* relative: probabilities this close to that of the observed outcome are equal to it */
static const double NEGLIGIBLE = 1e-18;   /* relative to a tail: smaller summands change no digit */
static const int64_t LONGEST = 1 << 28;   /* most steps in a tail: about ten standard deviations of 2⁵³ tokens */

/* log x! − x log x + x, the remainder of Stirling's leading terms, for an integer x. */
static double remainder_of(double x) {
    if (!(x > 0)) return 0.0;
    if (x < 12) {
        double factorial = 1.0;
        for (double k = 2.0; k <= x; k++) factorial *= k;
        return log(factorial) - x * log(x) + x;
    }
    double y = 1 / (x * x);
    double series = 1.0 / 1188 - y * 691 / 360360;
    series = 1.0 / 1680 - y * series;
    series = 1.0 / 1260 - y * series;
    series = 1.0 / 360 - y * series;
    series = 1.0 / 12 - y * series;
    return 0.5 * log(2 * PI * x) + series / x;
}

/* x log(x/e) + e − x without cancellation; excess is e − x. */
static double deviance(double observed, double expected, double excess) {
    if (!(observed > 0)) return expected;
    double v = excess / (observed + expected);
    if (!(fabs(v) < 0.1)) return observed * log(observed / expected) + excess;
    double square = v * v, series = 0.0;
    for (int power = 19; power > 1; power -= 2) series = series * square + 1.0 / power;
    return excess * v - 2 * observed * v * square * series;
}

/* The margins of a table (term, other tokens) × (a, b), and their Stirling remainders. */
typedef struct {
    double n_i, n_a, n_b, remainders;
} Margins;

/* log P(x of the n_i occurrences fall among the n_a tokens): −G²/2 of the table, and the Stirling remainders. */
static double log_hypergeometric(double x, const Margins *of) {
    double n_i = of->n_i, n_a = of->n_a, n_b = of->n_b, n = n_a + n_b, n_not = n - n_i;
    if (x < 0 || x > n_i || x > n_a || n_i - x > n_b) return -INFINITY;
    double excess = n_i * (n_a / n) - x;
    double g = deviance(x, n_i * (n_a / n), excess) + deviance(n_i - x, n_i * (n_b / n), -excess);
    g += deviance(n_a - x, n_not * (n_a / n), -excess) + deviance(n_b - n_i + x, n_not * (n_b / n), excess);
    double cells = remainder_of(x) + remainder_of(n_i - x) + remainder_of(n_a - x) + remainder_of(n_b - n_i + x);
    return of->remainders - g - cells;
}

/* [P(x) + P(x + step) + …]/P(x). step is +1 or −1, and x is beyond the mode on that side. */
static double hypergeometric_tail(double x, double step, const Margins *of) {
    double n_i = of->n_i, n_a = of->n_a, n_b = of->n_b, total = 1.0, term = 1.0;
    for (int64_t k = 0; k < LONGEST && term > NEGLIGIBLE * total; k++) {
        if (step > 0)
            term *= (n_i - x) / (x + 1) * ((n_a - x) / (n_b - n_i + x + 1));
        else
            term *= x / (n_i - x + 1) * ((n_b - n_i + x) / (n_a - x + 1));
        x += step;
        total += term;
    }
    return total;
}

/* The total probability of all outcomes that are at most as probable as x. */
static double fisher_p(double x, const Margins *of) {
    double n_i = of->n_i, n_a = of->n_a, n_b = of->n_b;
    double lowest = most(0.0, n_i - n_b), highest = least(n_i, n_a);
    double mode = between(floor((n_i + 1) * ((n_a + 1) / (n_a + n_b + 2))), lowest, highest);
    double here = log_hypergeometric(x, of), bound = here + log1p(TIE);
    if (log_hypergeometric(mode, of) <= bound) return 1.0;
    double side = x > mode ? 1.0 : -1.0, end = x > mode ? lowest : highest;
    double p = exp(here) * hypergeometric_tail(x, side, of);
    if (log_hypergeometric(end, of) <= bound) {
        double inside = mode, outside = end; /* bracket of the nearest outcome beyond the mode that is at most as probable */
        for (int k = 0; k < 64 && fabs(outside - inside) > 1; k++) {
            double middle = floor((inside + outside) / 2);
            if (log_hypergeometric(middle, of) <= bound)
                outside = middle;
            else
                inside = middle;
        }
        p += exp(log_hypergeometric(outside, of)) * hypergeometric_tail(outside, -side, of);
    }
    return least(p, 1.0);
}

/* Counts and totals are floats, exact below 2⁵³. */
int32_t tb_fisher(const FisherTask *task) {
    double n_a = task->n_a, n_b = task->n_b, n = n_a + n_b;
    double of_totals = remainder_of(n_a) + remainder_of(n_b) - remainder_of(n);
    for (int64_t i = task->first; i < task->last; i++) {
        double n_i = task->n_i_a[i] + task->n_i_b[i];
        Margins margins = {n_i, n_a, n_b, remainder_of(n_i) + remainder_of(n - n_i) + of_totals};
        task->p_value[i] = fisher_p(task->n_i_a[i], &margins);
    }
    return TB_OK;
}

/* The sum of squares is exactly 0 if all documents are equal. */
int32_t tb_relative_moments(const Cells *cells, const MomentsTask *task) {
    double documents = task->documents;
    for (int64_t i = task->first; i < task->last; i++) {
        const int64_t *range = range_of(cells, 0, i);
        if (!is_term(cells, i) || range[0] < 0 || range[1] > cells->size) return TB_BAD_INDEX;
        double total = 0.0, present = 0.0, lowest = INFINITY, highest = -INFINITY;
        for (int64_t j = range[0]; j < range[1]; j++) {
            double share = (double)cells->count[j] / cells->length[j], times = weight_of(cells, j);
            total += times * share;
            present += times;
            lowest = least(lowest, share);
            highest = most(highest, share);
        }
        if (present < documents) {
            lowest = least(lowest, 0.0);
            highest = most(highest, 0.0);
        }
        double mean = total / documents, squares = (documents - present) * mean * mean;
        for (int64_t j = range[0]; j < range[1]; j++) {
            double off = (double)cells->count[j] / cells->length[j] - mean;
            squares += weight_of(cells, j) * (off * off);
        }
        int equal = lowest == highest;
        task->mean[i] = equal ? lowest : mean;
        task->squares[i] = equal ? 0.0 : squares;
    }
    return TB_OK;
}

TB_INLINE int comes_after(const Frequency *a, const Frequency *b) { return a->value > b->value; }

TB_SORT(sort_shares, Frequency, comes_after)

/* The sorted relative frequencies of a term, and how many documents of each corpus have them. */
static int64_t sorted_shares(const Cells *cells, const MannWhitneyTask *task, int64_t term, double *present) {
    int64_t size = 0;
    for (int64_t corpus = 0; corpus < 2; corpus++) {
        const int64_t *range = range_of(cells, corpus, term);
        for (int64_t j = range[0]; j < range[1]; j++) {
            double value = (double)cells->count[j] / cells->length[j], times = weight_of(cells, j);
            task->shares[size++] = corpus == 0 ? (Frequency){value, times, 0.0} : (Frequency){value, 0.0, times};
            present[corpus] += times;
        }
    }
    sort_shares(task->shares, task->spare, size);
    return size;
}

int32_t tb_mann_whitney(const Cells *cells, const MannWhitneyTask *task) {
    if (cells->groups != 2) return TB_BAD_INDEX;
    for (int64_t i = task->first; i < task->last; i++) {
        if (!is_term(cells, i)) return TB_BAD_INDEX;
        const int64_t *in_a = range_of(cells, 0, i), *in_b = range_of(cells, 1, i);
        if (in_a[0] < 0 || in_a[1] > cells->size || in_b[0] < 0 || in_b[1] > cells->size) return TB_BAD_INDEX;
        if (most_int(in_a[1] - in_a[0], 0) + most_int(in_b[1] - in_b[0], 0) > task->most) return TB_NO_ROOM;
        double present[2] = {0.0, 0.0};
        int64_t size = sorted_shares(cells, task, i, present), k = 0;
        /* The documents without the term are the lowest group of ties, so they need not be sorted. */
        double below = task->documents_b - present[1], absent_a = task->documents_a - present[0];
        double tied = below + absent_a, u = absent_a * below / 2, ties = tied * tied * tied - tied;
        while (k < size) {
            Frequency group = task->shares[k++];
            for (; k < size && task->shares[k].value == group.value; k++) {
                group.in_a += task->shares[k].in_a;
                group.in_b += task->shares[k].in_b;
            }
            u += group.in_a * (below + group.in_b / 2);
            below += group.in_b;
            tied = group.in_a + group.in_b;
            ties += tied * tied * tied - tied;
        }
        task->u[i] = u;
        task->ties[i] = ties;
    }
    return TB_OK;
}
