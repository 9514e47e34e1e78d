#include "permutation.h"

#include "lattice.h"

#include "saddlepoint.h"

static const double RARE = 2.0; /* expected documents with the term on the smaller side: below, most outcomes would
                                 * differ by lengths alone */
static const double COARSE = 8.0;  /* up to here T has gaps that the saddlepoint approximation ignores */
static const double SMALL = 4096;  /* documents × those of the smaller corpus: up to here T is convolved */
static const double FAINT = 1e-25; /* smallest tail that a lattice cut off at DEEPEST documents may have */
static const double MOST = 9007199254740992.0; /* 2⁵³: up to here numbers of documents are exact */

/* Everything needed to test one term after the other. */
typedef struct {
    const Cells *cells;
    const ClassedLengths *lengths;
    const Strata *strata;
    const PermutationRoom *room;
    Points points;
    int small;
    double rho; /* the ρ of `room->all` */
} Test;

/* Twice the smaller of P(T < t) and P(T > t), each plus P(T = t)/2. */
static double two_sided(double t, Points *points, int enumerable, int coarse) {
    if (enumerable) return least(1.0, 2 * enumerated(t, points));
    if (coarse) {
        double tail = lattice(t, points);
        if (tail > FAINT) return least(1.0, 2 * tail);
    }
    sort_points(points);
    double end = at_the_end(t, 1.0, points);
    if (end < 0) end = at_the_end(t, -1.0, points);
    if (end >= 0) return least(1.0, end);
    return erfc(fabs(saddlepoint(t, points)) / sqrt(2.0));
}

/* All documents of each length class, with or without the term. Kept for the next term, because rare terms often have
 * the same ρ. */
static void sum_classes(Test *test, double rho) {
    const ClassedLengths *of = test->lengths;
    double *shares = test->room->shares;
    if (rho == test->rho) return;
    test->rho = rho;
    for (int64_t k = 0; k < of->size; k++) shares[k] = of->lengths[k] / (1 + (of->lengths[k] - 1) * rho);
    for (int64_t c = 0; c < of->classes; c++) {
        double sum = 0.0, sum_a = 0.0;
        for (int64_t k = of->starts[c]; k < of->starts[c + 1]; k++) {
            sum += of->both[k] * shares[k];
            sum_a += of->in_a[k] * shares[k];
        }
        test->room->all[c].sum = sum;
        test->room->all[c].sum_a = sum_a;
    }
}

/* The points of the documents with the term, which are removed from the length classes. *total receives the sum of the
 * scores of those in the first corpus. */
static int32_t add_present(Test *test, int64_t term, double mean, double rho, double *total) {
    const Cells *cells = test->cells;
    Points *points = &test->points;
    points->size = 0;
    for (int64_t corpus = 0; corpus < 2; corpus++) {
        const int64_t *range = range_of(cells, corpus, term);
        if (range[0] < 0 || range[1] > cells->size) return TB_BAD_INDEX;
        if (range[1] - range[0] > test->room->most - test->lengths->classes - points->size) return TB_NO_ROOM;
        for (int64_t j = range[0]; j < range[1]; j++) {
            double count = cells->count[j], length = cells->length[j], times = weight_of(cells, j);
            if (!(count >= 1 && count <= length && times >= 1 && times <= MOST)) return TB_BAD_CELL;
            if (cells->length[j] > test->lengths->longest) return TB_BAD_INDEX;
            int64_t c = test->lengths->class_of[cells->length[j]];
            if (c < 0) continue;
            if (c >= test->lengths->classes) return TB_BAD_INDEX;
            int64_t s = test->lengths->strata_of[c];
            double damped = 1 + (length - 1) * rho, x = (count - length * mean) / damped;
            double share = times * length / damped;
            points->at[points->size++] = (Point){x, times, s};
            test->room->lacking[c].documents -= times;
            if (test->room->lacking[c].documents < 0) return TB_BAD_CELL; /* more documents than the class has */
            test->room->lacking[c].sum -= share;
            if (corpus == 0) {
                *total += times * x;
                test->room->lacking[c].sum_a -= share;
                points->by[s].in_first -= times;
                if (points->by[s].in_first < 0) return TB_BAD_CELL;
            }
        }
    }
    return TB_OK;
}

/* The points of the documents without the term, by length class. Returns their sum in the first corpus. */
static double add_absent(Test *test, double mean) {
    Points *points = &test->points;
    double first = 0.0;
    for (int64_t c = 0; c < test->lengths->classes; c++) {
        ClassSum class = test->room->lacking[c];
        first += class.sum_a;
        if (class.documents > 0)
            points->at[points->size++] =
                (Point){-mean * class.sum / class.documents, class.documents, test->lengths->strata_of[c]};
    }
    return -mean * first;
}

