/* Numbers for tokens and n-grams: a hash table, the names in it, and their alphabetical order.
 *
 * A *node* is a token, or a run of tokens (an n-gram). A run without its last token is also a node, with a lower
 * number.
 */
#ifndef TB_VOCABULARY_H
#define TB_VOCABULARY_H

#include <string.h>

#include "core.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "bytes are read eight at a time, the first of them lowest"
#endif

enum { RUN = -1 };   /* the size of a node that is a run */
enum { BATCH = 32 }; /* nodes that are looked up together, so that their memory is fetched at once */
enum { HELD = 16 };  /* bytes of a token that are stored in its node */
enum { NO_NODE = -1, DAMAGED = -2 };
#define MOST_NODES INT64_C(0x7fffffff)
#define MOST_POOL INT64_C(0xffffffff)

/* Half a cache line. A token has its first sixteen bytes in `head` and `tail`, the others in the pool from `at` on. A
 * run has the node of all tokens but the last in the upper half of `head`, and the node of the last token in the lower
 * half. `seen` is the number of the document in which it was last counted (0: none), and `place` the cell of its count
 * there. */
TB_STRUCT(Node, {
    uint64_t head, tail;
    uint32_t at;
    int32_t size;
    uint32_t seen;
    int32_t place;
})

/* A slot is empty (0), or has a hash in its upper bits and the number of a node plus one in its lower bits. The number
 * of slots is a power of two, and at most half of them are in use. */
TB_STRUCT(Vocabulary, {
    uint64_t *slots;
    Size slot_room;
    Node *nodes;
    Size node_room;
    int64_t size;
    uint64_t *pool;
    Size pool_room;
    int64_t used;
})

/* Terms that end at `ends` in `data`. `nodes` receives their nodes, −1 for a term with more than `longest` tokens. */
TB_STRUCT(Terms, {
    const uint8_t *data;
    Size size;
    const int64_t *ends;
    Size count;
    int32_t *nodes;
    int64_t longest;
})

/* The number here of each node of another vocabulary. */
TB_STRUCT(Taken, {
    int32_t *nodes;
    Size room;
})

/* The names of `nodes`: name k ends at ends[k] in `bytes`, followed by a line feed. */
TB_STRUCT(Names, {
    const int32_t *nodes;
    int64_t *ends;
    Size count;
    uint8_t *bytes;
    Size size;
})

/* Eight bytes of a name, by which it is sorted, and the number of the name. */
TB_STRUCT(SortItem, {
    uint64_t key;
    int64_t name;
})

/* A range of names whose first `skip` bytes are equal. */
TB_STRUCT(SortSpan, {
    int64_t from, to, skip;
})

/* The order of names. It is also an input: names that differ only in zero bytes keep their order. There is space for as
 * many items, spare items and spans as there are names. */
TB_STRUCT(NameOrder, {
    int64_t *order;
    Size room;
    SortItem *items;
    SortItem *spare;
    SortSpan *spans;
})

TB_KERNEL(tb_learn, const Terms *terms, Vocabulary *known);
TB_KERNEL(tb_absorb, const Vocabulary *other, Vocabulary *known, const Taken *taken);
TB_KERNEL(tb_rehash, const Vocabulary *old, const Vocabulary *known);
TB_KERNEL(tb_name_ends, const Vocabulary *known, const Names *names);
TB_KERNEL(tb_write_names, const Vocabulary *known, const Names *names);
TB_KERNEL(tb_sort_names, const Names *names, const NameOrder *sorted);

/* The key of a node in the hash table. */
typedef struct {
    uint64_t head, tail;
    int32_t size;
    uint32_t hash;
} NodeKey;

#define TB_PREFETCH(address) __builtin_prefetch(address)

TB_INLINE uint64_t eight_bytes(const uint8_t *from) {
    uint64_t word;
    memcpy(&word, from, 8);
    return word;
}

/* The first `size` of eight bytes; the other bytes are 0. */
TB_INLINE uint64_t low_bytes(uint64_t word, int64_t size) {
    static const uint64_t MASKS[9] = {
        0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, UINT64_MAX,
    };
    return word & MASKS[between_int(size, 0, 8)];
}

/* The number of words of the pool that a token needs. */
TB_INLINE int64_t pool_words(int64_t size) { return size > HELD ? (size - HELD + 7) / 8 : 0; }

TB_INLINE uint64_t stirred(uint64_t hash, uint64_t word) {
    return ((hash ^ (hash >> 32)) ^ word) * UINT64_C(0x9e3779b97f4a7c15);
}

TB_INLINE uint64_t hash_of_held(uint64_t head, uint64_t tail, int32_t size) {
    uint64_t hash = (head ^ (uint64_t)(uint32_t)size * UINT64_C(0xcbf29ce484222325)) * UINT64_C(0xd6e8feb86659fd93);
    return stirred(hash, tail);
}

/* The word of the pool that begins at byte k of `rest`, which has `size` bytes. */
TB_INLINE uint64_t word_of(const uint8_t *rest, int64_t k, int64_t size) {
    uint64_t word = 0;
    memcpy(&word, rest + k, (size_t)least_int(size - k, 8));
    return word;
}

/* The key of a token of `size` ≥ 1 bytes: its first eight bytes, the next eight, and the rest. */
TB_INLINE NodeKey token_key(uint64_t first, uint64_t second, const uint8_t *rest, int32_t size) {
    NodeKey key = {low_bytes(first, size), low_bytes(second, (int64_t)size - 8), size, 0};
    uint64_t hash = hash_of_held(key.head, key.tail, size);
    for (int64_t k = 0; k < size - HELD; k += 8) hash = stirred(hash, word_of(rest, k, size - HELD));
    key.hash = (uint32_t)(hash >> 32);
    return key;
}

