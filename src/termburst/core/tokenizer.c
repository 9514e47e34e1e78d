#include "tokenizer.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#define HIGH_BITS UINT64_C(0x8080808080808080)

/* ---- bytes to marks: one bit per byte, set if the byte may be part of a token */

/* The ASCII characters of a class: by byte, and as a matrix where bit h of row l stands for the character 16 h + l. */
typedef struct {
    uint8_t member[256];
    uint8_t rows[16];
} ClassOfBytes;

static ClassOfBytes class_of_bytes(const uint8_t *kinds, uint8_t bit) {
    ClassOfBytes found = {{0}, {0}};
    for (int c = 0; c < 128; c++) {
        if (!(kinds[c] & bit)) continue;
        found.member[c] = 1;
        found.rows[c & 15] |= (uint8_t)(1 << (c >> 4));
    }
    return found;
}

#if defined(__AVX2__)
TB_INLINE uint32_t marks_of_half(const uint8_t *text, __m256i rows) {
    const __m256i nibble = _mm256_set1_epi8(15), x = _mm256_loadu_si256((const __m256i *)text);
    const __m256i bits = _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0));
    __m256i row = _mm256_shuffle_epi8(rows, _mm256_and_si256(x, nibble));
    __m256i bit = _mm256_shuffle_epi8(bits, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble));
    __m256i without = _mm256_cmpeq_epi8(_mm256_and_si256(row, bit), _mm256_setzero_si256());
    return ~(uint32_t)_mm256_movemask_epi8(without);
}

/* Which of 64 bytes belong to the class; bytes beyond ASCII never do. */
TB_INLINE uint64_t marks_of(const uint8_t *text, const ClassOfBytes *class) {
    const __m256i rows = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)class->rows));
    return marks_of_half(text, rows) | (uint64_t)marks_of_half(text + 32, rows) << 32;
}
#else
TB_INLINE uint64_t marks_of(const uint8_t *text, const ClassOfBytes *class) {
    uint64_t marks = 0;
    for (int k = 0; k < BLOCK; k++) marks |= (uint64_t)class->member[text[k]] << k;
    return marks;
}
#endif

/* Copy a document to the room, with ASCII letters in lower case if wanted, followed by zeros. Returns whether all of it
 * is ASCII. */
static int fold(const uint8_t *data, int64_t size, int64_t lowercase, uint8_t *restrict text) {
    uint8_t bits = 0, step = lowercase ? 32 : 0;
    for (int64_t k = 0; k < size; k++) {
        uint8_t byte = data[k];
        bits |= byte;
        text[k] = (uint8_t)(byte + ((uint8_t)(byte - 'A') < 26 ? step : 0));
    }
    memset(text + size, 0, 2 * BLOCK);
    return bits < 128;
}

static void mark_ascii(const uint8_t *text, int64_t size, const ClassOfBytes *class, uint64_t *marks) {
    int64_t blocks = size / BLOCK;
    for (int64_t k = 0; k <= blocks; k++) marks[k] = marks_of(text + k * BLOCK, class);
    marks[blocks] &= (UINT64_C(1) << (size % BLOCK)) - 1; /* a zero byte may be in a token, but not after the end */
    marks[blocks + 1] = 0;
}

/* The number of bytes of the character at `at`, and its code point. An invalid byte counts as one character without a
 * class. */
static int64_t decode(const uint8_t *text, int64_t at, int64_t size, const Rules *rules, uint8_t *kind) {
    uint32_t point = text[at];
    int64_t width = point < 0xc2 ? 1 : point < 0xe0 ? 2 : point < 0xf0 ? 3 : point < 0xf5 ? 4 : 1;
    *kind = 0;
    if (width == 1 || at + width > size) return 1;
    point &= 0x7fu >> width;
    for (int64_t k = 1; k < width; k++) {
        if ((text[at + k] & 0xc0) != 0x80) return 1;
        point = point << 6 | (text[at + k] & 0x3f);
    }
    if ((int64_t)point < rules->wide_size) *kind = rules->wide[point];
    return width;
}

