/* Which words stand before the first occurrence of another word in more documents than chance brings there? */
#ifndef TB_URN_SCREEN_H
#define TB_URN_SCREEN_H

#include "core.h"

/* The first occurrence of each term in each document, by document and then by place: its term, and what the rest of the
 * document would expose a term to from there on (Σ 1/Z after it). The same cells by term: `documents` and `cells` say in
 * which document and where in the list above, from term_of[k] to term_of[k + 1] − 1. */
TB_STRUCT(FirstPlaces, {
    const int64_t *document_of;
    const int32_t *terms;
    Size cells;
    const double *after;
    int64_t documents;
    const int64_t *term_of;
    const int32_t *document;
    const int64_t *cell;
    int64_t term_count;
})

/* For each target of a list the `most` sources with the largest likelihood ratio, the largest first; −1 for none. */
TB_STRUCT(UrnScreen, {
    const int32_t *targets;
    int64_t first, last;
    const double *alpha;
    const double *presence;
    const uint8_t *eligible;
    double least_documents;
    double least_ratio;
    int64_t most;
    int32_t *sources;
    double *ratio;
    double *shared;
    double *expected;
})

/* Scratch space of one thread, all zero at the start: for each term. */
TB_STRUCT(ScreenRoom, {
    double *count;
    double *overlap;
    int32_t *touched;
})

TB_KERNEL(tb_urn_screen, const FirstPlaces *places, const UrnScreen *out, const ScreenRoom *room);

#endif
