/* The fit of one term in several groups of documents: one mean per group, and precisions tied by one parameter.
 *
 * Variables are τ, shared, and ω_g = logit π_g, with log α_0g = τ − κ (v_g − v), v_g = log π_g(1 − π_g) and v the same
 * for all groups together. Given τ the groups are independent, so the Hessian is an arrow matrix: a Newton step costs
 * one evaluation per group, and the slope and curvature of the profile over τ are sums.
 */
#ifndef TB_GROUPS_H
#define TB_GROUPS_H

#include "beta_binomial.h"

/* The data of one group that the likelihood of a term needs. Filled by the kernels. */
typedef struct {
    Term term;
    const double *table;
    double n;
} Group;

/* The length tables of the groups, one after another, their numbers of tokens, and the longest document. */
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

/* The terms to fit, κ, and the fits to all groups together: `tau` (inf for the binomial), `omega`, and their gain over
 * one binomial per group. `out` has 2 + groups numbers per term of the collection: τ, gain, ω_g. */
typedef struct {
    const int64_t *terms;
    int64_t size;
    double kappa;
    const double *tau;
    const double *gain;
    const double *omega;
    double *out;
} GroupFitTask;

TB_API int32_t tb_fit_groups(const Cells *cells, const GroupLengths *lengths, const GroupFitTask *task,
                             const Room *room, const GroupRoom *group_room);

/* What ratios.c uses too. */

/* The groups of a term, and how their precisions are tied: κ and v. */
typedef struct {
    Group *group;
    int64_t size;
    double kappa, middle;
} GroupModel;

int32_t has_group_room(const Cells *cells, const GroupRoom *room);
/* Collects the cells of a term in each group. *mixed* receives the number of mixed documents. */
int32_t gather_groups(const Cells *cells, const GroupLengths *lengths, int64_t term, const Room *room,
                      GroupModel *model, double *mixed);
/* Derivatives of the log-likelihood of one group in the shared τ and its own ω, by the chain rule. */
Derivatives group_derivatives(const GroupModel *model, int64_t g, double tau, double omega);
/* The log-likelihood of one group, minus that of its binomial. */
double group_gain(const GroupModel *model, int64_t g, double tau, double omega);

#endif
