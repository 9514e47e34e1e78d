/* The cells of a collection by term, or of several groups of documents with the same terms. */
#ifndef TB_CELLS_H
#define TB_CELLS_H

#include "core.h"

enum { MANY = 1 << 17 }; /* occurrences in one document up to which kernels list them one by one */

/* The cells of term i in group g are [indptr[g (terms + 1) + i], indptr[g (terms + 1) + i + 1]). `weight` is the number
 * of documents that a cell stands for; `weights` is `size`, or 1 if all cells have the same weight. */
TB_STRUCT(Cells, {
    const int64_t *indptr;
    const int32_t *count;
    Size size;
    const int32_t *length;
    const double *weight;
    Size weights;
    int64_t terms;
    int64_t groups;
})

/* What determines the size of scratch space: the largest number of occurrences of a term (at most MANY of them in one
 * document are counted), and the longest document. */
TB_STRUCT(CellBounds, {
    int64_t *occurrences;
    int64_t *longest;
})

/* Terms, the terms with distinct cells, the position of each term's representative among those, and their number.
 * `slots` is a hash table of 2^k slots. */
TB_STRUCT(AlikeTerms, {
    const int64_t *terms;
    Size size;
    int64_t *distinct;
    int64_t *place;
    int64_t *found;
    int64_t *slots;
    Size slot_count;
})

TB_KERNEL(tb_cell_bounds, const Cells *cells, const CellBounds *out);
TB_KERNEL(tb_alike_terms, const Cells *cells, const AlikeTerms *task);

TB_INLINE const int64_t *range_of(const Cells *cells, int64_t group, int64_t term) {
    return cells->indptr + group * (cells->terms + 1) + term;
}

TB_INLINE double weight_of(const Cells *cells, int64_t cell) {
    return cells->weight[cells->weights > 1 ? cell : 0];
}

/* Whether the term is a valid index. */
TB_INLINE int is_term(const Cells *cells, int64_t term) { return term >= 0 && term < cells->terms; }

#endif
