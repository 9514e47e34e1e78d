/* What a group of documents says about the precision of a term, and what it is then worth: profiles of the likelihood.
 *
 * A profile has points at multiples of a step in τ = log α_0. At each, π̂ maximises the likelihood of the group, and the group
 * is worth as much as x = N π̂ occurrences in N independent tokens: N is such that the curvature in logit π is that of a
 * binomial, N π̂ (1 − π̂). For a rare term, x is near the number of its bursts. A group without the term has x = 0, and
 * N = n − K(α_0), the slope of −ℓ in π at 0; a group of this term alone has x = N.
 */
#ifndef TB_PROFILES_H
#define TB_PROFILES_H

#include "beta_binomial.h"

/* The data of one group that the likelihood of a term needs. Filled by the kernels. */
typedef struct {
    Term term;
    const double *table;
    double n;
} Group;

/* The length tables of the groups, one after another, and their numbers of tokens. */
TB_STRUCT(GroupLengths, {
    const double *tables;
    const double *tokens;
    Size groups;
})

/* Collects the cells of a term in each group, to *out*. */
int32_t gather_groups(const Cells *cells, const GroupLengths *lengths, int64_t term, const Room *room, Group *out);

#define NODES 24 /* points of a profile at most; those where the likelihood is negligible are left out */

/* At each of `size` points, from `first` × `step` on: the log-likelihood with the mean integrated out (up to a
 * constant), its slope in τ, logit π̂ (−inf without the term, inf without others), log N, and by how much −ℓ'''/−ℓ'' in
 * logit π exceeds the 1 − 2π̂ of independent tokens: 0 for a word that comes in bursts of any size, 1 for one whose share
 * varies between long documents, where π̂ is more skewed. */
TB_STRUCT(SideProfile, {
    double height[NODES], slope[NODES], omega[NODES], log_size[NODES], skew[NODES];
    double step;
    int64_t first, size;
})

/* The terms, the τ where each window of points starts to be searched, the τ from which on precisions are so unlikely that
 * it ends, and one profile per term and group. There are one or two groups. */
TB_STRUCT(SideProfileTask, {
    const int64_t *terms;
    Size size;
    const double *start;
    double highest;
    SideProfile *out;
})

/* A profile between its points: cubic in τ. */
typedef struct {
    double height, omega, log_size, skew;
} ProfilePoint;

ProfilePoint profile_at(const SideProfile *profile, double tau);

TB_KERNEL(tb_profiles, const Cells *cells, const GroupLengths *lengths, const SideProfileTask *task, const Room *room);

#endif
