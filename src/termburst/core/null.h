/* Null distributions of the burstiness test: n_i tokens drawn without replacement from all positions. */
#ifndef TB_NULL_H
#define TB_NULL_H

#include "beta_binomial.h"
#include "core.h"

/* One entry of Walker's alias table. An entry k is drawn uniformly; it stands for document k with probability `accept`,
 * otherwise for document `other`. */
TB_STRUCT(Alias, {
    double accept;
    int32_t other;
    int32_t other_length;
})

/* The non-empty documents, and the table to draw one with probability n_j/n. If there are very many, a length is drawn
 * first, then one document of that length: `first` then has the number of documents before each of the `size` lengths,
 * and the total at its end. It is not read if `size` is the number of documents. */
TB_STRUCT(Documents, {
    const Alias *aliases;
    const int32_t *length;
    Size size;
    const int64_t *first;
    int64_t documents;
    double tokens;
})

/* Scratch space for one draw. `count` is zero before and after; `held` has space for all tokens. There is one count per
 * document; or, if very many documents are drawn by length, one per slot of a hash table whose `keys` are documents.
 * `slots` is then a power of two, and at least twice the number of documents that can be drawn. */
TB_STRUCT(Drawn, {
    int32_t *count;
    int32_t *held;
    int64_t *keys;
    Size slots;
})

/* The draws [first, last), from a state of SplitMix64. */
TB_STRUCT(Draws, {
    uint64_t state;
    int64_t first;
    int64_t last;
    int64_t draws; /* total number: the length of a row of results */
})

/* The results of a draw at a checkpoint. GROUP draws are collected before they are written, because rows of results are
 * far apart in memory. */
TB_STRUCT(Note, {
    double repetition;
    double scatter;
    int64_t documents;
})
enum { GROUP = 8, AHEAD = 64 }; /* AHEAD documents are drawn in advance, so that their memory is fetched together */

/* A checkpoint is a number of tokens drawn so far. Results at each checkpoint: the number of documents b, Σ log (n_ij −
 * 1)! and Σ (n_ij² − 2 n_ij n_j m/n). Rows are checkpoints, columns are draws. `notes` has space for GROUP draws at
 * each checkpoint. `log_of` has the logarithms of the integers up to the last checkpoint. */
TB_STRUCT(SimulateTask, {
    const int64_t *checkpoints;
    Size size;
    int32_t *documents;
    double *repetition;
    double *scatter;
    const double *log_of;
    Note *notes;
})

/* The likelihood ratio 2(ℓ̂ − ℓ_binomial) of draws of `tokens` tokens. The room has space for 3 LANES numbers per token,
 * and as many more. */
TB_STRUCT(RatioDrawTask, {
    int64_t tokens;
    double spacing;
    double *ratio;
})

/* The weights of all ways to split s tokens among documents (the partitions of s), for all s at once. A state is a
 * partition. `onward`[state, c] is the state with one more part c (−1: none). `choose`[k, c] ∝ (n_k choose c) for the
 * k-th distinct length, which `documents`[k] documents have. States are sorted by s. */
TB_STRUCT(PartitionTask, {
    const int64_t *documents;
    Size lengths;
    const double *choose;
    const int64_t *onward;
    const int64_t *sizes;
    Size states;
    int64_t largest;
    double *mass;
})

/* Mean, standard deviation and skewness of draws. */
TB_STRUCT(Moments, {
    double mean;
    double deviation;
    double skew;
})

/* Turns the results of a `SimulateTask` into values. R is replaced by λ = g(b) + 2R, from the checkpoint `sampled` on.
 * At checkpoint k, g begins at `start`[k] with g(`least`[k]) and ends before `start`[k + 1]. The sums are replaced by
 * Tarone's score. `squared` is Σ n_j², `spread` is √(2 Σ n_j (n_j − 1)). */
TB_STRUCT(NullValues, {
    const double *checkpoints;
    int64_t sampled;
    int64_t draws;
    const int32_t *documents;
    double *repetition;
    double *scatter;
    const int64_t *least;
    const int64_t *start;
    const double *g;
    double tokens;
    double squared;
    double spread;
    Moments *plr;
    Moments *score;
})

/* The checkpoints [first, last). */
TB_STRUCT(Rows, {
    int64_t first;
    int64_t last;
})

TB_KERNEL(tb_simulate, const Documents *documents, const Draws *draws, const Drawn *drawn, const SimulateTask *task);
TB_KERNEL(tb_simulate_ratio, const Documents *documents, const LengthTable *table, const Draws *draws,
          const Drawn *drawn, const RatioDrawTask *task, const Room *room);
TB_KERNEL(tb_partition_masses, const PartitionTask *task);
TB_KERNEL(tb_null_values, const NullValues *task, const Rows *rows);

#endif
