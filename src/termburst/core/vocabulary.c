#include "vocabulary.h"

enum { SPACE = ' ', LINE_FEED = '\n' };
enum { FEW = 48 }; /* up to here insertion sort is faster */

static int increasing(const int64_t *ends, int64_t count, int64_t size) {
    int64_t at = 0;
    for (int64_t k = 0; k < count; k++) {
        if (ends[k] < at) return 0;
        at = ends[k];
    }
    return at <= size;
}

/* The node of a token. Bytes after the token are not read. */
static int32_t learn_token(const uint8_t *text, int32_t size, Vocabulary *known) {
    uint8_t held[HELD] = {0};
    memcpy(held, text, (size_t)least_int(size, HELD));
    const uint8_t *rest = size > HELD ? text + HELD : NULL;
    return find_or_add(known, token_key(eight_bytes(held), eight_bytes(held + 8), rest, size), rest);
}

/* The node of a term, whose tokens are separated by single spaces. NO_NODE for a term that can never be counted,
 * because it has an empty token or more than `longest` tokens. */
static int32_t learn_term(const uint8_t *text, int64_t size, int64_t longest, Vocabulary *known) {
    int32_t whole = NO_NODE;
    int64_t start = 0, tokens = 0;
    for (int64_t at = 0; at <= size; at++) {
        if (at < size && text[at] != SPACE) continue;
        if (at == start || at - start > INT32_MAX || ++tokens > longest) return NO_NODE;
        int32_t token = learn_token(text + start, (int32_t)(at - start), known);
        whole = tokens == 1 || token < 0 ? token : find_or_add(known, run_key(whole, token), NULL);
        if (whole == DAMAGED) return DAMAGED;
        start = at + 1;
    }
    return whole;
}

int32_t tb_learn(const Terms *terms, Vocabulary *known) {
    int64_t spaces = 0, start = 0;
    if (terms->count < 0 || !increasing(terms->ends, terms->count, terms->size)) return TB_BAD_INDEX;
    for (int64_t k = 0; k < terms->size; k++) spaces += terms->data[k] == SPACE;
    if (!sound(known, 2 * spaces + terms->count, terms->size / 8)) return TB_NO_ROOM; /* 8 from the 17th byte on */
    for (int64_t k = 0; k < terms->count; k++) {
        int32_t node = learn_term(terms->data + start, terms->ends[k] - start, terms->longest, known);
        if (node == DAMAGED) return TB_BAD_INDEX;
        terms->nodes[k] = node;
        start = terms->ends[k];
    }
    return TB_OK;
}

/* Whether a number is a valid node: a run of earlier nodes whose last one is a token, or a token whose bytes exist. */
static int valid_node(const Vocabulary *known, int64_t number) {
    if (number < 0 || number >= known->size) return 0;
    const Node *node = known->nodes + number;
    if (node->size == RUN) {
        int64_t before = (int64_t)(node->head >> 32), last = (int64_t)(uint32_t)node->head;
        return before < number && last < number && known->nodes[last].size > 0;
    }
    return node->size > 0 && (int64_t)node->at + pool_words(node->size) <= known->used;
}

static const uint8_t *rest_of(const Vocabulary *known, const Node *node) {
    return (const uint8_t *)(known->pool + node->at);
}

/* The key here of a node of another vocabulary. If it is a run, its parts have been added before. */
static NodeKey key_here(const Vocabulary *other, const Node *node, const int32_t *taken) {
    if (node->size == RUN) return run_key(taken[node->head >> 32], taken[(uint32_t)node->head]);
    return token_key(node->head, node->tail, rest_of(other, node), node->size);
}

/* Add all nodes of another vocabulary. They are looked up in batches, and the memory of each batch is fetched in
 * advance. */