static void set_marks(uint64_t *marks, int64_t at, int64_t width) {
    uint64_t bits = (UINT64_C(1) << width) - 1;
    int shift = (int)(at % BLOCK);
    marks[at / BLOCK] |= bits << shift;
    if (shift + width > BLOCK) marks[at / BLOCK + 1] |= bits >> (BLOCK - shift);
}

/* The marks of the character at `at`; 0 after the end. */
static uint8_t kind_at(const uint8_t *text, int64_t at, int64_t size, const Rules *rules) {
    uint8_t kind = 0;
    if (at >= size) return 0;
    if (text[at] < 128) return rules->kinds[text[at]];
    decode(text, at, size, rules, &kind);
    return kind;
}

TB_INLINE int marked(const uint64_t *marks, int64_t at) { return (int)(marks[at / BLOCK] >> (at % BLOCK) & 1); }

/* The marks of the last letter or digit before `at`, if only marked characters are in between; otherwise 0. */
static uint8_t base_before(const uint8_t *text, int64_t at, int64_t size, const Rules *rules, const uint64_t *marks) {
    while (at > 0 && marked(marks, at - 1)) {
        at--;
        while (at > 0 && (text[at] & 0xc0) == 0x80) at--;
        uint8_t kind = kind_at(text, at, size, rules);
        if (kind & INSIDE) return kind;
    }
    return 0;
}

/* Whether a joiner with the marks `kind` connects two characters. Both are in tokens. */
TB_INLINE int connects(uint8_t kind, uint8_t before, uint8_t after) {
    if (kind & JOINS) return 1;
    return kind & (before & DIGIT ? JOINS_DIGITS : JOINS_LETTERS) && !((before ^ after) & DIGIT);
}

/* Whether a character beyond ASCII that is not INSIDE belongs to the token before it. All marks before it are set, but
 * not those of ASCII joiners. */
static int belongs(const uint8_t *text, int64_t at, int64_t width, int64_t size, const Rules *rules, uint8_t kind,
                   const uint64_t *marks) {
    if (at == 0 || !marked(marks, at - 1)) return 0;
    if (kind & EXTEND) return 1;
    uint8_t after = kind_at(text, at + width, size, rules);
    if (kind & JOINS) return (after & (INSIDE | EXTEND)) != 0;
    return (after & INSIDE) && connects(kind, base_before(text, at, size, rules, marks), after);
}

/* Add the marks of ASCII joiners that stand between two characters of a token. */
static void mark_joiners(const uint8_t *text, int64_t size, const Rules *rules, const ClassOfBytes *joiners,
                         uint64_t *marks) {
    int64_t blocks = size / BLOCK;
    uint64_t before = 0;
    for (int64_t k = 0; k <= blocks; k++) {
        uint64_t inside = marks[k], after = k < blocks ? marks[k + 1] << (BLOCK - 1) : 0;
        uint64_t found = marks_of(text + k * BLOCK, joiners) & (inside << 1 | before) & (inside >> 1 | after);
        before = inside >> (BLOCK - 1);
        for (; found != 0; found &= found - 1) {
            int64_t at = k * BLOCK + __builtin_ctzll(found);
            uint8_t base = base_before(text, at, size, rules, marks), next = kind_at(text, at + 1, size, rules);
            if (connects(rules->kinds[text[at]], base, next)) set_marks(marks, at, 1);
        }
    }
}

/* Add the marks of characters beyond ASCII. */
static void mark_wide(const uint8_t *text, int64_t size, const Rules *rules, const TextRoom *room) {
    for (int64_t at = 0; at < size;) {
        uint64_t high = eight_bytes(text + at) & HIGH_BITS;
        uint8_t kind = 0;
        if (high == 0) {
            at += 8;
            continue;
        }
        at += __builtin_ctzll(high) / 8;
        if (at >= size) break;
        int64_t width = decode(text, at, size, rules, &kind);
        if (kind & INSIDE) set_marks(room->inside, at, width);
        else if (kind > WORD && belongs(text, at, width, size, rules, kind, room->inside))
            set_marks(room->inside, at, width);
        if (rules->bounded && (kind & WORD)) set_marks(room->word, at, width);
        at += width;
    }
}

