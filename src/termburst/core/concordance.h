/* Where a word or a phrase stands in texts, and the text around it. */
#ifndef TB_CONCORDANCE_H
#define TB_CONCORDANCE_H

#include "core.h"

/* Documents in UTF-8 that end at `ends` in `data`. word[c] is 1 for the code points of word characters, those that `\w`
 * matches. */
TB_STRUCT(Searched, {
    const uint8_t *data;
    Size size;
    const int64_t *ends;
    Size documents;
    const uint8_t *word;
    Size word_size;
})

/* Parts of a query. LETTER: one of some characters; SPACE: white space, at least one character; ANY: one word
 * character; REST: all word characters that follow, if any. */
enum { LETTER = 0, SPACE = 1, ANY = 2, REST = 3 };

/* A query. A LETTER p is one of the characters first[p] to first[p + 1] − 1; character a is the bytes at[a] to
 * at[a + 1] − 1. The first part is a LETTER, and begins[b] is 1 for each first byte of it. */
TB_STRUCT(Query, {
    const uint8_t *kinds;
    Size parts;
    const int64_t *first;
    const int64_t *at;
    int64_t characters;
    const uint8_t *bytes;
    Size size;
    const uint8_t *begins;
})

/* Matches so far: the document, the bytes from start to stop in the data, and `place`, the number of characters of the
 * document before it. The search continues at the byte `next` of the data. It stops if there is no more room. */
TB_STRUCT(Matches, {
    int64_t *document;
    Size room;
    int64_t *start;
    int64_t *stop;
    int64_t *place;
    int64_t size, next;
})

/* For each match, up to `width` characters before it, the match, and up to `width` characters after it, within its
 * document, with tabs between them and a line break after them. Runs of white space become one space. */
TB_STRUCT(Lines, {
    uint8_t *bytes;
    Size room;
    int64_t used, width;
})

TB_KERNEL(tb_find, const Searched *searched, const Query *query, Matches *matches);
TB_KERNEL(tb_lines, const Searched *searched, const Matches *matches, Lines *lines);

#endif
