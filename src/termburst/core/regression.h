/* The beta-binomial regression of one term on a design, and profile-likelihood limits of one coefficient.
 *
 * Documents with the same row x_g of the design matrix are one design cell. Its logit mean is ω_g = x_g·β, and its
 * precision is log α_0g = τ − κ (v_g − v), v_g = log π_g(1 − π_g), with v the same for all documents together: the tie of
 * groups.h. Each design cell has its own length table, so that the fit of a term costs its own occurrences and one
 * look-up per design cell, whatever the number of documents.
 */
#ifndef TB_REGRESSION_H
#define TB_REGRESSION_H

#include "beta_binomial.h"

/* The design: `rows` has `columns` numbers per design cell. `group` is the design cell of each cell of the collection,
 * in ascending order within a term. `tables` and `tokens` are the length table and the tokens of each design cell. If
 * `firmness` is above 0, the tie is fitted, too: the last column must be 0 in all rows, its coefficient is the κ of the
 * term, and −firmness (κ − `kappa`)²/2 is added to ℓ, a normal prior. */
typedef struct {
    const double *rows;
    int64_t columns;
    int64_t groups;
    const int32_t *group;
    const double *tables;
    const double *tokens;
    int64_t longest;
    double kappa;
    double firmness;
} Design;

/* Scratch space of one thread: one Term, one place and one point (POINT bytes) per design cell, and `size` numbers;
 * `counted` has one number more than there are design cells. */
enum { POINT = 144 };
typedef struct {
    void *present;
    int64_t *place;
    int64_t *counted;
    void *points;
    double *numbers;
    int64_t size;
} DesignRoom;

/* The terms to fit. Arrays have one row per term of the collection. `start` has the coefficients and τ; a first column
 * that is `held` keeps its value. With `keep`, all do: a fit in terms of another basis. `out` receives the coefficients,
 * τ, the gain over one binomial per design cell, the gain that one more Newton step would bring, and the curvature
 * −∂²ℓ/∂β_0² of the profile over all others. With `keep`, `without` receives the same with β_0 = 0.
 *
 * `tangent` receives, with `keep`, how fast each other parameter follows β_0: as many numbers per term as `start` has.
 *
 * `rival` has one number per term: the highest other maximum over τ, which `scan` writes; −∞ if there is none, ∞ if
 * nothing is known. A fit with β_0 held that is above it needs no scan: what is held only lowers the other maxima. */
typedef struct {
    const int64_t *terms;
    int64_t size;
    int64_t held;
    int64_t scan;
    int64_t keep;
    const double *start;
    double *out;
    double *without;
    double *rival;
    double *tangent;
} DesignFitTask;

/* As above; `fits` are rows of `out` of a fit with no column held, `without` those with the first one held at 0, where a
 * search starts if the estimate is far out. `tangent` is as a fit with `keep` writes it; NaN if not known. At a limit of
 * the first coefficient, twice the log-likelihood is lower by `critical`; `out` has two numbers per term. */
typedef struct {
    const int64_t *terms;
    int64_t size;
    const double *fits;
    const double *without;
    const double *critical;
    const double *rival;
    const double *tangent;
    double *out;
} DesignLimitTask;

TB_API int32_t tb_fit_design(const Cells *cells, const Design *design, const DesignFitTask *task, const Room *room,
                             const DesignRoom *design_room);
TB_API int32_t tb_design_limits(const Cells *cells, const Design *design, const DesignLimitTask *task,
                                const Room *room, const DesignRoom *design_room);

/* log α_0 of a design cell with logit mean ω, and its first and second derivative in ω. */
typedef struct {
    double tau, slope, bend;
} Tied;

TB_INLINE Tied tied(double kappa, double middle, double tau, double omega) {
    Share share = split(omega);
    double own = tau - kappa * (-fabs(omega) - 2 * log1p(exp(-fabs(omega))) - middle);
    if (!(own < LARGEST && own > SMALLEST)) return (Tied){between(own, SMALLEST, LARGEST), 0.0, 0.0};
    return (Tied){own, -kappa * (share.rest - share.p), 2 * kappa * share.p * share.rest};
}

#endif