int32_t tb_absorb(const Vocabulary *other, Vocabulary *known, const Taken *taken) {
    Batch batch;
    if (!sound(other, 0, 0) || !sound(known, other->size, other->used) || taken->room < other->size) return TB_NO_ROOM;
    for (int64_t start = 0; start < other->size; start += BATCH) {
        int64_t stop = least_int(start + BATCH, other->size);
        for (int64_t k = start; k < stop; k++) {
            const Node *node = other->nodes + k;
            if (!valid_node(other, k)) return TB_BAD_INDEX;
            int later = node->size == RUN && ((int64_t)(node->head >> 32) >= start || (uint32_t)node->head >= start);
            taken->nodes[k] = NO_NODE;
            batch.keys[k - start] = later ? run_key(0, 0) : key_here(other, node, taken->nodes);
            fetch_slot(known, batch.keys[k - start].hash);
        }
        fetch_nodes(known, &batch, (int)(stop - start));
        for (int64_t k = start; k < stop; k++) {
            const Node *node = other->nodes + k;
            NodeKey key = node->size == RUN ? key_here(other, node, taken->nodes) : batch.keys[k - start];
            int32_t number = find_or_add(known, key, rest_of(other, node));
            if (number == DAMAGED) return TB_BAD_INDEX;
            taken->nodes[k] = number;
            if (known->nodes[number].seen < node->seen) known->nodes[number].seen = node->seen;
        }
    }
    return TB_OK;
}

/* Put all nodes into new, empty slots. In the order of the old slots, memory is accessed sequentially. */
int32_t tb_rehash(const Vocabulary *old, const Vocabulary *known) {
    uint64_t mask = (uint64_t)known->slot_room - 1;
    if (!sound(known, 0, 0)) return TB_NO_ROOM;
    int64_t left = known->slot_room / 2;
    for (int64_t k = 0; k < old->slot_room; k++) {
        uint64_t entry = old->slots[k], at = (entry >> 32) & mask;
        if (entry == 0) continue;
        if (--left < 0) return TB_NO_ROOM;
        int64_t probe = 0;
        while (known->slots[at] != 0 && probe++ < known->slot_room) at = (at + 1) & mask;
        if (known->slots[at] != 0) return TB_NO_ROOM;
        known->slots[at] = entry;
    }
    return TB_OK;
}

/* Where each name ends; names are consecutive, each followed by a line feed. */
int32_t tb_name_ends(const Vocabulary *known, const Names *names) {
    int64_t at = 0;
    for (int64_t k = 0; k < names->count; k++) {
        int64_t node = names->nodes[k];
        if (!valid_node(known, node)) return TB_BAD_INDEX;
        while (known->nodes[node].size == RUN) {
            at += (int64_t)known->nodes[(uint32_t)known->nodes[node].head].size + 1;
            node = (int64_t)(known->nodes[node].head >> 32);
            if (!valid_node(known, node)) return TB_BAD_INDEX;
        }
        at += known->nodes[node].size;
        names->ends[k] = at++;
    }
    return TB_OK;
}

static void write_token(const Vocabulary *known, const Node *node, uint8_t *to) {
    const uint64_t held[2] = {node->head, node->tail};
    memcpy(to, held, (size_t)least_int(node->size, HELD));
    if (node->size > HELD) memcpy(to + HELD, rest_of(known, node), (size_t)(node->size - HELD));
}

/* Write the names, with tokens joined by spaces. */
int32_t tb_write_names(const Vocabulary *known, const Names *names) {
    int64_t start = 0;
    for (int64_t k = 0; k < names->count; k++) {
        int64_t node = names->nodes[k], at = names->ends[k];
        if (at < start || at >= names->size) return TB_BAD_INDEX;
        names->bytes[at] = LINE_FEED;
        for (;;) {
            if (!valid_node(known, node)) return TB_BAD_INDEX;
            int is_run = known->nodes[node].size == RUN;
            const Node *token = known->nodes + (is_run ? (int64_t)(uint32_t)known->nodes[node].head : node);
            if (at - start < (int64_t)token->size + is_run || (int64_t)token->at + pool_words(token->size) > known->used)
                return TB_BAD_INDEX;
            at -= token->size;
            write_token(known, token, names->bytes + at);
            if (!is_run) break;
            names->bytes[--at] = SPACE;
            node = (int64_t)(known->nodes[node].head >> 32);
        }
        start = names->ends[k] + 1;
    }
    return TB_OK;
}

