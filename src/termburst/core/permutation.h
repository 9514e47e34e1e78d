/* The permutation test: the distribution of a term's score if documents are assigned to the corpora at random.
 *
 * If few documents have the term, all others count with their mean score: T is then its expectation given the
 * assignment of the documents with the term. Documents that no permutation moves are left out beforehand, because their
 * whole stratum is in one corpus. */
#ifndef TB_PERMUTATION_H
#define TB_PERMUTATION_H

#include "cells.h"
#include "points.h"

/* The sorted lengths of both corpora, and how many documents of the first corpus and of both have each. Length class c
 * is [starts[c], starts[c + 1]) and belongs to stratum strata_of[c]. Documents of a length with class_of −1 are not
 * permuted. */
TB_STRUCT(ClassedLengths, {
    const double *lengths;
    Size size;
    const double *in_a;
    const double *both;
    const int64_t *starts;
    const int64_t *strata_of;
    Size classes;
    const int32_t *class_of;
    int64_t longest; /* length with a class_of */
})

/* The number of documents of each stratum in the first corpus, and in total. */
TB_STRUCT(Strata, {
    const double *taken;
    Size strata;
    const double *documents;
})

/* Terms to test, the mean and ρ of each term of the collection, and the outputs (T − E T)/sd T and p. */
TB_STRUCT(PermutationTask, {
    const int64_t *terms;
    Size size;
    const double *mean;
    const double *rho;
    double *statistic;
    double *p_value;
})

/* The documents of a class without the term: their number, the sum of n_j/(1 + (n_j − 1) ρ) over them, and over those
 * in the first corpus. */
TB_STRUCT(ClassSum, {
    double documents;
    double sum;
    double sum_a;
})

/* Scratch space of one thread: `most` points, one entry per stratum, `w` for SPACE + OUTCOMES numbers per stratum, one
 * share per length, and the sums of each class over all documents and over those without the term. */
TB_STRUCT(PermutationRoom, {
    Point *points;
    Size most;
    Point *spare;
    Stratum *by;
    double *w;
    double *shares;
    ClassSum *all;
    ClassSum *lacking;
})

TB_KERNEL(tb_permutation, const Cells *cells, const ClassedLengths *lengths, const Strata *strata,
          const PermutationTask *task, const PermutationRoom *room);

#endif
