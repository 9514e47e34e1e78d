/* Confidence limits of two effects of a beta-binomial, term by term, by profile likelihood.
 *
 * The effects are functions of τ = log α_0 and ω = logit p:
 *
 *     burst ratio   log(R − 1) = −ω − log(1 + e^τ),  R = (1 + 1/α)/(1 + 1/α_0) = 1 + ρ(1 − p)/p,  ρ = 1/(1 + α_0)
 *     reuse         logit P(N ≥ 2 | N ≥ 1) for a document of a given length
 *
 * Where an effect has a given value (its level), ω is a function of τ. The likelihood is maximised along that curve by
 * Newton's method, within a bracket. A limit is the level where √(2(ℓ̂ − ℓ)) reaches a given root, again by Newton's
 * method within a bracket.
 */
#ifndef TB_EFFECTS_H
#define TB_EFFECTS_H

#include "beta_binomial.h"

enum { OF_RATIO = 0, OF_REUSE = 1 };

/* Lower and upper root of one term; NaN if there is no such limit. */
TB_STRUCT(Roots, {
    double low, high;
})

/* The terms, and their fits: τ (inf at the boundary), ω, and the gain over the binomial, one entry per term of the
 * collection, as for `roots` and `out`. `effect` is OF_RATIO or OF_REUSE, `length` is that of the document that reuse is
 * about. Limits go to `out` as levels; the lower one is −inf if R = 1 is not rejected. */
TB_STRUCT(EffectTask, {
    const int64_t *terms;
    Size size;
    int64_t effect;
    double length;
    const double *tau;
    const double *omega;
    const double *gain;
    const Roots *roots;
    Roots *out;
})

/* The logit of reuse for a document of `length` tokens, at each (τ, ω); τ may be inf. */
TB_STRUCT(ReuseTask, {
    const double *tau;
    Size size;
    const double *omega;
    double *out;
    double length;
})

/* An effect of one term: its cells, the lengths of all documents, and the length that reuse is about. */
typedef struct {
    const Term *term;
    const LengthTable *table;
    double length;
    int64_t effect;
} Profile;

/* The maximum of the likelihood where an effect has a given level: the parameter s of the curve (for the burst ratio it is
 * τ) and τ, the gain over the binomial, its derivative in the level, and ds/dlevel. The search ends where the next step
 * would be below `close`; `off` is that step, and gain and slope allow for it. For the burst ratio, `bend` is the second
 * derivative of the gain in the level, or NaN where the likelihood is not concave along the curve. */
typedef struct {
    double s, tau, gain, slope, turn, off, bend, close;
} Best;

TB_KERNEL(tb_effect_limits, const Cells *cells, const LengthTable *table, const EffectTask *task, const Room *room);
TB_KERNEL(tb_reuse, const ReuseTask *task);

/* Moves *best* to that maximum, from its s and τ. */
void best_on(const Profile *of, double level, Best *best);

#endif
