/* Keyness of terms in few documents: the null distribution of how their bursts fall into the groups.
 *
 * A burst of size c is a document that contains the term c times. It falls into group g with probability
 * Σ_g P(c | n_j)/Σ P(c | n_j), where P is the common beta-binomial.
 */
#ifndef TB_BURSTS_H
#define TB_BURSTS_H

#include "cells.h"
#include "core.h"

/* Classes of documents of similar length: the mean length of each class, and its number of documents in each group.
 * Padded to whole LANES with classes that have no documents. */
typedef struct {
    const double *length;
    const double *documents;
    int64_t size;
    int64_t groups;
} LengthClasses;

/* The common beta-binomials, one per term of the collection (alpha and alpha_0 are inf for the binomial), and κ. */
typedef struct {
    const double *alpha;
    const double *alpha_0;
    const double *mean;
    int64_t terms;
    double kappa;
} CommonModel;

typedef struct {
    double score;
    int64_t count;
    int64_t group;
} Burst;

/* Scratch space of one thread, for terms with up to `most` bursts: two numbers per length class, the bursts, their
 * probabilities for each group, and twice `outcomes` numbers for the distribution of a sum. */
typedef struct {
    double *weight;
    Burst *bursts;
    double *shares;
    double *sums;
    double *values;
    double *mass;
    int64_t most;
    int64_t outcomes;
} BurstRoom;

/* The terms to test. Terms with at least `enough` expected bursts in each of the two groups keep their p-value. */
typedef struct {
    const int64_t *terms;
    int64_t size;
    double enough;
    double *p_value;
} ReferenceTask;

/* The terms to test by Monte Carlo with `draws` draws, each term with its own seed. */
typedef struct {
    const int64_t *terms;
    int64_t size;
    const int64_t *seeds;
    int64_t draws;
    double *p_value;
} DrawTask;

/* One burst of size `count`: its probability per group and its score. `weight` is scratch, two numbers per class. */
typedef struct {
    int64_t count;
    double alpha;
    double alpha_0;
    double mean;
    double kappa;
    double *weight;
    double *shares;
    double *score;
} BurstTask;

/* The two-sided mid-p of the first `size` bursts in a room with two groups. */
typedef struct {
    int64_t size;
    double *p_value;
} MidPTask;

TB_API int32_t tb_burst(const LengthClasses *classes, const BurstTask *task);
TB_API int32_t tb_mid_p(const BurstRoom *room, const MidPTask *task);
TB_API int32_t tb_burst_reference(const Cells *cells, const LengthClasses *classes, const CommonModel *model,
                                  const ReferenceTask *task, const BurstRoom *room);
TB_API int32_t tb_burst_draws(const Cells *cells, const LengthClasses *classes, const CommonModel *model,
                              const DrawTask *task, const BurstRoom *room);

#endif
