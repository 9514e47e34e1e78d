/* What the search for a maximum needs of a likelihood, besides the functions of beta_binomial.h. */
#ifndef TB_LIKELIHOOD_H
#define TB_LIKELIHOOD_H

#include "beta_binomial.h"

/* The derivatives of four terms at one point each, without penalties or runs. A lane is a term, so short lists of
 * occurrences take no longer than needed, and the four do not wait for each other. `more` and `after` of each term can
 * be read up to the largest size among the four, where `more` or `times` is 0. */
void derivatives_of_four(const Lanes *tau, const Lanes *omega, const Term *terms, double n, const double *table,
                         Derivatives *out);

/* lim −α_0 ∂ℓ/∂τ as α_0 → ∞, at p = n_i/n: above 0 if the likelihood rises as α_0 decreases from infinity. It has the
 * sign of Tarone's score. */
double excess_pairs(const Term *term, double n, double pairs);

#endif
