/* The permutation test: how a term's score would fall if the documents were dealt to the corpora at random.
 *
 * Where few documents have the term, all others count with their mean score: T is then its expectation given where the
 * term's own documents are. Documents that no permutation moves, their stratum being in one corpus as a whole, are left
 * out beforehand. */
#ifndef TB_PERMUTATION_H
#define TB_PERMUTATION_H

#include "cells.h"
#include "lattice.h"

/* The lengths of both corpora in rising order, the documents of the first corpus and of both that have them. Class c of
 * lengths is [starts[c], starts[c + 1]), and lies in stratum strata_of[c]; documents of a length whose class_of is −1
 * stay where they are. */
typedef struct {
    const double *lengths;
    const double *in_a;
    const double *both;
    int64_t size;
    const int64_t *starts;
    const int64_t *strata_of;
    int64_t classes;
    const int32_t *class_of;
    int64_t longest; /* for which there is a class_of */
} ClassedLengths;

/* How many of a stratum's documents are in the first corpus, and how many there are. */
typedef struct {
    const double *taken;
    const double *documents;
    int64_t strata;
} Strata;

/* Terms to test, the mean and ρ of every term of the collection, and where (T − E T)/sd T and p go. */
typedef struct {
    const int64_t *terms;
    int64_t size;
    const double *mean;
    const double *rho;
    double *statistic;
    double *p_value;
} PermutationTask;

/* Of the documents of a class that lack the term: how many there are, the sum of n_j/(1 + (n_j − 1) ρ) over them, and
 * over those in the first corpus. */
typedef struct {
    double documents;
    double sum;
    double sum_a;
} ClassSum;

/* Scratch space of one thread: `most` points, a stratum each of Strata, `w` for SPACE + OUTCOMES numbers per stratum, one
 * share per length, and for each class what it is for all documents and for those without the term. */
typedef struct {
    Point *points;
    Point *spare;
    int64_t most;
    Stratum *by;
    double *w;
    double *shares;
    ClassSum *all;
    ClassSum *lacking;
} PermutationRoom;

TB_API int32_t tb_permutation(const Cells *cells, const ClassedLengths *lengths, const Strata *strata,
                              const PermutationTask *task, const PermutationRoom *room);

#endif
