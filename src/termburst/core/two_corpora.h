/* Tests that compare two corpora, term by term. */
#ifndef TB_TWO_CORPORA_H
#define TB_TWO_CORPORA_H

#include "cells.h"

/* Occurrences of terms in two corpora of n_a and n_b tokens, and Fisher's two-sided p as output. */
TB_STRUCT(FisherTask, {
    const double *n_i_a;
    const double *n_i_b;
    double n_a;
    double n_b;
    double *p_value;
    int64_t first;
    int64_t last;
})

/* Mean and sum of squared deviations of n_ij/n_j over all documents, for the terms first to last − 1. */
TB_STRUCT(MomentsTask, {
    double documents;
    double *mean;
    double *squares;
    int64_t first;
    int64_t last;
})

/* A relative frequency, and how many documents of each corpus have it. */
TB_STRUCT(Frequency, {
    double value;
    double in_a;
    double in_b;
})

/* U of the first corpus, and Σ t³ − t over groups of t ties, for the terms first to last − 1. Cells have two groups.
 * `shares` and `spare` have space for `most` cells of a term. */
TB_STRUCT(MannWhitneyTask, {
    double documents_a;
    double documents_b;
    double *u;
    double *ties;
    int64_t first;
    int64_t last;
    Frequency *shares;
    Size most;
    Frequency *spare;
})

TB_KERNEL(tb_fisher, const FisherTask *task);
TB_KERNEL(tb_relative_moments, const Cells *cells, const MomentsTask *task);
TB_KERNEL(tb_mann_whitney, const Cells *cells, const MannWhitneyTask *task);

#endif
