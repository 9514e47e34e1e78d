/* Shingles of texts (hashes of runs of words), MinHash keys of their sets, and the Jaccard index of two sets. */
#ifndef TB_MINHASH_H
#define TB_MINHASH_H

#include "core.h"

enum { WIDEST = 64, MOST_MINIMA = 128 }; /* words of a shingle; bands × rows. minhash.py has the same numbers. */

/* UTF-8 texts one after the other: document j ends at ends[j]. A shingle has `width` words. */
TB_STRUCT(ShingledTexts, {
    const uint8_t *data;
    Size size;
    const int64_t *ends;
    Size documents;
    int64_t width;
})

/* The shingles of each document in order: [indptr[j], indptr[j + 1]) of `hashes`, which has `room` entries. `words` is
 * the number of words of each document, `whole` a hash of all its words in order. */
TB_STRUCT(Shingles, {
    uint64_t *hashes;
    Size room;
    int64_t *indptr;
    int64_t *words;
    uint64_t *whole;
})

/* Sets of hashes: set j is hashes[starts[j] .. starts[j] + sizes[j]). */
TB_STRUCT(HashSets, {
    uint64_t *hashes;
    Size room;
    const int64_t *starts;
    Size sets;
    int64_t *sizes;
})

/* One key per set and band, sets × bands: two sets have the same key in a band if their `rows` minima are equal. */
TB_STRUCT(BandKeys, {
    uint64_t *keys;
    int64_t bands;
    int64_t rows;
})

/* Scratch space to sort the largest set. */
TB_STRUCT(HashRoom, {
    uint64_t *spare;
    Size size;
})

/* Pairs of sets, and the Jaccard index of each. */
TB_STRUCT(SetPairs, {
    const int64_t *first;
    Size pairs;
    const int64_t *second;
    double *jaccard;
})

TB_KERNEL(tb_shingles, const ShingledTexts *texts, const Shingles *out);
TB_KERNEL(tb_band_keys, const HashSets *sets, const BandKeys *out);
TB_KERNEL(tb_distinct_hashes, const HashSets *sets, const HashRoom *room);
TB_KERNEL(tb_jaccard, const HashSets *sets, const SetPairs *pairs);

#endif
