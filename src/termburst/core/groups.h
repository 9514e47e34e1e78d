/* The fit of one term in several groups of documents: a mean of its own each, and precisions tied by one parameter.
 *
 * Variables are τ, shared, and ω_g = logit π_g, with log α_0g = τ − κ (v_g − v), v_g = log π_g(1 − π_g) and v the same of
 * all groups together. Given τ the groups are independent, so that the Hessian is an arrow: a Newton step costs one
 * evaluation per group, and the slope and curvature of the profile over τ are sums.
 */
#ifndef TB_GROUPS_H
#define TB_GROUPS_H

#include "beta_binomial.h"

/* One group: what a term's likelihood needs of it. Filled by the kernels. */
typedef struct {
    Term term;
    const double *table;
    double n;
} Group;

/* The groups' lengths: a table each one after another, and the tokens; the longest document of all. */
typedef struct {
    const double *tables;
    const double *tokens;
    int64_t groups;
    int64_t longest;
} GroupLengths;

/* Scratch space of one thread: `rows` has six numbers per group. */
typedef struct {
    void *groups;
    double *rows;
    int64_t size;
} GroupRoom;

/* The terms to fit, κ, and the fits of all groups together: `tau` (inf for the binomial), `omega`, and their gain over
 * a binomial for every group. `out` has 2 + groups numbers per term of the collection: τ, gain, ω_g. */
typedef struct {
    const int64_t *terms;
    int64_t size;
    double kappa;
    const double *tau;
    const double *gain;
    const double *omega;
    double *out;
} GroupFitTask;

/* The terms of two groups, and their fits: five numbers per term of the collection, τ_a, τ_b, gain, ω_a, ω_b. Terms that
 * are `own` have precisions of their own, the others one tied by κ. The limits are where twice the log-likelihood has
 * fallen by `critical`; `out` has two numbers per term. For ratios, where `critical` is not used, one. */
typedef struct {
    const int64_t *terms;
    int64_t size;
    double kappa;
    const uint8_t *own;
    const double *fits;
    const double *critical;
    double *out;
} RatioTask;

TB_API int32_t tb_fit_groups(const Cells *cells, const GroupLengths *lengths, const GroupFitTask *task,
                             const Room *room, const GroupRoom *group_room);
TB_API int32_t tb_ratios(const Cells *cells, const GroupLengths *lengths, const RatioTask *task, const Room *room,
                         const GroupRoom *group_room);
TB_API int32_t tb_ratio_limits(const Cells *cells, const GroupLengths *lengths, const RatioTask *task, const Room *room,
                               const GroupRoom *group_room);

#endif
