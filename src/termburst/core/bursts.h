/* Keyness of terms in few documents: the null distribution of how their bursts fall into the groups.
 *
 * A burst of size c is a document that contains the term c times. It falls into group g with probability
 * Σ_g P(c | n_j)/Σ P(c | n_j), where P is the common beta-binomial. A document has at most one burst: if the term is in
 * many documents, each burst in a group leaves less of the group for the next.
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

/* A document with the term: its score, its count, its group, and the first burst of the same size. */
typedef struct {
    double score;
    int64_t count;
    int64_t group;
    int64_t kind;
} Burst;

/* A sum of scores, its probability, and the number of bursts in it. */
typedef struct {
    double value;
    double mass;
    int64_t number;
} BurstSum;

/* Scratch space of one thread, for terms with up to `most` bursts: two numbers per length class, the bursts and a second
 * array of them, the probabilities of each kind of burst for each group, three sums per group, what 0 to `most` bursts
 * leave of the chance of the next in each group, one number per number of bursts, one integer per group, 2 WAYS sums, and
 * four times `outcomes` + 1 numbers for the distribution of a sum. */
typedef struct {
    double *weight;
    Burst *bursts;
    Burst *spare;
    double *shares;
    double *sums;
    double *left;
    double *crowding;
    int64_t *held;
    BurstSum *sorted;
    double *values;
    double *mass;
    double *before;
    double *from;
    int64_t most;
    int64_t outcomes;
} BurstRoom;

/* The terms to test: p, and the smallest p that the term's bursts could have. Terms with at least `enough` expected
 * bursts in each of the two groups keep both. */
typedef struct {
    const int64_t *terms;
    int64_t size;
    double enough;
    double *p_value;
    double *least;
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

/* The two-sided p of the first `size` bursts in a room with two groups, and the smallest that they could have; with
 * `crowded` the room's `crowding` is used. */
typedef struct {
    int64_t size;
    int64_t crowded;
    double *p_value;
} MidPTask;

TB_API int32_t tb_burst(const LengthClasses *classes, const BurstTask *task);
TB_API int32_t tb_mid_p(const BurstRoom *room, const MidPTask *task);
TB_API int32_t tb_burst_reference(const Cells *cells, const LengthClasses *classes, const CommonModel *model,
                                  const ReferenceTask *task, const BurstRoom *room);
TB_API int32_t tb_burst_draws(const Cells *cells, const LengthClasses *classes, const CommonModel *model,
                              const DrawTask *task, const BurstRoom *room);

#endif
