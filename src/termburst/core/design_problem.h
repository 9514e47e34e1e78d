/* The likelihood of one term under a design, and the search for its maximum; for the kernels of regression.c. */
#ifndef TB_DESIGN_PROBLEM_H
#define TB_DESIGN_PROBLEM_H

#include "regression.h"

#define FARTHEST_LOGIT 60.0  /* of a logit mean: beyond, the likelihood does not change */
#define NEARLY_BINOMIAL 14.0 /* of τ below its end: if the likelihood still rises, τ jumps to the end */
#define NEGLIGIBLE (-23.0)   /* log of the expected tokens in a design cell without the term, below which it is left out */

/* A design cell at a point x: logit mean ω, p, 1 − p, −log(1 − p), v, o + Σ γ z, log α_0 if that is fixed, α_0, and
 * log α_0 with its derivatives in ω;
 * log p and −log(1 − p) of the observed share, NaN if the difference to them would have rounding errors; and the
 * columns in which its row of the design is not 0, from `first` to `last`; and what `absent_gain` has looked up. Up to a
 * logit of `ends`, documents without the term say nothing: their log-likelihood is between −e^NEGLIGIBLE and 0. */
typedef struct {
    double omega, ends, p, rest, delta, v, lean, fixed, alpha_0, observed_log_p, observed_delta;
    Tied own;
    int64_t first, last;
    double kept[LANES];
} Point;
_Static_assert(sizeof(Point) == POINT, "regression.py allocates points");

/* Everything that stays constant while one term is fitted. x has the coefficients and τ; `lean` points to the
 * log-density of the priors at the last call of `value_at`, and its γ. If `fixed`, a search leaves γ and τ as they are. */
typedef struct {
    const Design *design;
    const Term *present;  /* the design cells with the term */
    const int64_t *place; /* of each design cell in `present`, or −1 */
    int64_t *counted;     /* how many design cells are not left out at the x of the last call of `value_at`, and which */
    Point *points;
    double middle, highest, lowest; /* v of all documents together, and the range of τ */
    double enough;                  /* gain of a step below which a search ends */
    int64_t held, fixed;
    int64_t width;      /* columns and τ, padded with zeros to whole LANES */
    const double *rows; /* of the design, `width` numbers each */
    const double *firm; /* of the term */
    double *lean;
    double *gradient, *hessian; /* `width` numbers per row */
    double *padded;             /* `width` numbers */
    double *factor, *step, *trial, *moved, *across, *tangent, *limit, *other, *moves; /* `other` has two rows */
} Problem;

TB_INLINE const Term *term_in(const Problem *of, int64_t g) {
    return of->place[g] < 0 ? NULL : &of->present[of->place[g]];
}

/* Copies the design to the scratch space: once, before `begin` is called for each term. */
int32_t prepare(const Design *design, const DesignRoom *design_room);

/* Collects the cells of a term in each design cell, and the number of documents with it. */
int32_t begin(const Cells *cells, const Design *design, int64_t term, const Room *room, const DesignRoom *design_room,
              Problem *of, double *documents);

/* From now on α_0 of every design cell is that at x, and the precision is no longer fitted. */
void fix_precision(Problem *of, const double *x);

/* ℓ(x) minus the log-likelihood of one binomial per design cell. */
double value_at(const Problem *of, const double *x);

/* The same at the coefficients of the last call of `value_at`, and another τ. */
double value_at_tau(const Problem *of, double tau);

/* The product of row g of the design with the last vector that `pad` copied. */
TB_INLINE double row_product(const Problem *of, int64_t g) {
    const double *row = of->rows + g * of->width;
    Lanes sum = {0.0};
    for (int64_t k = of->points[g].first / LANES * LANES; k <= of->points[g].last; k += LANES)
        sum += lanes_at(row + k) * lanes_at(of->padded + k);
    return lanes_sum(sum);
}

/* Copies the coefficients of x to `padded`. */
TB_INLINE void pad(const Problem *of, const double *x) {
    for (int64_t k = 0; k < of->design->columns; k++) of->padded[k] = x[k];
}

/* Adds *slope* times row g to the gradient, and *bend* times its outer product to the lower triangle of the Hessian. */
TB_INLINE void add_row(const Problem *of, int64_t g, double slope, double bend) {
    const double *row = of->rows + g * of->width;
    int64_t begin = of->points[g].first / LANES * LANES, last = of->points[g].last;
    for (int64_t k = begin; k <= last; k += LANES) lanes_add(of->gradient + k, slope * lanes_at(row + k));
    for (int64_t k = of->points[g].first; k <= last; k++) {
        double *line = of->hessian + k * of->width, part = bend * row[k];
        for (int64_t l = begin; l <= k; l += LANES) lanes_add(line + l, part * lanes_at(row + l));
    }
}

/* Sets gradient and Hessian to 0. */
void clear_slopes(const Problem *of);

/* Gradient and Hessian (the lower triangle) of ℓ, at the x of the last call of `value_at`. */
void slopes_here(const Problem *of);

/* Whether τ is not at an end of its range that the likelihood pushes it against. */
int tau_is_free(const Problem *of, const double *x);

/* How many of the parameters, from the first on, a search may change, apart from a first one that is held. */
int64_t free_parameters(const Problem *of, const double *x);

/* The Newton step with the diagonal raised by *damping*. Returns half of gradient times step, the gain that the
 * quadratic model predicts; NaN if the matrix is not positive definite. */
double newton_step(const Problem *of, const double *x, double damping);

/* How much of the step to take: no logit moves by more than 4, and τ by no more than 3. */
double bounded(const Problem *of);

/* Newton's method with damping, uphill from x, which receives the maximum. Returns its value; *left is the gain that the
 * last step predicted. ℓ never falls, and the number of evaluations is bounded, so it ends whatever the data are. */
double climb(const Problem *of, double *x, double *left);

/* −∂²ℓ/∂β_0² of the profile over all other parameters, by the Hessian of the last call of `slopes_here`. `tangent`
 * receives how fast each other parameter follows β_0, if that is known. */
double profile_curvature(const Problem *of, const double *x);

#endif
