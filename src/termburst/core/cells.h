/* The cells of a collection by term, or of several collections (groups) over the same terms. */
#ifndef TB_CELLS_H
#define TB_CELLS_H

#include "core.h"

/* The cells of term i in group g are [indptr[g (terms + 1) + i], indptr[g (terms + 1) + i + 1]). `weight` is how many
 * documents a cell stands for; `weights` is `size`, or 1 where a single one serves all. */
typedef struct {
    const int64_t *indptr;
    const int32_t *count;
    const int32_t *length;
    const double *weight;
    int64_t terms;
    int64_t groups;
    int64_t size;
    int64_t weights;
} Cells;

/* What all cells need of room: the most occurrences that a term has in all groups, the longest document. */
typedef struct {
    int64_t *occurrences;
    int64_t *longest;
} CellBounds;

/* Terms, and for each the first of them whose cells are the same; `slots` is a hash table, 2^k of them. */
typedef struct {
    const int64_t *terms;
    int64_t *first;
    int64_t size;
    int64_t *slots;
    int64_t slot_count;
} AlikeTerms;

TB_API int32_t tb_cell_bounds(const Cells *cells, const CellBounds *out);
TB_API int32_t tb_alike_terms(const Cells *cells, const AlikeTerms *task);

TB_INLINE const int64_t *range_of(const Cells *cells, int64_t group, int64_t term) {
    return cells->indptr + group * (cells->terms + 1) + term;
}

TB_INLINE double weight_of(const Cells *cells, int64_t cell) {
    return cells->weight[cells->weights > 1 ? cell : 0];
}

/* Whether kernels may be called with this term. */
TB_INLINE int is_term(const Cells *cells, int64_t term) { return term >= 0 && term < cells->terms; }

#endif