/* The statistic and p of a term. */
static int32_t test_term(Test *test, int64_t term, double mean, double rho, double *statistic, double *p_value) {
    Points *points = &test->points;
    const Strata *strata = test->strata;
    double t = 0.0, ways = 1.0, fewer = 0.0, expected; /* `fewer`: expected documents with the term, smaller side */
    sum_classes(test, rho);
    for (int64_t c = 0; c < test->lengths->classes; c++) test->room->lacking[c] = test->room->all[c];
    for (int64_t s = 0; s < points->strata; s++) points->by[s].in_first = strata->taken[s];
    int32_t status = add_present(test, term, mean, rho, &t);
    if (status != TB_OK) return status;
    merge_points(points);
    for (int64_t k = 0; k < points->own; k++) {
        int64_t s = points->at[k].stratum;
        double taken = strata->taken[s], documents = strata->documents[s];
        ways *= points->at[k].m + 1;
        fewer += points->at[k].m * (least(taken, documents - taken) / documents);
    }
    int enumerable = ways <= OUTCOMES;
    double first = add_absent(test, mean);
    if (enumerable || fewer <= RARE * (1 + SAME)) {
        t += pool_others(points);
    } else {
        t += first;
        if (test->small) merge_points(points); /* then all documents are convolved, with or without the term */
    }
    double deviation = standardise(points, &expected);
    if (deviation > 0) {
        *statistic = (t - expected) / deviation;
        *p_value = two_sided(*statistic, points, enumerable, test->small || fewer <= COARSE);
    }
    return TB_OK;
}

/* Whether lengths, classes and strata are consistent: indices in the arrays are valid, numbers of documents are not
 * NaN, and no more documents are taken than exist. Counts the documents of each class. */
static int32_t check(const ClassedLengths *lengths, const Strata *strata, Stratum *by, ClassSum *all) {
    for (int64_t s = 0; s < strata->strata; s++) by[s].documents = 0.0;
    for (int64_t c = 0; c < lengths->classes; c++) {
        int64_t start = lengths->starts[c], end = lengths->starts[c + 1], s = lengths->strata_of[c];
        if (start < 0 || end < start || end > lengths->size || s < 0 || s >= strata->strata) return TB_BAD_INDEX;
        all[c].documents = 0.0;
        for (int64_t k = start; k < end; k++) {
            double both = lengths->both[k], in_a = lengths->in_a[k];
            if (!(lengths->lengths[k] >= 1 && in_a >= 0 && in_a <= both && both <= MOST)) return TB_BAD_CELL;
            all[c].documents += both;
        }
        by[s].documents += all[c].documents;
    }
    for (int64_t s = 0; s < strata->strata; s++) {
        double taken = strata->taken[s], documents = strata->documents[s];
        if (!(0 <= taken && taken <= documents && documents == by[s].documents && documents <= MOST)) return TB_BAD_CELL;
    }
    return TB_OK;
}

int32_t tb_permutation(const Cells *cells, const ClassedLengths *lengths, const Strata *strata,
                       const PermutationTask *task, const PermutationRoom *room) {
    if (cells->groups != 2 || room->most < lengths->classes) return TB_BAD_INDEX;
    int32_t status = check(lengths, strata, room->by, room->all);
    double documents = 0.0, smaller = 0.0;
    for (int64_t s = 0; s < strata->strata && status == TB_OK; s++) {
        room->by[s].taken = strata->taken[s];
        documents += strata->documents[s];
        smaller += least(strata->taken[s], strata->documents[s] - strata->taken[s]);
    }
    Test test = {.cells = cells, .lengths = lengths, .strata = strata, .room = room};
    test.points = (Points){room->points, room->spare, 0, 0, room->by, strata->strata, room->w};
    test.small = documents * smaller <= SMALL;
    test.rho = -1.0;
    for (int64_t k = 0; k < task->size && status == TB_OK; k++) {
        int64_t term = task->terms[k];
        if (!is_term(cells, term)) return TB_BAD_INDEX;
        const int64_t *in_a = range_of(cells, 0, term), *in_b = range_of(cells, 1, term);
        double mean = task->mean[term], rho = task->rho[term];
        task->statistic[term] = 0.0;
        task->p_value[term] = 1.0;
        if (in_a[0] == in_a[1] && in_b[0] == in_b[1]) continue;
        if (0 <= mean && mean <= 1 && 0 <= rho && rho <= 1)
            status = test_term(&test, term, mean, rho, &task->statistic[term], &task->p_value[term]);
        else
            task->statistic[term] = task->p_value[term] = NAN;
    }
    return status;
}
