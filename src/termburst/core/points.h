/* The documents of a term in the permutation test: points, and the strata that they belong to. */
#ifndef TB_POINTS_H
#define TB_POINTS_H

#include "special.h"

#define SAME 1e-9 /* in standard deviations of T: closer sums are equal */

/* A score, and how many documents of a stratum have it. */
TB_STRUCT(Point, {
    double x, m;
    int64_t stratum;
})

/* The data of a stratum. The first line is given; each function fills the other fields that it needs. */
TB_STRUCT(Stratum, {
    double taken, in_first;          /* documents in the first corpus, and those of them without the term */
    double documents, mean, squares; /* of all points or of some of them */
    double held, others;             /* documents of the `own` points, and of the other points */
    double side, sign, p, least, most, falls, rises; /* of the lattice */
    double left, last, tied, need;                   /* of the end of the range of T */
    double start, level, zero, one, gap, move;       /* of the saddlepoint */
    int64_t fallen, depth; /* held documents in the first corpus in one outcome; documents that a lattice tracks */
})

/* First the `own` points, which are the documents with the term, sorted by stratum; then one point per length class of
 * the documents without it. Scores are centred in each stratum and scaled so that T, the sum over the first corpus, has
 * variance 1. `spare` is as large as `at`; `w` is scratch space for the weights of outcomes. */
typedef struct {
    Point *at, *spare;
    int64_t own, size;
    Stratum *by;
    int64_t strata;
    double *w;
} Points;

/* log C(n, k); −inf if C(n, k) is 0. */
TB_INLINE double log_ways_of(double n, double k) { return 0 <= k && k <= n ? log_choose(n, k) : -INFINITY; }

/* Sort the points by stratum, then score. This mixes own and other points. */
void sort_points(Points *points);

/* Merge equal scores within a stratum. The remaining points are sorted, and all are own points. */
void merge_points(Points *points);

/* Replace the other points by one point per stratum with their mean. Returns their sum in the first corpus. */
double pool_others(Points *points);

/* Centre the scores by stratum and scale them so that T has variance 1. *expected receives E T. Returns sd T. */
double standardise(Points *points, double *expected);

#endif
