/* Exact fits of the beta-binomial, term by term.
 *
 * Variables are τ = log α_0 and ω = logit p with p = α_i/α_0, so that α_i = e^τ p and α_¬i = e^τ (1 − p). With T_q the
 * number of documents that contain the term more than q times, and K the function of the length table,
 *
 *     ∂ℓ/∂τ = Σ_r r/(α_¬ + r) − Σ_q T_q q/(α + q) − [K(α_¬) − K(α_0)]
 *     ∂ℓ/∂ω = (1 − p) A + p B − p (n − K(α_¬)),  A = n_i − Σ_q T_q q/(α + q),  B = n_i − Σ_r r/(α_¬ + r)
 *
 * where r runs over n_j − 1, …, n_j − n_ij for each document that contains the term: one number per occurrence. Equal
 * values of r are stored once, with a multiplicity. If a document contains the term very often (more than MANY times),
 * most of its q and r are not listed one by one: they are runs of consecutive integers, whose sums have a closed form.
 *
 * Each summand of ∂ℓ/∂τ falls like 1/α_0, so its root has full precision however large α_0 is. At fixed τ the
 * likelihood is concave in p. A penalty on α_0 adds a_0 + a_1 τ + a_2 e^τ + a_3 e^−τ to ∂ℓ/∂τ.
 */
#ifndef TB_BETA_BINOMIAL_H
#define TB_BETA_BINOMIAL_H

#include "cells.h"
#include "core.h"
#include "length_table.h"

enum { BOUNDARY = 0, CONVERGED = 1, DEGENERATE = 2, FAILED = 3 };

#define SMALLEST (-27.0) /* range of τ: α_0 from 2e-12 to 4e15 */
#define LARGEST 36.0

/* The integers from `first` to `last` − 1, each with a multiplicity of `weight`. */
typedef struct {
    double first, last, weight;
} Run;

/* The data of a term that its likelihood needs: T_q from q = 1 on (`more`), and the distinct r (`after`), each with its
 * multiplicity (`times`). Arrays are padded with zeros (r with ones) to whole LANES. Documents that contain it more than
 * MANY times have two runs each: the first of q, the second of r. */
TB_STRUCT(Term, {
    const double *more;
    const double *after;
    const double *times;
    const Run *runs;
    int64_t more_size;  /* the largest count minus one, but below MANY */
    int64_t after_size; /* number of distinct r */
    int64_t run_size;   /* twice the number of documents with runs */
    double largest;     /* count; 0 if there are no documents */
    double n_i;
    double documents; /* with the term */
    double mixed;     /* with the term and other terms */
})

/* Scratch space of one thread. `seen` has one number per token of the longest document; it is zero before and after a
 * call. */
TB_STRUCT(Room, {
    double *seen;
    Size longest;
    double *parts;
    Size size;
})

TB_STRUCT(FitResult, {
    double tau, omega, gain, objective, score, step, evaluations, status, h_tt, h_to, h_oo;
})

TB_STRUCT(FitTask, {
    const int64_t *terms;
    Size size;
    const double *penalty;
    double spacing;
    FitResult *results;
})

TB_STRUCT(GainTask, {
    const int64_t *terms;
    Size size;
    const double *tau;
    const double *omega;
    double *gain;
})

/* First and second derivatives, and the size of the sums that cancel in ∂τ. */
TB_STRUCT(Derivatives, {
    double tau, omega, tau_tau, tau_omega, omega_omega, size;
})

TB_STRUCT(DerivativeTask, {
    const int64_t *terms;
    Size size;
    const double *tau;
    const double *omega;
    const double *penalty;
    Derivatives *out;
})

TB_KERNEL(tb_fit_terms, const Cells *cells, const LengthTable *table, const FitTask *task, const Room *room);
TB_KERNEL(tb_gains, const Cells *cells, const LengthTable *table, const GainTask *task, const Room *room);
TB_KERNEL(tb_derivatives, const Cells *cells, const LengthTable *table, const DerivativeTask *task, const Room *room);

typedef struct {
    double p, rest;
} Share;

/* p and 1 − p, both without subtraction. */
TB_INLINE Share split(double omega) {
    double e = exp(-fabs(omega)), large = 1 / (1 + e), small = e / (1 + e);
    Share share = {omega > 0 ? large : small, omega > 0 ? small : large};
    return share;
}

int32_t gather(const Cells *cells, int64_t first, int64_t last, const Room *room, int64_t *used, Term *out);

/* The derivatives of the penalised log-likelihood; *penalty* may be NULL. */
Derivatives derivatives(double tau, double omega, const Term *term, double n, const double *table,
                        const double *penalty);

/* ℓ(τ, ω) − ℓ_binomial. */
double gain(double tau, double omega, const Term *term, double n, const double *table);

/* The same two with α_0, p, 1 − p and *delta*, −log(1 − p), instead of ω; the gain without `binomial_gain`. The
 * derivatives use what the gain at this point has *kept*: four numbers. */
Derivatives present_derivatives(double tau, double alpha_0, double p, double rest, double delta, const Term *term,
                                double n, const double *table, const double *kept);
double present_gain(double tau, double alpha_0, double p, double rest, double delta, const Term *term,
                    const double *table, double *kept);

/* The log-likelihood of a binomial with p minus that with the observed share. */
double binomial_gain(double p, double rest, double n_i, double n);

/* The same two for documents without the term. */
Derivatives absent_derivatives(double tau, double p, double rest, double delta, double n, const double *table,
                               const double *kept);
double absent_gain(double tau, double delta, double n, const double *table, double *kept);

#endif
