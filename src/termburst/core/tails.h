/* Upper tails of the null distributions of the burstiness test: from draws, and extrapolated beyond them. */
#ifndef TB_TAILS_H
#define TB_TAILS_H

#include "core.h"

/* The tails of λ = g(b) + 2R at several n_i: points (x, log p + constant) at each tilt, one row per tail. Documents
 * come in classes: `weight` documents of each `length`, padded to whole LANES. Rows of `grid` are evenly spaced values
 * of b, and rows of `base` are g there. Rows of `steps` are (c − 1)^{2s}/c for each tilt s, `log_gamma` is log Γ(c),
 * both for c < `counts`. */
TB_STRUCT(TailTask, {
    const double *n_i;
    Size tails;
    const double *odds;
    const double *start_b;
    const double *tilts;
    Size size;
    const double *length;
    Size classes;
    const double *weight;
    const double *grid;
    const double *base;
    int64_t grid_size;
    const double *steps;
    const double *log_gamma;
    Size counts;
    double *x;
    double *log_p;
})

/* The tilted null, given a total of n_i: u, its log mass, and the means of b and R. */
TB_STRUCT(Tilted, {
    double u;
    double mass;
    double b;
    double r;
})

/* One tilt by e^{s(slope·b + 2R)}, the `row`-th of the first tail of a TailTask; the search for u starts at `start`. */
TB_STRUCT(TiltTask, {
    int64_t row;
    double slope;
    double start;
    Tilted *out;
})

/* How many of the `draws` sorted values in a row of `sample` reach each `observed` value, and how many exceed it.
 * Values with a relative difference up to `tie` reach it but do not exceed it. For each row: where its tail begins, the
 * `top`-th largest value, and how many values reach that. If most of those are equal to it, the tail begins at the next
 * larger value, or at the largest if fewer than `few` are larger. */
TB_STRUCT(ReachTask, {
    const double *sample;
    int64_t draws;
    int64_t top;
    int64_t few;
    double tie;
    const double *observed;
    Size size;
    const int64_t *row;
    int64_t *reached;
    int64_t *exceeded;
    double *anchor;
    Size rows;
    int64_t *at_least;
})

/* Monotone decreasing piecewise cubics (Fritsch & Butland 1984), one per row of `columns` points. The first `size`
 * points are used, shifted by `shift`. Beyond the ends the value is that at the end. `room` has 2 × columns numbers. */
TB_STRUCT(CubicTask, {
    const double *x;
    const double *y;
    const int64_t *size;
    int64_t columns;
    const double *shift;
    Size rows;
    const double *value;
    Size values;
    const int64_t *row;
    double *room;
    double *out;
})

/* log of the probability that one document alone raises Σ_j (n_ij − n_j p)² by `excess`, for the term at `row`.
 * Documents come in classes; `room` has two numbers per class. */
TB_STRUCT(OneDocumentTask, {
    const double *excess;
    Size size;
    const int64_t *row;
    const double *n_i;
    Size rows;
    double tokens;
    const double *length;
    Size classes;
    const double *log_weight;
    double *room;
    double *log_p;
})

TB_KERNEL(tb_tail_curves, const TailTask *task);
TB_KERNEL(tb_tilted, const TailTask *task, const TiltTask *tilt);
TB_KERNEL(tb_reach, const ReachTask *task);
TB_KERNEL(tb_falling_cubics, const CubicTask *task);
TB_KERNEL(tb_one_document, const OneDocumentTask *task);

#endif
