#include "cells.h"

/* Checks all cells once. After that, kernels may use counts and lengths as array indices. */
int32_t tb_cell_bounds(const Cells *cells, const CellBounds *out) {
    int64_t most_occurrences = 0, longest = 0;
    for (int64_t i = 0; i < cells->terms; i++) {
        int64_t occurrences = 0;
        for (int64_t g = 0; g < cells->groups; g++) {
            const int64_t *range = range_of(cells, g, i);
            if (range[0] < 0 || range[1] < range[0] || range[1] > cells->size) return TB_BAD_INDEX;
            for (int64_t j = range[0]; j < range[1]; j++) {
                if (cells->count[j] < 1 || cells->count[j] > cells->length[j]) return TB_BAD_CELL;
                occurrences += least_int(cells->count[j], MANY);
                longest = most_int(longest, cells->length[j]);
            }
        }
        most_occurrences = most_int(most_occurrences, occurrences);
    }
    *out->occurrences = most_occurrences;
    *out->longest = longest;
    return TB_OK;
}

enum { MOST_CELLS = 8 }; /* terms with more cells are hardly ever equal */

typedef struct {
    uint64_t key[MOST_CELLS];
    double weight[MOST_CELLS];
    int64_t end[MOST_CELLS + 1]; /* of each group; groups after the last one with cells are left out */
    int64_t size, groups;
    uint64_t hash;
} Pattern;

static uint64_t mixed(uint64_t h) {
    h ^= h >> 32;
    h *= 0x9E3779B97F4A7C15u;
    return h ^ (h >> 29);
}

/* The cells of a term, sorted within each group; 0 if there are too many. */
static int pattern_of(const Cells *cells, int64_t term, Pattern *out) {
    out->size = out->groups = 0;
    out->hash = 0;
    for (int64_t g = 0; g < cells->groups; g++) {
        const int64_t *range = range_of(cells, g, term);
        int64_t start = out->size;
        if (range[1] - range[0] > MOST_CELLS - start) return 0;
        if (g >= MOST_CELLS && range[1] > range[0]) return 0;
        for (int64_t j = range[0]; j < range[1]; j++) {
            uint64_t key = ((uint64_t)cells->count[j] << 32) | (uint64_t)cells->length[j];
            int64_t at = out->size++;
            for (; at > start && out->key[at - 1] > key; at--) {
                out->key[at] = out->key[at - 1];
                out->weight[at] = out->weight[at - 1];
            }
            out->key[at] = key;
            out->weight[at] = weight_of(cells, j);
        }
        if (g < MOST_CELLS) {
            out->end[g] = out->size;
            out->groups = g + 1;
        }
    }
    for (int64_t k = 0; k < out->size; k++) out->hash = mixed(out->hash ^ mixed(out->key[k]));
    return 1;
}

static int same(const Pattern *a, const Pattern *b) {
    if (a->hash != b->hash || a->size != b->size) return 0;
    for (int64_t g = 0; g < a->groups; g++)
        if (a->end[g] != b->end[g]) return 0;
    for (int64_t k = 0; k < a->size; k++)
        if (a->key[k] != b->key[k] || a->weight[k] != b->weight[k]) return 0;
    return 1;
}

int32_t tb_alike_terms(const Cells *cells, const AlikeTerms *task) {
    int64_t mask = task->slot_count - 1, found = 0;
    Pattern own, other;
    for (int64_t s = 0; s < task->slot_count; s++) task->slots[s] = -1;
    for (int64_t k = 0; k < task->size; k++) {
        if (!is_term(cells, task->terms[k])) return TB_BAD_INDEX;
        int64_t place = -1, at = 0;
        if (pattern_of(cells, task->terms[k], &own)) {
            for (at = (int64_t)(own.hash & (uint64_t)mask); task->slots[at] >= 0; at = (at + 1) & mask) {
                pattern_of(cells, task->distinct[task->slots[at]], &other);
                if (same(&own, &other)) break;
            }
            place = task->slots[at];
            if (place < 0) task->slots[at] = found;
        }
        if (place < 0) {
            place = found++;
            task->distinct[place] = task->terms[k];
        }
        task->place[k] = place;
    }
    *task->found = found;
    return TB_OK;
}
