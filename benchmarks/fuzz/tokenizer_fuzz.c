/* Count documents of any bytes, with scratch space of any size, and write the rows of the matrix. */
#include "matrix_rows.h"
#include "tokenizer.h"
#include "vocabularies.h"

enum { WIDE = 0x2100 };

/* The kind of a character by the rules: a simple version of what the kernel does for a block at a time. */
static int64_t next_kind(const Rules *rules, const uint8_t *data, int64_t at, int64_t end, uint8_t *kind) {
    static const uint8_t least[5] = {0, 0, 0xc2, 0xe0, 0xf0}, most[5] = {0, 0, 0xdf, 0xef, 0xf4};
    *kind = 0;
    if (data[at] < 128) {
        uint8_t c = data[at];
        *kind = rules->kinds[rules->lowercase && c >= 'A' && c <= 'Z' ? c + 32 : c];
        return 1;
    }
    for (int64_t width = 2; width <= 4 && at + width <= end; width++) {
        if (data[at] < least[width] || data[at] > most[width]) continue;
        int64_t point = data[at] & (0x7f >> width);
        for (int64_t k = 1; k < width; k++) {
            if (data[at + k] >> 6 != 2) return 1;
            point = point * 64 + (data[at + k] & 63);
        }
        if (point < rules->wide_size) *kind = rules->wide[point];
        return width;
    }
    return 1;
}

static int64_t tokens_of(const Rules *rules, const uint8_t *data, int64_t at, int64_t end) {
    int64_t tokens = 0;
    uint8_t before = 0, kind;
    while (at < end) {
        int64_t letters = 0, width = next_kind(rules, data, at, end, &kind);
        if (!(kind & INSIDE)) {
            before = kind;
            at += width;
            continue;
        }
        for (; kind & INSIDE; letters++) {
            at += width;
            kind = 0;
            if (at < end) width = next_kind(rules, data, at, end, &kind);
        }
        tokens += letters >= rules->shortest && !(rules->bounded && ((before | kind) & WORD));
        before = 0;
    }
    return tokens;
}

static TextRoom new_room(int64_t length) {
    TextRoom room = {length, array(length + 2 * BLOCK, 1), array(length / BLOCK + 2, 8), array(length / BLOCK + 2, 8),
                     array(length + 3, 4), array(length / 2 + 1, 4), array(length / 2 + 1, 4)};
    return room;
}

static void free_room(TextRoom *room) {
    free(room->text);
    free(room->inside);
    free(room->word);
    free(room->edges);
    free(room->tokens);
    free(room->runs);
}

/* Count, with more space when requested, unless the tables are damaged. */
static int32_t count_all(const Texts *texts, const Rules *rules, Vocabulary *known, Counts *cells, const TextRoom *room,
                         int is_damaged) {
    for (int rounds = 0;; rounds++) {
        int32_t status = tb_count(texts, rules, known, cells, room);
        if (status == TB_OK || is_damaged) return status;
        CHECK(rounds < 10000);
        if (status == MORE_NODES) make_room(known, known->size + BATCH, 0);
        else if (status == MORE_POOL) make_room(known, 0, room->length / 8 + 1);
        else {
            CHECK(status == MORE_CELLS);
            int64_t more = 2 * cells->room + 1;
            cells->ids = grown(cells->ids, cells->room, more, 4);
            cells->counts = grown(cells->counts, cells->room, more, 4);
            cells->room = more;
        }
    }
}

/* Check that all tokens and runs are counted, and no node twice in a document. */
static void check_counts(const Texts *texts, const Rules *rules, const Vocabulary *known, const Counts *cells) {
    int64_t *last = array(known->size, 8);
    CHECK(cells->documents == texts->documents && cells->indptr[texts->documents] == cells->size);
    for (int64_t d = 0; d < texts->documents; d++) {
        int64_t start = d > 0 ? texts->ends[d - 1] : 0, total = 0, wanted = 0;
        CHECK(cells->indptr[d] <= cells->indptr[d + 1]);
        for (int64_t k = cells->indptr[d]; k < cells->indptr[d + 1]; k++) {
            CHECK(cells->ids[k] >= rules->left_out && cells->ids[k] < known->size && cells->counts[k] > 0);
            CHECK(last[cells->ids[k]] != d + 1);
            last[cells->ids[k]] = d + 1;
            total += cells->counts[k];
        }
        int64_t tokens = tokens_of(rules, texts->data, start, texts->ends[d]);
        for (int64_t n = rules->grams_from; n <= rules->grams_to; n++) wanted += most_int(tokens - n + 1, 0);
        CHECK(total == wanted || rules->left_out > 0);
    }
    free(last);
}