/* Where runs of marked bytes begin and end, alternately. Returns the number of these edges. */
static int64_t find_edges(const uint64_t *marks, int64_t size, int32_t *edges) {
    int64_t count = 0;
    uint64_t before = 0;
    for (int64_t k = 0; k <= size / BLOCK; k++) {
        uint64_t changes = marks[k] ^ (marks[k] << 1 | before);
        int32_t base = (int32_t)(k * BLOCK);
        before = marks[k] >> (BLOCK - 1);
        for (; changes != 0; changes &= changes - 1) edges[count++] = base + __builtin_ctzll(changes);
    }
    return count;
}

/* ---- runs of marked bytes to tokens */

/* A document in the scratch space. */
typedef struct {
    const TextRoom *room;
    int64_t size, edges;
    int is_ascii;
} Marked;

static Marked mark_document(const uint8_t *data, int64_t size, const Rules *rules, const TextRoom *room,
                            const ClassOfBytes *classes) {
    Marked found = {room, size, 0, fold(data, size, rules->lowercase, room->text)};
    mark_ascii(room->text, size, classes, room->inside);
    if (rules->bounded) mark_ascii(room->text, size, classes + 1, room->word);
    if (!found.is_ascii) mark_wide(room->text, size, rules, room);
    if (rules->joined) mark_joiners(room->text, size, rules, classes + 2, room->inside);
    found.edges = find_edges(room->inside, size, room->edges);
    return found;
}

/* Whether a run of enough marked bytes has enough characters, and no other word character directly beside it. */
static int is_whole(const Marked *document, const Rules *rules, int64_t start, int64_t stop) {
    if (!document->is_ascii && stop - start < 4 * rules->shortest) {
        int64_t characters = 0;
        for (int64_t k = start; k < stop; k++) characters += (document->room->text[k] & 0xc0) != 0x80;
        if (characters < rules->shortest) return 0;
    }
    if (!rules->bounded) return 1;
    const uint64_t *word = document->room->word;
    return !(start > 0 && marked(word, start - 1)) && !(stop < document->size && marked(word, stop));
}

/* ---- tokens to nodes, and their counts */

/* Count a node in the document `here`. There is space for a cell. No branch, because it cannot be predicted whether a
 * word is new in a document. */
TB_INLINE void note(Vocabulary *known, Counts *cells, int32_t number, uint32_t here) {
    Node *node = known->nodes + number;
    uint32_t place = (uint32_t)node->place, next = (uint32_t)cells->size;
    uint32_t fresh = (node->seen != here) | (place >= next);
    place ^= (place ^ next) & (0 - fresh);
    node->seen = here;
    node->place = (int32_t)place;
    cells->ids[place] = number;
    cells->counts[place] = (int32_t)(((uint32_t)cells->counts[place] & (fresh - 1)) + 1);
    cells->size = (int64_t)next + fresh;
}

/* Whether there is space for another batch of nodes. */
TB_INLINE int has_room(const Vocabulary *known, const Rules *rules) {
    int64_t most = least_int(least_int(known->node_room, known->slot_room / 2), MOST_NODES);
    return !rules->growing || known->size + BATCH <= most;
}

/* The node of a key that is not in its first slot, added if the vocabulary grows; or NO_NODE; or DAMAGED. */
static int32_t node_of(Vocabulary *known, const Rules *rules, NodeKey key, const uint8_t *rest) {
    int64_t slot = 0;
    int32_t node = find_node(known, key, rest, &slot);
    return node == NO_NODE && rules->growing ? add_node(known, key, rest, slot) : node;
}

/* The nodes of the tokens of a document, without stop words, written to room->tokens if n-grams are needed. A stop word
 * that is a barrier is written as NO_NODE. Tokens are counted if they are terms. `held` receives the number of nodes
 * written. Hashes are computed for a batch; then the slots and nodes of the whole batch are fetched, so that the wait for
 * memory occurs only once. */
