/* From UTF-8 bytes to tokens, to nodes of a vocabulary, to counts by document. */
#ifndef TB_TOKENIZER_H
#define TB_TOKENIZER_H

#include "vocabulary.h"

/* Marks of a character. WORD: a word character for `\b`. INSIDE: a character of tokens; DIGIT: it is also a digit. The
 * others belong to a token only beside characters of it. EXTEND (combining marks) continues a token. The joiners stand
 * between two characters: of any kind (JOINS), two letters, or two digits. */
enum { WORD = 1, INSIDE = 2, DIGIT = 4, EXTEND = 8, JOINS = 16, JOINS_LETTERS = 32, JOINS_DIGITS = 64 };
enum { MORE_NODES = -1, MORE_POOL = -2, MORE_CELLS = -3 }; /* what needs more space, if counting stopped */
enum { BLOCK = 64 };                                       /* bytes whose marks fit in one number */

/* Documents that end at `ends` in `data`. They are numbered from before + 1 on. */
TB_STRUCT(Texts, {
    const uint8_t *data;
    Size size;
    const int64_t *ends;
    Size documents;
    int64_t before;
})

/* What is counted. `kinds` has the marks of ASCII characters, `wide` those of code points. A token has at least
 * `shortest` characters and, if `bounded`, no word character directly before or after it. A term has `grams_from` to
 * `grams_to` tokens, none of which is one of the first `left_out` nodes (stop words). Stop words are removed before
 * n-grams are made, so that n-grams reach over them; not so if they are `barriers`. Nodes are added if the vocabulary is
 * `growing`. Marks beyond WORD and INSIDE are used if `joined`. */
TB_STRUCT(Rules, {
    const uint8_t *kinds;
    const uint8_t *wide;
    Size wide_size;
    int64_t lowercase, bounded, shortest, grams_from, grams_to, left_out, growing, barriers, joined;
})

/* The counts of the first `documents` documents, `size` cells in total. Document d has the cells indptr[d] to
 * indptr[d + 1] − 1. */
TB_STRUCT(Counts, {
    int32_t *ids;
    int32_t *counts;
    int64_t room, size;
    int64_t *indptr;
    int64_t documents;
})

/* The tokens of the first `documents` documents as nodes, in their order. Document d ends at ends[d]. */
TB_STRUCT(Numbered, {
    int32_t *nodes;
    Size room;
    int64_t size;
    int64_t *ends;
    int64_t documents;
})

/* Scratch space for a document of up to `length` bytes: length + 2 BLOCK for its text, length/BLOCK + 2 for each of the
 * two kinds of marks, length + 3 for edges, length/2 + 1 for tokens and for n-grams. */
TB_STRUCT(TextRoom, {
    int64_t length;
    uint8_t *text;
    uint64_t *inside;
    uint64_t *word;
    int32_t *edges;
    int32_t *tokens;
    int32_t *runs;
})

TB_KERNEL(tb_count, const Texts *texts, const Rules *rules, Vocabulary *known, Counts *cells, const TextRoom *room);
TB_KERNEL(tb_number, const Texts *texts, const Rules *rules, Vocabulary *known, Numbered *out, const TextRoom *room);

#endif