/* Check that the rows of the matrix are sorted, and that all counts are there. */
static void check_rows(const Counts *cells, const Vocabulary *known, int64_t *order, Input *input, int is_damaged) {
    int64_t longest = 0, total = 0, sum = 0;
    int32_t *columns = array(known->size, 4), *indices = array(cells->size, 4);
    int64_t *data = array(cells->size, 8);
    for (int64_t k = 0; k < known->size; k++)
        if (order[k] >= 0 && order[k] < known->size) columns[order[k]] = (int32_t)k;
    for (int64_t d = 0; d < cells->documents; d++) longest = most_int(longest, cells->indptr[d + 1] - cells->indptr[d]);
    if (is_damaged && cells->size > 0) cells->ids[below(input, cells->size)] = (int32_t)take(input, 4);
    Piece piece = {cells->ids, cells->size, cells->counts, cells->indptr, cells->indptr, cells->documents, columns, known->size};
    MatrixRows matrix = {1, known->size, indices, NULL, data, cells->size, 0, array(longest, 8), longest, array(longest, 8)};
    int32_t status = tb_write_rows(&piece, &matrix);
    CHECK(status == TB_OK || is_damaged);
    for (int64_t k = 0; k < cells->size; k++) total += cells->counts[k], sum += data[k];
    for (int64_t d = 0; d < cells->documents && !is_damaged; d++)
        for (int64_t k = cells->indptr[d] + 1; k < cells->indptr[d + 1]; k++) CHECK(indices[k - 1] < indices[k]);
    CHECK(sum == total || is_damaged);
    free(columns);
    free(indices);
    free(data);
    free(matrix.keys);
    free(matrix.spare);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Input input = {bytes, size};
    uint8_t *kinds = array(128, 1), *wide;
    int64_t style = below(&input, 4), options = below(&input, 256), documents = below(&input, 6), longest = 0;
    int64_t wide_size = options & 16 ? WIDE : below(&input, 300), hostile = (options & 0xe0) == 0xe0;
    for (int c = 0; c < 128; c++) {
        int is_word = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
        kinds[c] = style == 0 ? (uint8_t)(3 * is_word) : style == 1 ? (uint8_t)(c > ' ' ? 2 + is_word : 0) : (uint8_t)(is_word + 2 * (is_word && c > '9'));
        if (style == 3) kinds[c] = (uint8_t)(take(&input, 1) & 3);
    }
    wide = array(wide_size, 1);
    for (int64_t k = 0; k < wide_size; k++) wide[k] = k < 128 ? kinds[k] : (uint8_t)(k * 7 / 3 & 3);
    int64_t from = 1 + below(&input, 3), to = from + below(&input, 3);
    Rules rules = {kinds, wide, wide_size, options & 1, options >> 1 & 1, 1 + (options >> 2 & 3), from, to, 0, 1};
    Vocabulary known = new_vocabulary(2 << below(&input, 8), below(&input, 80), below(&input, 4));
    int64_t *ends = array(documents, 8), *indptr = array(documents + 1, 8);
    int64_t cell_room = below(&input, 60);
    for (int64_t d = 0; d < documents; d++) ends[d] = below(&input, 4096);
    uint8_t *data = array((int64_t)input.left, 1); /* the rest is text */
    memcpy(data, input.bytes, input.left);
    for (int64_t d = 0, at = 0; d < documents; d++) {
        ends[d] = d == documents - 1 ? (int64_t)input.left : least_int(at + ends[d], (int64_t)input.left);
        longest = most_int(longest, ends[d] - at);
        at = ends[d];
    }
    Texts texts = {data, (int64_t)input.left, ends, documents, below(&input, 3)};
    Counts cells = {array(cell_room, 4), array(cell_room, 4), cell_room, 0, indptr, 0};
    TextRoom room = new_room(longest);
    CHECK(count_all(&texts, &rules, &known, &cells, &room, 0) == TB_OK);
    check_counts(&texts, &rules, &known, &cells);
    int64_t *order = sorted_names(&known, 0);
    check_rows(&cells, &known, order, &input, 0);
    free(order);
    if (hostile) {
        Input damages = {bytes, size};
        damage(&damages, &known);
        cells.documents = cells.size = 0;
        count_all(&texts, &rules, &known, &cells, &room, 1);
        order = sorted_names(&known, 1);
        check_rows(&cells, &known, order, &damages, 1);
        free(order);
        if (documents > 0) ends[below(&damages, documents)] = (int64_t)take(&damages, 8);
        cells.documents = below(&damages, 3);
        tb_count(&texts, &rules, &known, &cells, &room);
    }
    free(kinds);
    free(wide);
    free(ends);
    free(indptr);
    free(data);
    free(cells.ids);
    free(cells.counts);
    free_room(&room);
    free_vocabulary(&known);
    return 0;
}