TB_INLINE NodeKey run_key(int32_t before, int32_t last) {
    NodeKey key = {(uint64_t)(uint32_t)before << 32 | (uint32_t)last, 0, RUN, 0};
    key.hash = (uint32_t)(hash_of_held(key.head, 0, RUN) >> 32);
    return key;
}

/* Whether the vocabulary is valid, with space for so many more nodes and words of the pool. */
TB_INLINE int sound(const Vocabulary *known, int64_t nodes, int64_t words) {
    int64_t slots = known->slot_room;
    return slots > 0 && (slots & (slots - 1)) == 0 && known->size >= 0 && known->used >= 0 && nodes >= 0 && words >= 0 &&
           nodes <= MOST_NODES && words <= MOST_POOL && known->used <= MOST_POOL && known->size <= MOST_NODES &&
           known->size + nodes <= least_int(least_int(known->node_room, slots / 2), MOST_NODES) &&
           known->used + words <= least_int(known->pool_room, MOST_POOL);
}

/* Whether the bytes of a token from the seventeenth on are equal to `rest`. */
TB_INLINE int same_rest(const Vocabulary *known, const Node *node, const uint8_t *rest) {
    if ((int64_t)node->at + pool_words(node->size) > known->used) return 0;
    const uint64_t *words = known->pool + node->at;
    for (int64_t k = 0; k < node->size - HELD; k += 8)
        if (word_of(rest, k, node->size - HELD) != *words++) return 0;
    return 1;
}

/* The node of that key; or NO_NODE, with the free slot where it belongs; or DAMAGED if no slot is free. `rest` has the
 * bytes of a token from the seventeenth on. */
TB_INLINE int32_t find_node(const Vocabulary *known, NodeKey key, const uint8_t *rest, int64_t *slot) {
    uint64_t mask = (uint64_t)known->slot_room - 1, at = key.hash & mask;
    for (int64_t probe = 0; probe < known->slot_room; probe++) {
        uint64_t entry = known->slots[at];
        if (entry == 0) {
            *slot = (int64_t)at;
            return NO_NODE;
        }
        uint32_t number = (uint32_t)entry - 1;
        if ((uint32_t)(entry >> 32) == key.hash && (int64_t)number < known->size) {
            const Node *node = known->nodes + number;
            if (node->head == key.head && node->tail == key.tail && node->size == key.size &&
                (key.size <= HELD || same_rest(known, node, rest)))
                return (int32_t)number;
        }
        at = (at + 1) & mask;
    }
    return DAMAGED;
}

/* Add a node that was not found. There is space for it, unless it comes from another vocabulary that is damaged. */
static inline int32_t add_node(Vocabulary *known, NodeKey key, const uint8_t *rest, int64_t slot) {
    if (known->size >= known->node_room || known->used + pool_words(key.size) > known->pool_room) return DAMAGED;
    int32_t number = (int32_t)known->size++;
    Node node = {key.head, key.tail, 0, key.size, 0, 0};
    if (key.size > HELD) {
        node.at = (uint32_t)known->used;
        for (int64_t k = 0; k < key.size - HELD; k += 8) known->pool[known->used++] = word_of(rest, k, key.size - HELD);
    }
    known->slots[slot] = (uint64_t)key.hash << 32 | (uint32_t)(number + 1);
    known->nodes[number] = node;
    return number;
}

TB_INLINE int32_t find_or_add(Vocabulary *known, NodeKey key, const uint8_t *rest) {
    int64_t slot = 0;
    int32_t node = find_node(known, key, rest, &slot);
    return node == NO_NODE ? add_node(known, key, rest, slot) : node;
}

/* Keys that are looked up together: first all hashes, then all slots, then all nodes, so that the memory for the next
 * step is fetched during the current one. */
typedef struct {
    NodeKey keys[BATCH];
    uint64_t entries[BATCH];
} Batch;

TB_INLINE void fetch_slot(const Vocabulary *known, uint32_t hash) {
    TB_PREFETCH(known->slots + (hash & ((uint64_t)known->slot_room - 1)));
}

TB_INLINE void fetch_nodes(const Vocabulary *known, Batch *batch, int count) {
    const uint64_t *slots = known->slots, mask = (uint64_t)known->slot_room - 1;
    const Node *nodes = known->nodes;
    int64_t size = known->size;
    for (int k = 0; k < count; k++) {
        uint64_t entry = slots[batch->keys[k].hash & mask];
        uint32_t number = (uint32_t)entry - 1;
        batch->entries[k] = entry;
        if ((int64_t)number < size) TB_PREFETCH(nodes + number);
    }
}

/* The node of a key of the batch if it is in its first slot; otherwise NO_NODE, and `find_node` must be called. */
TB_INLINE int32_t first_in_slot(const Vocabulary *known, const Batch *batch, int k, const uint8_t *rest) {
    const NodeKey *key = batch->keys + k;
    uint32_t number = (uint32_t)batch->entries[k] - 1;
    if ((int64_t)number >= known->size) return NO_NODE;
    const Node *node = known->nodes + number;
    if (((node->head ^ key->head) | (node->tail ^ key->tail) | (uint32_t)(node->size ^ key->size)) != 0) return NO_NODE;
    return key->size <= HELD || same_rest(known, node, rest) ? (int32_t)number : NO_NODE;
}

#endif
