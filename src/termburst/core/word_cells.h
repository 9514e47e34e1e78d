/* How often each word occurs in each document, from the words in their order. */
#ifndef TB_WORD_CELLS_H
#define TB_WORD_CELLS_H

#include "core.h"

/* tokens[k] is the number of the word at place k. Document d is the places up to ends[d] that are in no earlier one.
 * Only places with chosen[k] = 1 are counted. */
TB_STRUCT(PlacedWords, {
    const int32_t *tokens;
    Size size;
    const uint8_t *chosen;
    const int64_t *ends;
    Size documents;
    int64_t words;
})

/* The number of documents that contain each word. Scratch space: the last document of each word, initially −1. */
TB_STRUCT(WordDocuments, {
    int64_t *documents;
    int32_t *seen_in;
})

/* The cells of word w are [starts[w], starts[w + 1]): its documents in ascending order, and its count in each. A word
 * without cells is left out. Scratch space: the next cell of each word, initially its first one. */
TB_STRUCT(FilledCells, {
    const int64_t *starts;
    int64_t *next;
    int32_t *document;
    Size cells;
    int32_t *count;
})

TB_KERNEL(tb_word_documents, const PlacedWords *placed, const WordDocuments *out);
TB_KERNEL(tb_word_cells, const PlacedWords *placed, const FilledCells *out);

#endif
