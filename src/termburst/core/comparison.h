/* Two groups of documents, each with its own precision: how sure is it that a term's share is larger in the first?
 *
 * Given both precisions, each group is worth x occurrences in N independent tokens (profiles.h), and the ratio of the two
 * shares is compared as in a 2 × 2 table. What is not known of the precisions is averaged over: their likelihoods, with
 * a prior of log α_0a − log α_0b that all terms of a collection have in common.
 */
#ifndef TB_COMPARISON_H
#define TB_COMPARISON_H

#include "profiles.h"

/* The prior: log α_0a − log α_0b is `shift` + `spread` × Student's t with DEGREES degrees of freedom. The level, `weight_a`
 * τ_a + (1 − `weight_a`) τ_b, has a flat density up to `level`, and one that falls like 1/α_0 beyond. */
TB_STRUCT(PrecisionPrior, {
    double shift, spread, level, weight_a;
})
#define DEGREES 4.0

/* Σ_i log ∫ L_i(r) p(r | shift, spread) dr over the terms, for each shift and spread, to `sums`; each term counts `times`.
 * `likelihood` is scratch, RATIOS numbers. */
TB_STRUCT(LearnTask, {
    const SideProfile *profiles;
    const double *times;
    Size size;
    const PrecisionPrior *prior;
    const double *density; /* of r, one row of RATIOS numbers per pair of shift and spread */
    double *likelihood;
    double *sums;
    Size rows;
})
enum { RATIOS = 65 };
#define RATIO_STEP 0.25 /* r = RATIO_STEP × (k − 32) */

/* The tails at `log_ratios` (per term, `tails` of them): the probabilities that the ratio is below, and above, to
 * `below` and `above`. Then the median of the ratio to `median`, the likelihood ratio of equal shares at the mean
 * x and N to `statistic`, and the limits at each of the two-sided `levels` to `limits`, two per level: for the
 * first level for all terms, for the others if p at a ratio of 1 is at most the first. */
TB_STRUCT(CompareTask, {
    const SideProfile *profiles;
    const PrecisionPrior *prior;
    const double *log_ratios;
    int64_t tails;
    const double *levels;
    Size level_count;
    double *below, *above;
    double *median;
    Size size;
    double *statistic, *limits;
})

TB_KERNEL(tb_learn_precisions, const LearnTask *task);
TB_KERNEL(tb_compare_sides, const CompareTask *task);

#endif