static int32_t count_tokens(const Marked *document, const Rules *rules, Vocabulary *known, Counts *cells, uint32_t here,
                            int64_t *held) {
    const TextRoom *room = document->room;
    const uint8_t *at[BATCH];
    Batch batch;
    int careful = rules->bounded || !document->is_ascii, terms = rules->grams_from == 1, runs = rules->grams_to > 1;
    int64_t shortest = rules->shortest, left_out = rules->left_out, tokens = 0;
    for (int64_t next = 0; next < document->edges;) {
        int count = 0;
        for (; count < BATCH && next < document->edges; next += 2) {
            int32_t start = room->edges[next], stop = room->edges[next + 1];
            const uint8_t *text = room->text + start;
            int enough = stop - start >= shortest;
            if (careful) enough = enough && is_whole(document, rules, start, stop);
            batch.keys[count] = token_key(eight_bytes(text), eight_bytes(text + 8), text + HELD, stop - start);
            at[count] = text + HELD;
            fetch_slot(known, batch.keys[count].hash);
            count += enough;
        }
        if (!has_room(known, rules)) return MORE_NODES;
        fetch_nodes(known, &batch, count);
        for (int k = 0; k < count; k++) {
            int32_t node = first_in_slot(known, &batch, k, at[k]);
            if (node == NO_NODE) node = node_of(known, rules, batch.keys[k], at[k]);
            if (node == DAMAGED) return TB_BAD_INDEX;
            if (node >= 0 && node < left_out) {
                if (runs && rules->barriers) room->tokens[tokens++] = NO_NODE;
                continue;
            }
            if (runs) room->tokens[tokens++] = node;
            if (terms && node >= 0) note(known, cells, node, here);
        }
    }
    *held = tokens;
    return TB_OK;
}

/* Extend all runs by one token, from `length` − 1 tokens to `length`, and count them if they are terms. NO_NODE stands
 * for a run that is not in the vocabulary. `left` receives the number of runs that are. */
static int32_t count_runs(const TextRoom *room, int64_t held, int64_t length, const Rules *rules, Vocabulary *known,
                          Counts *cells, uint32_t here, int64_t *left) {
    Batch batch;
    const int32_t *last = room->tokens + length - 1;
    int64_t runs = held - length + 1;
    *left = 0;
    for (int64_t start = 0; start < runs; start += BATCH) {
        int count = (int)least_int(BATCH, runs - start);
        if (!has_room(known, rules)) return MORE_NODES;
        for (int k = 0; k < count; k++) {
            batch.keys[k] = run_key(room->runs[start + k], last[start + k]);
            fetch_slot(known, batch.keys[k].hash);
        }
        fetch_nodes(known, &batch, count);
        for (int k = 0; k < count; k++) {
            int32_t run = room->runs[start + k], node = NO_NODE;
            if (run >= 0 && last[start + k] >= 0) {
                node = first_in_slot(known, &batch, k, NULL);
                if (node == NO_NODE) node = node_of(known, rules, batch.keys[k], NULL);
                if (node == DAMAGED) return TB_BAD_INDEX;
            }
            room->runs[start + k] = node;
            *left += node >= 0;
            if (node >= 0 && length >= rules->grams_from) note(known, cells, node, here);
        }
    }
    return TB_OK;
}

/* Count one document. Missing space is found before its first cell, or the caller removes its cells again. */
static int32_t count_document(const uint8_t *data, int64_t size, const Rules *rules, Vocabulary *known, Counts *cells,
                              uint32_t here, const TextRoom *room, const ClassOfBytes *classes) {
    if (rules->growing && known->used + size / 8 > least_int(known->pool_room, MOST_POOL)) return MORE_POOL;
    Marked document = mark_document(data, size, rules, room, classes);
    int64_t most = document.edges / 2, longest = least_int(rules->grams_to, most), held, left;
    if (cells->size + most * most_int(longest - rules->grams_from + 1, 0) > cells->room) return MORE_CELLS;
    int32_t status = count_tokens(&document, rules, known, cells, here, &held);
    if (rules->grams_to == 1 || status != TB_OK) return status;
    memcpy(room->runs, room->tokens, (size_t)held * sizeof(int32_t));
    left = held;
    for (int64_t length = 2; length <= longest && left > 0 && status == TB_OK; length++)
        status = count_runs(room, held, length, rules, known, cells, here, &left);
    return status;
}

