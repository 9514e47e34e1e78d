/* Do the burst ratios of a term differ between two groups of documents? By profile likelihood, term by term.
 *
 * Each group g has its own mean and precision. With λ_g = log R_g, and ℓ_g(λ) the likelihood of a group maximised over
 * its mean, the profile of the difference δ = λ_a − λ_b is max_λ ℓ_a(λ + δ) + ℓ_b(λ). Neither λ can be below 0. */
#ifndef TB_BURST_DIFFERENCE_H
#define TB_BURST_DIFFERENCE_H

#include "effects.h"

/* The terms of two groups with their length tables, and the fits: three numbers per group and term of the collection,
 * τ (inf at the boundary), ω and the gain over the binomial of that group. At the limits √(2(ℓ̂ − ℓ)) is the root of the
 * term; no limits are searched if it is 0. `out` has three numbers per term: 2(ℓ̂ − ℓ) at δ = 0, and the limits of δ. */
TB_STRUCT(DifferenceTask, {
    const int64_t *terms;
    Size size;
    const double *fits;
    const double *roots;
    double *out;
})

TB_KERNEL(tb_burst_differences, const Cells *cells, const LengthTable *first, const LengthTable *second,
          const DifferenceTask *task, const Room *room);

#endif
