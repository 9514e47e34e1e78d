/* The beta-binomial regression of one term on a design, and profile-likelihood limits of one coefficient.
 *
 * Documents with the same row x_g of the design matrix are one design cell. Its logit mean is ω_g = x_g·β, and its
 * precision is log α_0g = τ − κ (v_g − v), v_g = log π_g(1 − π_g), with v the same for all documents together (`tied`
 * below). Besides, the precision may lean on covariates: log α_0g = τ + o_g + Σ γ_p z_gp − κ (v_g − v), where o is
 * given, and each γ_p is fitted with a normal prior around 0. Each design cell has its own length table, so that the fit
 * of a term costs its own occurrences and one look-up per design cell, whatever the number of documents.
 */
#ifndef TB_REGRESSION_H
#define TB_REGRESSION_H

#include "beta_binomial.h"

/* The design: `rows` has `columns` numbers per design cell. `group` is the design cell of each cell of the collection,
 * in ascending order within a term. `tables` and `tokens` are the length table and the tokens of each design cell.
 * `offsets` has o, and `leans` has z, `leaning` numbers per design cell. The last `leaning` columns must be 0 in all rows;
 * their coefficients are the γ. `firm` has `leaning` numbers per term of the collection, and −firm_p γ_p²/2 is added to ℓ. */
TB_STRUCT(Design, {
    const double *rows;
    int64_t columns;
    const int32_t *group;
    const double *tables;
    const double *tokens;
    Size groups;
    int64_t longest;
    double kappa;
    const double *offsets;
    const double *leans;
    const double *firm;
    int64_t leaning;
})

/* Columns whose coefficients are of the mean; the others are of the precision, as is τ. */
TB_INLINE int64_t mean_columns(const Design *design) {
    return design->columns - design->leaning;
}

/* What is added to log α_0 of design cell g, given the γ. */
TB_INLINE double leaning_of(const Design *design, int64_t g, const double *gamma) {
    double lean = design->offsets[g];
    for (int64_t p = 0; p < design->leaning; p++) lean += design->leans[g * design->leaning + p] * gamma[p];
    return lean;
}

/* Scratch space of one thread: one Term, one place and one point (POINT bytes) per design cell, and `size` numbers;
 * `counted` has one number more than there are design cells. */
enum { POINT = 160 };
TB_STRUCT(DesignRoom, {
    void *present;
    int64_t *place;
    int64_t *counted;
    void *points;
    double *numbers;
    Size size;
})

/* The terms to fit. Arrays have one row per term of the collection. `start` has the coefficients and τ; a first column
 * that is `held` keeps its value. With `keep`, all do: a fit in terms of another basis. `out` receives the coefficients,
 * τ, the gain over one binomial per design cell, the gain that one more Newton step would bring, and the curvature
 * −∂²ℓ/∂β_0² of the profile over all others. With `keep`, `without` receives the same with β_0 = 0.
 *
 * `tangent` receives, with `keep`, how fast each other parameter follows β_0: as many numbers per term as `start` has.
 *
 * `rival` has one number per term: the highest other maximum over τ, which `scan` writes; −∞ if there is none, ∞ if
 * nothing is known. A fit with β_0 held that is above it needs no scan: what is held only lowers the other maxima.
 *
 * `spread` receives, with `keep`, 1 + `leaning` numbers per term: the variance of log V, where V is the variance of β_0 given
 * the precision, and the variance of each γ. NaN if not known, or if there are no γ. If `alone`, the variances of γ are
 * all that is found, and there are no fits with β_0 = 0. */
TB_STRUCT(DesignFitTask, {
    const int64_t *terms;
    Size size;
    int64_t held;
    int64_t scan;
    int64_t keep;
    int64_t alone;
    const double *start;
    double *out;
    double *without;
    double *rival;
    double *tangent;
    double *spread;
})

/* As above; `fits` are rows of `out` of a fit with no column held, `without` those with the first one held at 0, where a
 * search starts if the estimate is far out. `tangent` is as a fit with `keep` writes it; NaN if not known. At a limit of
 * the first coefficient, twice the log-likelihood is lower by `critical`; `out` has two numbers per term. */
TB_STRUCT(DesignLimitTask, {
    const int64_t *terms;
    Size size;
    const double *fits;
    const double *without;
    const double *critical;
    const double *rival;
    const double *tangent;
    double *out;
})

TB_KERNEL(tb_fit_design, const Cells *cells, const Design *design, const DesignFitTask *task, const Room *room,
          const DesignRoom *design_room);
TB_KERNEL(tb_design_limits, const Cells *cells, const Design *design, const DesignLimitTask *task, const Room *room,
          const DesignRoom *design_room);

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
