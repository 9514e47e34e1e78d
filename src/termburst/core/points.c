#include "points.h"

#include "sorting.h"

TB_INLINE int comes_after(const Point *a, const Point *b) {
    return a->stratum > b->stratum || (a->stratum == b->stratum && a->x > b->x);
}

TB_SORT(sorted, Point, comes_after)

/* Reverse the points of each stratum from `first` on; each stratum is a run of points. */
static void reverse_strata(Point *at, int64_t first, int64_t size) {
    while (first < size) {
        int64_t end = first + 1;
        while (end < size && at[end].stratum == at[first].stratum) end++;
        for (int64_t low = first, high = end - 1; low < high; low++, high--) {
            Point kept = at[low];
            at[low] = at[high];
            at[high] = kept;
        }
        first = end;
    }
}

/* The own points are sorted. The others come from the shortest documents to the longest, so they are almost sorted in
 * reverse order: usually one merge is enough. */
void sort_points(Points *points) {
    Point *at = points->at, *spare = points->spare;
    int64_t left = 0, right = points->own, size = points->size;
    reverse_strata(at, points->own, size);
    for (int64_t k = 0; k < size; k++)
        spare[k] = right >= size || (left < points->own && !comes_after(&at[left], &at[right])) ? at[left++] : at[right++];
    int in_order = 1;
    for (int64_t k = 0; k < size; k++) {
        at[k] = spare[k];
        if (k && comes_after(&at[k - 1], &at[k])) in_order = 0;
    }
    if (!in_order) sorted(at, spare, size);
}

void merge_points(Points *points) {
    Point *at = points->at;
    int64_t left = 0;
    sorted(at, points->spare, points->size);
    for (int64_t k = 0; k < points->size; k++) {
        if (left && at[k].stratum == at[left - 1].stratum && at[k].x == at[left - 1].x)
            at[left - 1].m += at[k].m;
        else
            at[left++] = at[k];
    }
    points->own = points->size = left;
}

double pool_others(Points *points) {
    double total = 0.0;
    for (int64_t s = 0; s < points->strata; s++) points->by[s].documents = points->by[s].mean = 0.0;
    for (int64_t k = points->own; k < points->size; k++) {
        const Point *point = points->at + k;
        Stratum *stratum = points->by + point->stratum;
        stratum->documents += point->m;
        stratum->mean += point->m * point->x;
    }
    points->size = points->own;
    for (int64_t s = 0; s < points->strata; s++) {
        const Stratum *stratum = points->by + s;
        if (!(stratum->documents > 0)) continue;
        Point pooled = {stratum->mean / stratum->documents, stratum->documents, s};
        points->at[points->size++] = pooled;
        total += stratum->in_first * pooled.x;
    }
    return total;
}

double standardise(Points *points, double *expected) {
    double largest = 0.0, variance = 0.0;
    for (int64_t s = 0; s < points->strata; s++)
        points->by[s].documents = points->by[s].mean = points->by[s].squares = 0.0;
    for (int64_t k = 0; k < points->size; k++) {
        const Point *point = points->at + k;
        Stratum *stratum = points->by + point->stratum;
        stratum->documents += point->m;
        stratum->mean += point->m * point->x;
        largest = most(largest, fabs(point->x));
    }
    for (int64_t s = 0; s < points->strata; s++) points->by[s].mean /= most(points->by[s].documents, 1.0);
    for (int64_t k = 0; k < points->size; k++) {
        Point *point = points->at + k;
        Stratum *stratum = points->by + point->stratum;
        point->x -= stratum->mean;
        stratum->squares += point->m * point->x * point->x;
    }
    *expected = 0.0;
    for (int64_t s = 0; s < points->strata; s++) {
        const Stratum *stratum = points->by + s;
        double taken = stratum->taken, documents = stratum->documents;
        *expected += taken * stratum->mean;
        if (documents > 1) variance += stratum->squares * taken * (documents - taken) / (documents * (documents - 1));
    }
    double deviation = sqrt(variance);
    if (!(deviation > 1e-12 * largest)) return 0.0; /* only rounding: every assignment gives the same T */
    for (int64_t k = 0; k < points->size; k++) points->at[k].x /= deviation;
    return deviation;
}
