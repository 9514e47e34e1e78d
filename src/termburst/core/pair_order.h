/* In how many documents does the second word of a pair come later than the first? */
#ifndef TB_PAIR_ORDER_H
#define TB_PAIR_ORDER_H

#include "core.h"

/* The places of all tokens by term, ascending: those of term k are places[term_of[k]] … places[term_of[k + 1] − 1].
 * ends says where each document ends, document_of the document of each place. */
TB_STRUCT(TermPlaces, {
    const int64_t *places;
    Size tokens;
    const int64_t *term_of;
    int64_t term_count;
    const int32_t *document_of;
    const int64_t *ends;
    Size documents;
})

/* For each pair of a list, the documents where the second word comes later, and where it comes earlier. */
TB_STRUCT(PairOrder, {
    const int32_t *one, *other;
    int64_t first, last;
    int64_t *later, *earlier;
})

TB_KERNEL(tb_pair_order, const TermPlaces *all, const PairOrder *out);

#endif
