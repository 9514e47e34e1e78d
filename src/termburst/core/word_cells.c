#include "word_cells.h"

/* Whether the documents end in order, inside the tokens, and have numbers that a cell can hold. */
static int is_sound(const PlacedWords *placed) {
    int64_t at = 0;
    if (placed->documents > INT32_MAX) return 0;
    for (int64_t d = 0; d < placed->documents; d++) {
        if (placed->ends[d] < at || placed->ends[d] > placed->size) return 0;
        at = placed->ends[d];
    }
    return 1;
}

int32_t tb_word_documents(const PlacedWords *placed, const WordDocuments *out) {
    if (!is_sound(placed)) return TB_BAD_INDEX;
    for (int64_t d = 0, k = 0; d < placed->documents; d++) {
        for (; k < placed->ends[d]; k++) {
            if (!placed->chosen[k]) continue;
            int64_t w = placed->tokens[k];
            if (w < 0 || w >= placed->words) return TB_BAD_INDEX;
            out->documents[w] += out->seen_in[w] != d;
            out->seen_in[w] = (int32_t)d;
        }
    }
    return TB_OK;
}

int32_t tb_word_cells(const PlacedWords *placed, const FilledCells *out) {
    if (!is_sound(placed)) return TB_BAD_INDEX;
    for (int64_t d = 0, k = 0; d < placed->documents; d++) {
        for (; k < placed->ends[d]; k++) {
            if (!placed->chosen[k]) continue;
            int64_t w = placed->tokens[k];
            if (w < 0 || w >= placed->words) return TB_BAD_INDEX;
            int64_t start = out->starts[w], end = out->starts[w + 1], next = out->next[w];
            if (start >= end) continue;
            if (start < 0 || end > out->cells || next < start || next > end) return TB_BAD_INDEX;
            if (next > start && out->document[next - 1] == d) {
                out->count[next - 1]++;
                continue;
            }
            if (next == end) return TB_NO_ROOM;
            out->document[next] = (int32_t)d;
            out->count[next] = 1;
            out->next[w] = next + 1;
        }
    }
    return TB_OK;
}
