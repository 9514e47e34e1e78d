/* A term's documents as the permutation test sees them: points, and strata that they belong to. */
#ifndef TB_POINTS_H
#define TB_POINTS_H

#include "special.h"

#define SAME 1e-9 /* of T's standard deviation: closer sums are equal */

/* A score, and how many documents of a stratum have it. */
typedef struct {
    double x, m;
    int64_t stratum;
} Point;

/* What there is one of for every stratum; each function fills what it needs beyond the first line. */
typedef struct {
    double taken, in_first;          /* documents in the first corpus, and those of them without the term */
    double documents, mean, squares; /* of the points, or of some of them */
    double held, others;             /* documents of the first `own` points, and of those behind */
    double side, sign, p, least, most, falls, rises; /* of the lattice */
    double left, last, tied, need;                   /* of the end of T's range */
    double start, level, zero, one, gap, move;       /* of the saddlepoint */
    int64_t fallen, depth; /* held documents in the first corpus as one outcome has it; as many as a lattice follows */
} Stratum;

/* First come the `own` points of the documents that have the term, sorted by stratum, then those of the classes of
 * length of the documents that lack it. Scores are centred in every stratum and scaled so that T, the sum over the
 * first corpus, has variance 1. `spare` is as large as `at`, `w` is room for the weights of outcomes. */
typedef struct {
    Point *at, *spare;
    int64_t own, size;
    Stratum *by;
    int64_t strata;
    double *w;
} Points;

/* log C(n, k), −inf where that is 0. */
TB_INLINE double log_ways_of(double n, double k) { return 0 <= k && k <= n ? log_choose(n, k) : -INFINITY; }

/* Sort the points by stratum, then score; they are no longer own and others then. */
void sort_points(Points *points);

/* Merge equal scores within a stratum; what is left is sorted, and all of it is own. */
void merge_points(Points *points);

/* Give the points that are not own their stratum's mean, one point per stratum; the sum of those in the first corpus. */
double pool_others(Points *points);

/* Centre the scores by stratum and scale them for T to have variance 1. *expected receives E T; the deviation of T. */
double standardise(Points *points, double *expected);

#endif
