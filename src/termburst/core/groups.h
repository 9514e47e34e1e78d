/* The data of a term in several groups of documents. */
#ifndef TB_GROUPS_H
#define TB_GROUPS_H

#include "beta_binomial.h"

/* The data of one group that the likelihood of a term needs. Filled by the kernels. */
typedef struct {
    Term term;
    const double *table;
    double n;
} Group;

/* The length tables of the groups, one after another, and their numbers of tokens. */
typedef struct {
    const double *tables;
    const double *tokens;
    int64_t groups;
} GroupLengths;

/* Collects the cells of a term in each group, to *out*. */
int32_t gather_groups(const Cells *cells, const GroupLengths *lengths, int64_t term, const Room *room, Group *out);

#endif
