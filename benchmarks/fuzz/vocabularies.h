/* Make, enlarge, damage and free vocabularies. */
#ifndef VOCABULARIES_H
#define VOCABULARIES_H

#include "fuzz.h"
#include "vocabulary.h"

static inline Vocabulary new_vocabulary(int64_t slots, int64_t nodes, int64_t pool) {
    Vocabulary made = {array(slots, 8), slots, array(nodes, sizeof(Node)), nodes, 0, array(pool, 8), pool, 0};
    return made;
}

static inline void free_vocabulary(Vocabulary *known) {
    free(known->slots);
    free(known->nodes);
    free(known->pool);
}

static inline void *grown(void *old, int64_t before, int64_t after, size_t size) {
    void *made = array(after, size);
    memcpy(made, old, (size_t)before * size);
    free(old);
    return made;
}

static inline void make_room(Vocabulary *known, int64_t nodes, int64_t words) {
    if (known->used + words > known->pool_room) {
        known->pool = grown(known->pool, known->pool_room, known->used + words, 8);
        known->pool_room = known->used + words;
    }
    if (known->size + nodes > known->node_room) {
        known->nodes = grown(known->nodes, known->node_room, known->size + nodes, sizeof(Node));
        known->node_room = known->size + nodes;
    }
    if (2 * (known->size + nodes) > known->slot_room) {
        Vocabulary old = *known;
        while (2 * (known->size + nodes) > known->slot_room) known->slot_room *= 2;
        known->slots = array(known->slot_room, 8);
        CHECK(tb_rehash(&old, known) == TB_OK);
        free(old.slots);
    }
}

/* Overwrite some bytes of the tables. After that, results may be wrong, but every call must return. */
static inline void damage(Input *input, Vocabulary *known) {
    for (int64_t times = 1 + below(input, 40); times > 0; times--) {
        int64_t which = below(input, 3);
        uint8_t *bytes = which == 0 ? (uint8_t *)known->slots : which == 1 ? (uint8_t *)known->nodes : (uint8_t *)known->pool;
        int64_t size = which == 0 ? known->slot_room * 8 : which == 1 ? known->size * (int64_t)sizeof(Node) : known->used * 8;
        int64_t at = below(input, size);
        if (size > 0) bytes[at] = (uint8_t)take(input, 1);
    }
    if (below(input, 4) == 0)
        for (int64_t k = 0; k < known->slot_room; k++) known->slots[k] |= 1; /* none is free */
}

/* The names of all nodes, written and sorted; checked, unless the vocabulary is damaged. */
static inline int64_t *sorted_names(const Vocabulary *known, int is_damaged) {
    int64_t count = known->size, *ends = array(count, 8), *order = array(count, 8);
    int32_t *nodes = array(count, 4);
    for (int64_t k = 0; k < count; k++) nodes[k] = (int32_t)k;
    Names names = {nodes, ends, count, NULL, 0};
    int32_t status = tb_name_ends(known, &names);
    CHECK(status == TB_OK || is_damaged);
    if (status == TB_OK && (count == 0 || ends[count - 1] < (1 << 22))) {
        names.size = count > 0 ? ends[count - 1] + 1 : 0;
        names.bytes = array(names.size, 1);
        status = tb_write_names(known, &names);
        CHECK(status == TB_OK || is_damaged);
        int zeros = 0;
        for (int64_t k = 0; k < count; k++) order[k] = k;
        for (int64_t k = 0; k < names.size; k++) zeros |= names.bytes[k] == 0;
        if (status == TB_OK) {
            NameOrder sorted = {order, count, array(count, sizeof(SortItem)), array(count, sizeof(SortItem)),
                                array(count, sizeof(SortSpan))};
            CHECK(tb_sort_names(&names, &sorted) == TB_OK);
            for (int64_t k = 1; k < count && !zeros && !is_damaged; k++) {
                int64_t a = order[k - 1], b = order[k], from = a > 0 ? ends[a - 1] + 1 : 0, to = b > 0 ? ends[b - 1] + 1 : 0;
                int64_t sizes[2] = {ends[a] - from, ends[b] - to};
                int compared = memcmp(names.bytes + from, names.bytes + to, (size_t)least_int(sizes[0], sizes[1]));
                CHECK(compared < 0 || (compared == 0 && sizes[0] < sizes[1]));
            }
            free(sorted.items);
            free(sorted.spare);
            free(sorted.spans);
        }
        free(names.bytes);
    }
    free(nodes);
    free(ends);
    return order;
}

#endif