/* Eight bytes of a name from `skip` on, as a number with the same order; bytes beyond the end are 0. */
static uint64_t sort_key(const Names *names, int64_t name, int64_t skip) {
    int64_t start = (name > 0 ? names->ends[name - 1] + 1 : 0) + skip, size = names->ends[name] - start;
    if (size <= 0) return 0;
    uint64_t word = word_of(names->bytes, start, start + size);
    return __builtin_bswap64(word);
}

static void insertion_sort(SortItem *items, int64_t count) {
    for (int64_t k = 1; k < count; k++) {
        SortItem item = items[k];
        int64_t at = k;
        for (; at > 0 && items[at - 1].key > item.key; at--) items[at] = items[at - 1];
        items[at] = item;
    }
}

/* Radix sort by the bytes of the key, lowest first. A byte that is equal in all keys is skipped. */
static void radix_sort(SortItem *items, SortItem *spare, int64_t count) {
    int64_t buckets[8][256] = {{0}};
    SortItem *from = items, *to = spare;
    for (int64_t k = 0; k < count; k++)
        for (int byte = 0; byte < 8; byte++) buckets[byte][(items[k].key >> (8 * byte)) & 255]++;
    for (int byte = 0; byte < 8; byte++) {
        int64_t before = 0, *bucket = buckets[byte];
        if (bucket[(items[0].key >> (8 * byte)) & 255] == count) continue;
        for (int k = 0; k < 256; k++) {
            int64_t here = bucket[k];
            bucket[k] = before;
            before += here;
        }
        for (int64_t k = 0; k < count; k++) to[bucket[(from[k].key >> (8 * byte)) & 255]++] = from[k];
        SortItem *swap = from;
        from = to;
        to = swap;
    }
    if (from != items) memcpy(items, from, (size_t)count * sizeof(SortItem));
}

/* Sort names whose first `skip` bytes are equal by the next eight bytes, and record the spans of names that are still
 * equal. Among equal names, those that end here come first, because the others only have more zero bytes. */
static int64_t sort_span(const Names *names, const NameOrder *sorted, SortSpan span, int64_t open) {
    int64_t *order = sorted->order + span.from, count = span.to - span.from;
    SortItem *items = sorted->items;
    for (int64_t k = 0; k < count; k++) {
        items[k].name = order[k];
        items[k].key = sort_key(names, order[k], span.skip);
    }
    if (count <= FEW) insertion_sort(items, count);
    else radix_sort(items, sorted->spare, count);
    for (int64_t k = 0; k < count; k++) order[k] = items[k].name;
    for (int64_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && items[next].key == items[first].key;) next++;
        for (; first < next; first++) {
            int64_t name = items[first].name, start = name > 0 ? names->ends[name - 1] + 1 : 0;
            if (names->ends[name] - start > span.skip + 8) break;
        }
        if (next - first > 1) sorted->spans[open++] = (SortSpan){span.from + first, span.from + next, span.skip + 8};
    }
    return open;
}

/* Sort names by their bytes, which in UTF-8 is the order of code points: eight bytes at a time, as long as names are
 * equal. The spans still to be sorted never overlap and have at least two names, so there are fewer spans than names. */
int32_t tb_sort_names(const Names *names, const NameOrder *sorted) {
    int64_t open = 0, start = 0;
    if (names->count > sorted->room) return TB_NO_ROOM;
    for (int64_t k = 0; k < names->count; k++) {
        if (names->ends[k] < start || names->ends[k] >= names->size) return TB_BAD_INDEX;
        if (sorted->order[k] < 0 || sorted->order[k] >= names->count) return TB_BAD_INDEX;
        start = names->ends[k] + 1;
    }
    if (names->count > 1) sorted->spans[open++] = (SortSpan){0, names->count, 0};
    while (open > 0) {
        SortSpan span = sorted->spans[--open];
        open = sort_span(names, sorted, span, open);
    }
    return TB_OK;
}
