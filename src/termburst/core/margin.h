/* A linear classifier of two classes: squared hinge loss, and one prior variance per column. */
#ifndef TB_MARGIN_H
#define TB_MARGIN_H

#include "core.h"

/* Weights of documents, rows × columns, row by row. */
TB_STRUCT(WeightRows, {
    const int64_t *starts;
    const int32_t *columns_of;
    const double *weights;
    Size cells;
    int64_t rows;
    int64_t columns;
})

/* The problem: minimise ½ Σ_i v_i²/s_i + ½ b² + ½ Σ_j c_j max(0, 1 − y_j (v·x_j + b))². `side` is y (1 or −1) and
 * `cost` is c, 0 for a row to leave out. The search ends when as many rows were looked at as in `sweeps` sweeps over all. */
TB_STRUCT(MarginProblem, {
    const double *side;
    const double *cost;
    double tolerance;
    int64_t sweeps;
    int64_t seed;
})

/* v_i and s_i of column i are pairs[2i] and pairs[2i + 1], so that a step finds both in one cache line; s is read, and
 * the solution v is written. So are one dual variable per row, and the bias, the number of sweeps and the last violation
 * in `state`. `square` and `order` are scratch space, one entry per row. */
TB_STRUCT(MarginFit, {
    double *pairs;
    double *dual;
    double *square;
    int64_t *order;
    double *state;
})

TB_KERNEL(tb_margin, const WeightRows *rows, const MarginProblem *problem, const MarginFit *fit);

#endif
