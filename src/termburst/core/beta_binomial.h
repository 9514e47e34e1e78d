/* The exact fit of one term's beta-binomial, and of many.
 *
 * Variables are τ = log α_0 and ω = logit p with p = α_i/α_0, so that α_i = e^τ p and α_¬i = e^τ (1 − p). With T_q the
 * number of documents that hold the term more than q times, K the length table and sums over the term's own occurrences,
 *
 *     ∂ℓ/∂τ = Σ_r r/(α_¬ + r) − Σ_q T_q q/(α + q) − [K(α_¬) − K(α_0)]
 *     ∂ℓ/∂ω = (1 − p) A + p B − p (n − K(α_¬)),  A = n_i − Σ_q T_q q/(α + q),  B = n_i − Σ_r r/(α_¬ + r)
 *
 * where r runs over n_j − 1, …, n_j − n_ij for every document that holds the term: one number per occurrence, equal ones
 * taken together.
 *
 * Each term of ∂ℓ/∂τ falls like 1/α_0, so that its root is found to full precision however large α_0 is. At fixed τ the
 * likelihood is concave in p. A penalty on α_0 adds a_0 + a_1 τ + a_2 e^τ + a_3 e^−τ to ∂ℓ/∂τ.
 */
#ifndef TB_BETA_BINOMIAL_H
#define TB_BETA_BINOMIAL_H

#include "cells.h"
#include "core.h"
#include "length_table.h"

enum { BOUNDARY = 0, CONVERGED = 1, DEGENERATE = 2, FAILED = 3 };

#define SMALLEST (-27.0) /* of τ: α_0 from 2e-12 to 4e15 */
#define LARGEST 36.0

/* What the likelihood of a term needs of its cells: T_q from q = 1 on, and the r, each so many `times`. All are padded
 * with zeros (r with ones) to whole LANES. */
typedef struct {
    const double *more;
    const double *after;
    const double *times;
    int64_t more_size;  /* q up to the largest count, less one */
    int64_t after_size; /* different r */
    double n_i;
    double documents; /* that hold the term */
    double mixed;     /* that hold the term and something else */
} Term;

/* Scratch space of one thread. `seen` is zeros, as many as the longest document has tokens, and is left so. */
typedef struct {
    double *seen;
    double *parts;
    int64_t longest;
    int64_t size;
} Room;

/* How maxima are looked for. The scan begins at α_0 = e² max(longest document, (largest count − 1 + margin) n/n_i); the slope
 * is taken at τ `spacing` apart, within `near` of the profile in ω, linearised from there, and nearer where that leaves its
 * sign in doubt. */
typedef struct {
    double spacing, near, margin;
} Scan;
#define FIT_NEAR 0.05 /* of fits: where they climb from decides on their last digits */
#define FIT_MARGIN 1.0
#define DRAW_NEAR 0.5 /* of null draws: of the maximum only its height is asked, which takes half of the evaluations */
#define DRAW_MARGIN 0.0

typedef struct {
    double tau, omega, gain, objective, score, step, evaluations, status, h_tt, h_to, h_oo;
} FitResult;

typedef struct {
    const int64_t *terms;
    int64_t size;
    const double *penalty;
    double spacing;
    FitResult *results;
} FitTask;

typedef struct {
    const int64_t *terms;
    const double *tau;
    const double *omega;
    double *gain;
    int64_t size;
} GainTask;

/* First and second derivatives, and the size of the sums that cancel in ∂τ. */
typedef struct {
    double tau, omega, tau_tau, tau_omega, omega_omega, size;
} Derivatives;

typedef struct {
    const int64_t *terms;
    const double *tau;
    const double *omega;
    const double *penalty;
    Derivatives *out;
    int64_t size;
} DerivativeTask;

typedef struct {
    const int64_t *terms;
    double *excess;
    int64_t size;
} ExcessTask;

TB_API int32_t tb_fit_terms(const Cells *cells, const LengthTable *table, const FitTask *task, const Room *room);
TB_API int32_t tb_gains(const Cells *cells, const LengthTable *table, const GainTask *task, const Room *room);
TB_API int32_t tb_derivatives(const Cells *cells, const LengthTable *table, const DerivativeTask *task,
                              const Room *room);
TB_API int32_t tb_excess_pairs(const Cells *cells, const LengthTable *table, const ExcessTask *task, const Room *room);

typedef struct {
    double p, rest;
} Share;

/* p and 1 − p, neither by subtraction. */
TB_INLINE Share split(double omega) {
    double e = exp(-fabs(omega)), large = 1 / (1 + e), small = e / (1 + e);
    Share share = {omega > 0 ? large : small, omega > 0 ? small : large};
    return share;
}

int32_t gather(const Cells *cells, int64_t first, int64_t last, const Room *room, int64_t *used, Term *out);
Derivatives derivatives(double tau, double omega, const Term *term, double n, const double *table,
                        const double *penalty);
double gain(double tau, double omega, const Term *term, double n, const double *table);
void fit_term(const Term *term, const LengthTable *table, const double *penalty, const Scan *scan, FitResult *best);

#endif
