/* Upper tails of the burstiness test's null distributions: what draws say, and known shapes beyond them. */
#ifndef TB_TAILS_H
#define TB_TAILS_H

#include "core.h"

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

/* How many of so many `draws`, sorted, in a row of `sample`, reach each of the `observed` values, and exceed it: those
 * within `tie` of it, relatively, reach it only. Of every row the `top`-th largest, where a tail begins, and how many
 * reach it; if most of those are equal to it, the next larger one, or the largest if fewer than `few` are larger. */
typedef struct {
    const double *sample;
    int64_t rows;
    int64_t draws;
    int64_t top;
    int64_t few;
    double tie;
    const double *observed;
    const int64_t *row;
    int64_t size;
    int64_t *reached;
    int64_t *exceeded;
    double *anchor;
    int64_t *at_least;
} ReachTask;

/* Falling piecewise cubics (Fritsch & Butland 1984), one a row of `columns` points of which the first `size` count, each
 * moved by `shift`, at values; a value beyond the ends is that end. `room` is for twice as many numbers as columns. */
typedef struct {
    const double *x;
    const double *y;
    const int64_t *size;
    int64_t rows;
    int64_t columns;
    const double *shift;
    const double *value;
    const int64_t *row;
    int64_t values;
    double *room;
    double *out;
} CubicTask;

/* log of the chance that one document alone brings Σ_j (n_ij − n_j p)² up by each `excess`, of the term at its `row`.
 * Documents come in classes; `room` is for twice as many numbers as classes. */
typedef struct {
    const double *excess;
    const int64_t *row;
    int64_t size;
    const double *n_i;
    int64_t rows;
    double tokens;
    const double *length;
    const double *log_weight;
    int64_t classes;
    double *room;
    double *log_p;
} OneDocumentTask;

TB_API int32_t tb_tail_curves(const TailTask *task);
TB_API int32_t tb_tilted(const TailTask *task, const TiltTask *tilt);
TB_API int32_t tb_reach(const ReachTask *task);
TB_API int32_t tb_falling_cubics(const CubicTask *task);
TB_API int32_t tb_one_document(const OneDocumentTask *task);

#endif
