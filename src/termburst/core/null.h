/* Null distributions of the burstiness test: n_i tokens drawn without replacement from all positions. */
#ifndef TB_NULL_H
#define TB_NULL_H

#include "beta_binomial.h"
#include "core.h"

/* Walker's aliases: of as many places as documents one is drawn evenly; place k stands for document k with probability
 * `accept`, and for `other`, of that length, if not. */
typedef struct {
    double accept;
    int32_t other;
    int32_t other_length;
} Alias;

/* The documents that hold tokens, and how to draw one with probability n_j/n. Where they are very many, those of equal
 * length are drawn as one, and one of them within: `first` then has the number of documents before each of the `size`
 * lengths, and all of them at its end. Where `size` is the number of documents, it is not read. */
typedef struct {
    const Alias *aliases;
    const int32_t *length;
    const int64_t *first;
    int64_t size;
    int64_t documents;
    double tokens;
} Documents;

/* What is drawn in a draw, and its room: `count` is zeros, and is left so; `held` has room for all tokens. There is one
 * count per document or, where very many documents are drawn by length, one per slot of a hash table whose `keys` are
 * documents; `slots` is then a power of two, and twice as many as documents can be met at least. */
typedef struct {
    int32_t *count;
    int32_t *held;
    int64_t *keys;
    int32_t *slot_length;
    int64_t slots;
} Drawn;

/* Draws [first, last) from a state of SplitMix64. */
typedef struct {
    uint64_t state;
    int64_t first;
    int64_t last;
    int64_t draws; /* in all: the length of a row of results */
} Draws;

/* What a draw is like at a checkpoint; GROUP draws are noted before they are written, as rows of results lie far apart. */
typedef struct {
    double repetition;
    double scatter;
    int64_t documents;
} Note;
enum { GROUP = 8, AHEAD = 64 }; /* AHEAD documents are drawn ahead, so that their memory is waited for at once */

/* At every checkpoint, a number of tokens drawn, the number of documents b, Σ log (n_ij − 1)! and
 * Σ (n_ij² − 2 n_ij n_j m/n); rows are checkpoints, columns draws. `notes` has room for GROUP of each checkpoint, and
 * `log_of` is the logarithms of numbers up to the last checkpoint. */
typedef struct {
    const int64_t *checkpoints;
    int64_t size;
    int32_t *documents;
    double *repetition;
    double *scatter;
    const double *log_of;
    Note *notes;
} SimulateTask;

/* The likelihood ratio 2(ℓ̂ − ℓ_binomial) of draws of `tokens` tokens. `counts` and `lengths` have room for as many cells. */
typedef struct {
    int64_t tokens;
    double spacing;
    double *ratio;
    int32_t *counts;
    int32_t *lengths;
} RatioDrawTask;

/* The ways to split s tokens among documents (the partitions of s), for all s at once. `onward`[state, c] is the
 * partition with a part c more (−1: none); `choose`[k, c] ∝ (n_k choose c) for the k-th distinct length, of which there
 * are `documents`[k]. States are in order of s. */
typedef struct {
    const int64_t *documents;
    const double *choose;
    const int64_t *onward;
    const int64_t *sizes;
    int64_t lengths;
    int64_t states;
    int64_t largest;
    double *mass;
} PartitionTask;

/* Mean, standard deviation and skewness of draws. */
typedef struct {
    double mean;
    double deviation;
    double skew;
} Moments;

/* Checkpoints of a `SimulateTask` made into values: in place of R, from the checkpoint `sampled` on,
 * λ = g(b) + 2R, where g of the b that were drawn, from `least` up, begins at `start` and ends before the next one's;
 * in place of the sums Tarone's score. `squared` is Σ n_j², `spread` √(2 Σ n_j (n_j − 1)). */
typedef struct {
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
} NullValues;

/* Checkpoints [first, last) of them. */
typedef struct {
    int64_t first;
    int64_t last;
} Rows;

TB_API int32_t tb_simulate(const Documents *documents, const Draws *draws, const Drawn *drawn,
                           const SimulateTask *task);
TB_API int32_t tb_simulate_ratio(const Documents *documents, const LengthTable *table, const Draws *draws,
                                 const Drawn *drawn, const RatioDrawTask *task, const Room *room);
TB_API int32_t tb_partition_masses(const PartitionTask *task);
TB_API int32_t tb_null_values(const NullValues *task, const Rows *rows);

#endif
