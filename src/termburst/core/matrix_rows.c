#include "matrix_rows.h"

#include <string.h>

enum { SHORT = 24 };     /* up to here insertion sort is faster */
enum { MOST_BITS = 11 }; /* largest number of bits of a column per pass of the radix sort */

static void insertion_sort(uint64_t *keys, int64_t count) {
    for (int64_t k = 1; k < count; k++) {
        uint64_t key = keys[k];
        int64_t at = k;
        for (; at > 0 && keys[at - 1] > key; at--) keys[at] = keys[at - 1];
        keys[at] = key;
    }
}

/* Radix sort by the upper half of the keys, lowest bits first. Returns where the sorted keys are. */
static uint64_t *radix_sort(uint64_t *keys, uint64_t *spare, int64_t count, int width, int bits) {
    int32_t buckets[1 << MOST_BITS];
    int32_t values = 1 << bits;
    for (int shift = 32; shift < 32 + width; shift += bits) {
        int32_t before = 0;
        memset(buckets, 0, (size_t)values * sizeof(int32_t));
        for (int64_t k = 0; k < count; k++) buckets[keys[k] >> shift & (uint64_t)(values - 1)]++;
        for (int32_t k = 0; k < values; k++) {
            int32_t here = buckets[k];
            buckets[k] = before;
            before += here;
        }
        for (int64_t k = 0; k < count; k++) spare[buckets[keys[k] >> shift & (uint64_t)(values - 1)]++] = keys[k];
        uint64_t *swap = keys;
        keys = spare;
        spare = swap;
    }
    return keys;
}

/* The number of bits per pass is chosen so that clearing the buckets takes no longer than reading the cells. */
static int bits_at_a_time(int64_t count, int width) {
    int most = count < 512 ? 6 : MOST_BITS, passes = (width + most - 1) / most;
    return (width + passes - 1) / passes;
}

/* Collect the cells of a row that have a column, as keys. Returns their number, or −1 if one is invalid. */
static int64_t gather(const Piece *piece, int64_t row, const MatrixRows *matrix) {
    int64_t from = piece->indptr[row], to = piece->indptr[row + 1], count = 0;
    if (from < 0 || from > to || to > piece->size || to - from > matrix->longest) return -1;
    for (int64_t k = from; k < to; k++) {
        if ((int64_t)(uint32_t)piece->ids[k] >= piece->nodes) return -1;
        int32_t column = piece->columns[piece->ids[k]];
        if (column >= matrix->width) return -1;
        matrix->keys[count] = (uint64_t)(uint32_t)column << 32 | (uint32_t)piece->counts[k];
        count += column >= 0;
    }
    return count;
}

/* Write rows with sorted columns; cells without a column are left out. One call writes many pieces, because between two
 * calls a thread would have to wait for Python's lock. */
int32_t tb_write_rows(const Piece *pieces, const MatrixRows *matrix) {
    int width = 1;
    while (width < 31 && matrix->width >> width) width++;
    if (matrix->longest > INT32_MAX) return TB_BAD_INDEX;
    for (const Piece *piece = pieces; piece < pieces + matrix->pieces; piece++) {
        for (int64_t row = 0; row < piece->documents; row++) {
            int64_t count = gather(piece, row, matrix), at = piece->starts[row];
            uint64_t *keys = matrix->keys;
            if (count < 0) return TB_BAD_INDEX;
            if (at < 0 || at > matrix->room - count) return TB_NO_ROOM;
            if (count <= SHORT) insertion_sort(keys, count);
            else keys = radix_sort(keys, matrix->spare, count, width, bits_at_a_time(count, width));
            for (int64_t k = 0; k < count; k++) matrix->data[at + k] = (int64_t)(uint32_t)keys[k];
            if (matrix->is_long)
                for (int64_t k = 0; k < count; k++) matrix->long_indices[at + k] = (int64_t)(keys[k] >> 32);
            else
                for (int64_t k = 0; k < count; k++) matrix->indices[at + k] = (int32_t)(keys[k] >> 32);
        }
    }
    return TB_OK;
}