/* Whether the documents are in order in the data, and each fits into the scratch space. */
static int fits(const Texts *texts, const TextRoom *room) {
    int64_t at = 0;
    for (int64_t k = 0; k < texts->documents; k++) {
        if (texts->ends[k] < at || texts->ends[k] - at > room->length) return 0;
        at = texts->ends[k];
    }
    return at <= texts->size && room->length <= INT32_MAX - 4 * BLOCK && texts->before >= 0 &&
           texts->before < (int64_t)UINT32_MAX - texts->documents;
}

/* Count the documents after those in `cells`. Returns what needs more space, if anything does. Called again with more
 * space, it continues with the document that it could not finish. */
int32_t tb_count(const Texts *texts, const Rules *rules, Vocabulary *known, Counts *cells, const TextRoom *room) {
    const ClassOfBytes classes[3] = {class_of_bytes(rules->kinds, INSIDE), class_of_bytes(rules->kinds, WORD),
                                     class_of_bytes(rules->kinds, JOINS | JOINS_LETTERS | JOINS_DIGITS)};
    if (!fits(texts, room) || cells->documents < 0 || cells->size < 0) return TB_BAD_INDEX;
    if (!sound(known, 0, 0) || cells->size > cells->room || cells->room > INT32_MAX) return TB_NO_ROOM;
    if (rules->shortest < 1 || rules->shortest > INT32_MAX || rules->grams_from < 1) return TB_BAD_INDEX;
    if (rules->grams_to < rules->grams_from || rules->grams_to > INT32_MAX) return TB_BAD_INDEX;
    while (cells->documents < texts->documents) {
        int64_t k = cells->documents, start = k > 0 ? texts->ends[k - 1] : 0, mark = cells->size;
        uint32_t here = (uint32_t)(texts->before + k + 1);
        int32_t status =
            count_document(texts->data + start, texts->ends[k] - start, rules, known, cells, here, room, classes);
        if (status != TB_OK) {
            for (int64_t cell = mark; cell < cells->size; cell++) known->nodes[cells->ids[cell]].seen = 0;
            cells->size = mark;
            return status;
        }
        cells->indptr[++cells->documents] = cells->size;
    }
    return TB_OK;
}

/* Write the node of every token after those in `out`, in the order of the text. The rules ask for n-grams of two tokens:
 * then `count_tokens` counts nothing, and leaves the nodes in the scratch space. Continues like `tb_count`. */
int32_t tb_number(const Texts *texts, const Rules *rules, Vocabulary *known, Numbered *out, const TextRoom *room) {
    const ClassOfBytes classes[3] = {class_of_bytes(rules->kinds, INSIDE), class_of_bytes(rules->kinds, WORD),
                                     class_of_bytes(rules->kinds, JOINS | JOINS_LETTERS | JOINS_DIGITS)};
    if (!fits(texts, room) || out->documents < 0 || out->size < 0) return TB_BAD_INDEX;
    if (!sound(known, 0, 0) || out->size > out->room) return TB_NO_ROOM;
    if (rules->shortest < 1 || rules->shortest > INT32_MAX) return TB_BAD_INDEX;
    if (rules->grams_from != 2 || rules->grams_to != 2 || rules->left_out != 0) return TB_BAD_INDEX;
    for (; out->documents < texts->documents; out->documents++) {
        int64_t k = out->documents, start = k > 0 ? texts->ends[k - 1] : 0, size = texts->ends[k] - start, held;
        if (rules->growing && known->used + size / 8 > least_int(known->pool_room, MOST_POOL)) return MORE_POOL;
        Marked document = mark_document(texts->data + start, size, rules, room, classes);
        if (document.edges / 2 > out->room - out->size) return MORE_CELLS;
        int32_t status = count_tokens(&document, rules, known, NULL, 0, &held);
        if (status != TB_OK) return status;
        memcpy(out->nodes + out->size, room->tokens, (size_t)held * sizeof(int32_t));
        out->size += held;
        out->ends[k] = out->size;
    }
    return TB_OK;
}
