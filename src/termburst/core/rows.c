#include "rows.h"

/* The position of a length among the distinct lengths, or −1. */
static int64_t place_of(const LengthHistogram *lengths, int64_t length) {
    if (length < 0) return -1;
    if (length < lengths->places) {
        int64_t place = lengths->place[length];
        return place < lengths->size ? place : -1;
    }
    int64_t low = 0, high = lengths->size;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (lengths->lengths[middle] < length)
            low = middle + 1;
        else
            high = middle;
    }
    return low < lengths->size && lengths->lengths[low] == length ? low : -1;
}

/* The fault of row r alone, or as one of the rows of term i with a known length. */
static int64_t fault_of(const StoredRows *rows, const LengthHistogram *lengths, int64_t i, int64_t r, RowFault *out) {
    int64_t count = rows->count[r], documents = rows->documents[r];
    if (count < 1) return BAD_COUNT;
    if (documents < 1) return BAD_DOCUMENTS;
    int64_t before = r > rows->indptr[i] ? rows->count[r - 1] : 0;
    if (!rows->with_lengths) {
        if (count > lengths->lengths[lengths->size - 1]) return BEYOND_LENGTH;
        return count > before ? SOUND : NO_ORDER;
    }
    int64_t length = rows->length[r], place = place_of(lengths, length);
    if (place < 0) return UNKNOWN_LENGTH;
    if (count > length) return BEYOND_LENGTH;
    if (count < before || (count == before && length <= rows->length[r - 1])) return NO_ORDER;
    int64_t held = out->held_by[place] == i ? out->held[place] : 0;
    if (documents > lengths->documents[place] - held) return TOO_MANY;
    out->held[place] = held + documents;
    out->held_by[place] = i;
    return SOUND;
}

/* The fault of the rows of a term: each row first, then their sums. The sums of the collection fit in 64 bits (the
 * caller has checked that); each addition to a sum of a term is checked against them first. */
static int64_t term_fault(const StoredRows *rows, const LengthHistogram *lengths, const StoredSums *sums, int64_t i,
                          RowFault *out) {
    int64_t start = rows->indptr[i], end = rows->indptr[i + 1], b = 0, n = 0, squares = 0, products = 0;
    if (start < 0 || end < start || end > rows->size || (end > start && !lengths->size)) return BAD_RANGE;
    for (int64_t r = start; r < end; r++) {
        int64_t count = rows->count[r], documents = rows->documents[r];
        int64_t fault = fault_of(rows, lengths, i, r, out);
        out->row = r;
        if (fault) return fault;
        double tokens = (double)count * (double)documents;
        if (documents > lengths->total - b || tokens > 1.5 * (double)lengths->tokens) return TOO_MANY;
        if (count * documents > lengths->tokens - n) return TOO_MANY;
        if ((double)count * tokens + (double)squares >= 0x1p63) return WRONG_SUM;
        b += documents;
        n += count * documents;
        squares += count * count * documents;
        if (rows->with_lengths) products += count * rows->length[r] * documents;
    }
    out->row = -1;
    if (b != sums->b_i[i]) return WRONG_B;
    if (n != sums->n_i[i]) return WRONG_N;
    if (squares != sums->squared_sum[i] || (rows->with_lengths && products != sums->length_sum[i])) return WRONG_SUM;
    return SOUND;
}

/* Reads all rows once, up to the first fault. */
int32_t tb_check_rows(const StoredRows *rows, const LengthHistogram *lengths, const StoredSums *sums, RowFault *out) {
    out->fault = SOUND;
    out->row = -1;
    for (int64_t i = 0; i < rows->terms && !out->fault; i++) {
        out->term = i;
        out->fault = term_fault(rows, lengths, sums, i, out);
    }
    return TB_OK;
}
