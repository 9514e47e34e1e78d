/* Null distributions of the burstiness test: n_i tokens drawn without replacement from all positions. */
#ifndef TB_NULL_H
#define TB_NULL_H

#include "beta_binomial.h"
#include "core.h"

/* Walker's aliases: of as many places as documents one is drawn evenly; place k stands for document k with probability
 * `accept`, and for `other` if not. */
typedef struct {
    double accept;
    int64_t other;
} Alias;

/* The documents that hold tokens, and how to draw one with probability n_j/n. */
typedef struct {
    const Alias *aliases;
    const int32_t *length;
    int64_t size;
    double tokens;
} Documents;

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
enum { GROUP = 8 };

/* At every checkpoint, a number of tokens drawn, the number of documents b, Σ log (n_ij − 1)! and
 * Σ (n_ij² − 2 n_ij n_j m/n); rows are checkpoints, columns draws. `count` is zeros, one per document, and is left so;
 * `held` has room for the last checkpoint's tokens, `notes` for GROUP of each checkpoint, and `log_of` is the logarithms of
 * numbers up to the last checkpoint. */
typedef struct {
    const int64_t *checkpoints;
    int64_t size;
    int32_t *documents;
    double *repetition;
    double *scatter;
    int32_t *count;
    int32_t *held;
    const double *log_of;
    Note *notes;
} SimulateTask;

/* The likelihood ratio 2(ℓ̂ − ℓ_binomial) of draws of `tokens` tokens. `counts` and `lengths` have room for as many cells. */
typedef struct {
    int64_t tokens;
    double spacing;
    double *ratio;
    int32_t *count;
    int32_t *held;
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

/* The tails of λ = g(b) + 2R at several n_i: points (x, log p + constant) at each tilt, a row per tail. Documents come in
 * classes of `length`, `weight` many each, padded to whole LANES; rows of `base` are g on the even rows of `grid`; rows
 * of `steps` are (c − 1)^{2s}/c for every tilt s, `log_gamma` is log Γ(c), both for c < `counts`. */
typedef struct {
    const double *n_i;
    const double *odds;
    const double *start_b;
    int64_t tails;
    const double *tilts;
    int64_t size;
    const double *length;
    const double *weight;
    int64_t classes;
    const double *grid;
    const double *base;
    int64_t grid_size;
    const double *steps;
    const double *log_gamma;
    int64_t counts;
    double *x;
    double *log_p;
} TailTask;

/* The tilted null given that the total is n_i: u, its log mass, and the means of b and R. */
typedef struct {
    double u;
    double mass;
    double b;
    double r;
} Tilted;

/* One tilt by e^{s(slope·b + 2R)}, the `row`-th of the first tail of a TailTask; u begins at `start`. */
typedef struct {
    int64_t row;
    double slope;
    double start;
    Tilted *out;
} TiltTask;

/* log of the chance that one document alone brings Σ_j (n_ij − n_j p)² up by each `excess`. */
typedef struct {
    const double *excess;
    int64_t size;
    double share;
    const double *rate;
    const double *weight;
    const double *length;
    int64_t classes;
    double *log_p;
} OneDocumentTask;

TB_API int32_t tb_simulate(const Documents *documents, const Draws *draws, const SimulateTask *task);
TB_API int32_t tb_simulate_ratio(const Documents *documents, const LengthTable *table, const Draws *draws,
                                 const RatioDrawTask *task, const Room *room);
TB_API int32_t tb_partition_masses(const PartitionTask *task);
TB_API int32_t tb_tail_curves(const TailTask *task);
TB_API int32_t tb_tilted(const TailTask *task, const TiltTask *tilt);
TB_API int32_t tb_one_document(const OneDocumentTask *task);

#endif
