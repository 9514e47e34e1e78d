#include "minhash.h"

#include "random.h"
#include "sorting.h"

/* Kinds of characters: between words, part of a word, or a word by itself (as in scripts without spaces). */
enum { BETWEEN, PART, ALONE };

/* The kind of the character at `at`, and its number of bytes, at most those that are left. */
static int kind_of(const uint8_t *data, int64_t at, int64_t end, int64_t *bytes) {
    uint8_t lead = data[at], next = at + 1 < end ? data[at + 1] : 0;
    *bytes = least_int(lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4, end - at);
    if (lead < 0x80) return (lead >= '0' && lead <= '9') || (lead >= 'a' && lead <= 'z') || (lead >= 'A' && lead <= 'Z');
    if (lead < 0xC3) return BETWEEN;                        /* up to U+00BF */
    if (lead < 0xE0) return PART;                           /* up to U+07FF */
    if (lead == 0xE0) return next < 0xB8 ? PART : ALONE;    /* Thai, Lao and Tibetan have no spaces between words */
    if (lead == 0xE1 || (lead >= 0xEA && lead <= 0xED)) return PART;
    if (lead == 0xE2) return next < 0xB0 ? BETWEEN : ALONE; /* U+2000 to U+2BFF are signs */
    if (lead == 0xE3) return next == 0x80 ? BETWEEN : ALONE; /* so are U+3000 to U+303F */
    return ALONE;
}

/* Find the next word from *at on and its hash; 0 if there is none. */
static int next_word(const uint8_t *data, int64_t *at, int64_t end, uint64_t *hash) {
    int64_t k = *at, bytes;
    int kind = BETWEEN;
    while (k < end && (kind = kind_of(data, k, end, &bytes)) == BETWEEN) k += bytes;
    if (k >= end) return 0;
    uint64_t h = GOLDEN;
    int first = kind;
    do {
        for (int64_t b = 0; b < bytes; b++) {
            uint8_t byte = data[k + b];
            h = (h ^ (byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte)) * 0x100000001B3u;
        }
        k += bytes;
    } while (first == PART && k < end && kind_of(data, k, end, &bytes) == PART);
    *at = k;
    *hash = mixed(h);
    return 1;
}

int32_t tb_shingles(const ShingledTexts *texts, const Shingles *out) {
    uint64_t ring[WIDEST];
    int64_t width = texts->width, begin = 0, made = 0;
    if (width < 1 || width > WIDEST) return TB_BAD_INDEX;
    out->indptr[0] = 0;
    for (int64_t j = 0; j < texts->documents; j++) {
        int64_t end = texts->ends[j], words = 0, at = begin;
        if (end < begin || end > texts->size) return TB_BAD_INDEX;
        uint64_t word, whole = GOLDEN;
        while (next_word(texts->data, &at, end, &word)) {
            ring[words % width] = word;
            whole = mixed(whole + word);
            words++;
            if (words < width) continue;
            uint64_t shingle = (uint64_t)width;
            for (int64_t k = 0; k < width; k++) shingle = mixed(shingle * GOLDEN + ring[(words + k) % width]);
            if (made >= out->room) return TB_NO_ROOM;
            out->hashes[made++] = shingle;
        }
        out->words[j] = words;
        out->whole[j] = whole;
        out->indptr[j + 1] = made;
        begin = end;
    }
    return TB_OK;
}

static int is_inside(const HashSets *sets, int64_t j) {
    return sets->starts[j] >= 0 && sets->sizes[j] >= 0 && sets->starts[j] <= sets->room &&
           sets->sizes[j] <= sets->room - sets->starts[j];
}

int32_t tb_band_keys(const HashSets *sets, const BandKeys *out) {
    uint32_t factor[MOST_MINIMA], shift[MOST_MINIMA], minimum[MOST_MINIMA];
    if (out->bands < 1 || out->rows < 1 || out->bands > MOST_MINIMA || out->rows > MOST_MINIMA / out->bands)
        return TB_BAD_INDEX;
    int64_t minima = out->bands * out->rows;
    for (int64_t k = 0; k < minima; k++) { /* x → factor x + shift permutes the numbers of 32 bits */
        uint64_t bits = mixed(GOLDEN * (uint64_t)(k + 1));
        factor[k] = (uint32_t)bits | 1u;
        shift[k] = (uint32_t)(bits >> 32);
    }
    for (int64_t j = 0; j < sets->sets; j++) {
        if (!is_inside(sets, j)) return TB_BAD_INDEX;
        const uint64_t *hashes = sets->hashes + sets->starts[j];
        for (int64_t k = 0; k < minima; k++) minimum[k] = UINT32_MAX;
        for (int64_t s = 0; s < sets->sizes[j]; s++) {
            uint32_t x = (uint32_t)(hashes[s] >> 32);
            for (int64_t k = 0; k < minima; k++) {
                uint32_t value = factor[k] * x + shift[k];
                minimum[k] = value < minimum[k] ? value : minimum[k];
            }
        }
        for (int64_t band = 0; band < out->bands; band++) {
            uint64_t key = (uint64_t)band;
            for (int64_t row = 0; row < out->rows; row++) key = mixed(key * GOLDEN + minimum[band * out->rows + row]);
            out->keys[j * out->bands + band] = key;
        }
    }
    return TB_OK;
}

#define LATER(a, b) (*(a) > *(b))
TB_SORT(sort_hashes, uint64_t, LATER)

/* Sort every set and drop repeated hashes; `sizes` become the numbers of distinct ones. */
int32_t tb_distinct_hashes(const HashSets *sets, const HashRoom *room) {
    for (int64_t j = 0; j < sets->sets; j++) {
        if (!is_inside(sets, j)) return TB_BAD_INDEX;
        if (sets->sizes[j] > room->size) return TB_NO_ROOM;
        uint64_t *hashes = sets->hashes + sets->starts[j];
        sort_hashes(hashes, room->spare, sets->sizes[j]);
        int64_t distinct = 0;
        for (int64_t s = 0; s < sets->sizes[j]; s++)
            if (s == 0 || hashes[s] != hashes[distinct - 1]) hashes[distinct++] = hashes[s];
        sets->sizes[j] = distinct;
    }
    return TB_OK;
}

/* |A ∩ B| / |A ∪ B| of sorted sets of distinct hashes; 0 if both are empty. */
int32_t tb_jaccard(const HashSets *sets, const SetPairs *pairs) {
    for (int64_t p = 0; p < pairs->pairs; p++) {
        int64_t i = pairs->first[p], j = pairs->second[p];
        if (i < 0 || j < 0 || i >= sets->sets || j >= sets->sets || !is_inside(sets, i) || !is_inside(sets, j))
            return TB_BAD_INDEX;
        const uint64_t *a = sets->hashes + sets->starts[i], *b = sets->hashes + sets->starts[j];
        int64_t size_a = sets->sizes[i], size_b = sets->sizes[j], at_a = 0, at_b = 0, shared = 0;
        while (at_a < size_a && at_b < size_b) {
            uint64_t x = a[at_a], y = b[at_b];
            shared += x == y;
            at_a += x <= y;
            at_b += y <= x;
        }
        int64_t all = size_a + size_b - shared;
        pairs->jaccard[p] = all ? (double)shared / (double)all : 0.0;
    }
    return TB_OK;
}
