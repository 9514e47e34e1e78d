/* Where searches for the maximum of a term's likelihood start: least-squares fits of logits; for regression.c. */
#ifndef TB_DESIGN_STARTS_H
#define TB_DESIGN_STARTS_H

#include "design_problem.h"

/* Coefficients from a weighted least-squares fit of the logits of the observed shares. A design cell without the term
 * has a logit that leaves it out, and hardly any weight. So coefficients without a finite maximum start far out, where
 * Newton's method would arrive only by steps of one. A first coefficient that is held stays as it is in x. */
void observed_start(const Problem *of, double *x);

/* Coefficients, with the first one held, whose logits are as near as possible to those of the last call of `value_at`.
 * Only design cells where the term is improbable already may differ much: they move farther out. So the likelihood stays
 * the same if nothing is known about the first coefficient. */
void nearest_start(const Problem *of, double *x);

/* Whether the last call of `value_at` has a design cell where the term is that improbable. */
int somewhere_improbable(const Problem *of);

/* Moves the design cells that a *fit* without a finite maximum pushes out so far out that they are left out; the others
 * stay as they are. *fit* has the value after its parameters. A fit then costs only the design cells that matter, and
 * does not depend on where a search stopped on its way to infinity. */
void put_far_out(const Problem *of, double *fit);

#endif
