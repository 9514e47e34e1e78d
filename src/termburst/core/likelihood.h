/* The log-likelihood of the beta-binomial of a term, above that of the binomial, and its derivatives in τ and ω. */
#ifndef TB_LIKELIHOOD_H
#define TB_LIKELIHOOD_H

#include "beta_binomial.h"

typedef struct {
    double p, rest;
} Share;

/* p and 1 − p, both without subtraction. */
TB_INLINE Share split(double omega) {
    double e = exp(-fabs(omega)), large = 1 / (1 + e), small = e / (1 + e);
    Share share = {omega > 0 ? large : small, omega > 0 ? small : large};
    return share;
}

/* *penalty* may be NULL. */
Derivatives derivatives(double tau, double omega, const Term *term, double n, const double *table,
                        const double *penalty);

/* The derivatives of four terms at one point each, without penalties or runs. A lane is a term, so short lists of
 * occurrences take no longer than needed, and the four do not wait for each other. `more` and `after` of each term can
 * be read up to the largest size among the four, where `more` or `times` is 0. */
void derivatives_of_four(const Lanes *tau, const Lanes *omega, const Term *terms, double n, const double *table,
                         Derivatives *out);

double gain(double tau, double omega, const Term *term, double n, const double *table);

/* lim −α_0 ∂ℓ/∂τ as α_0 → ∞, at p = n_i/n: above 0 if the likelihood rises as α_0 decreases from infinity. It has the
 * sign of Tarone's score. */
double excess_pairs(const Term *term, double n, double pairs);

#endif
