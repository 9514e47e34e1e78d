/* The ratio of a term's means in two groups: the likelihood-ratio statistic of equal means, and profile-likelihood
 * limits of log π_a/π_b. At each ratio, τ and log π_b are at their maximum.
 */
#ifndef TB_RATIOS_H
#define TB_RATIOS_H

#include "groups.h"

/* The terms of two groups, and their fits: five numbers per term of the collection, τ_a, τ_b, gain, ω_a, ω_b. Terms
 * that are `own` have one precision per group, the others have precisions tied by κ. At the limits, twice the
 * log-likelihood is lower by `critical`; `out` has two numbers per term. For ratios `critical` is not used, and `out`
 * has one number. */
typedef struct {
    const int64_t *terms;
    int64_t size;
    double kappa;
    const uint8_t *own;
    const double *fits;
    const double *critical;
    double *out;
} RatioTask;

TB_API int32_t tb_ratios(const Cells *cells, const GroupLengths *lengths, const RatioTask *task, const Room *room,
                         const GroupRoom *group_room);
TB_API int32_t tb_ratio_limits(const Cells *cells, const GroupLengths *lengths, const RatioTask *task, const Room *room,
                               const GroupRoom *group_room);

#endif
