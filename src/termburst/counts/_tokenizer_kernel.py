r"""The compiled tokenizer: UTF-8 bytes to tokens, tokens to numbers, numbers to counts a document.

Nothing is allocated in the loop. A call goes on until the documents are done or an array is full, and says which; the
caller makes room and calls again.

A *node* is a token, or a run of tokens. Its row of `table` holds a hash; the offset and length of a token's bytes in
the pool, or else the node of the run without its last token and −1 − the node of that token; the first sixteen bytes
of a token; and the document where it was last seen with the place of its count. `slots` is the hash table of all nodes,
with open addresses.

What the loops rest on: the parts of a run have lower numbers than the run; a node that was never counted, such as a
token of a run where only runs are terms, has the document −1, and so has one whose first document was left unfinished;
the first nodes, *left_out* of them, are stop words; a number of a node fits 31 bits.
"""

from __future__ import annotations

import numpy as np

from termburst._compiled import compiled, inner

WORD, INSIDE, LEAD = 1, 2, 4  # of a character: what `\b` takes for a word's, what tokens are made of, beyond ASCII
DONE, MORE_NODES, MORE_POOL, MORE_CELLS = 0, 1, 2, 3
DOCUMENT, NODES, USED, CELLS = 0, 1, 2, 3  # of a state
HASH, FIRST, SECOND, HEAD, NEXT_HEAD, SEEN, PLACE, COLUMNS = 0, 1, 2, 3, 4, 5, 6, 8  # of a row: a line of the cache
SPACE = 32
SHORT = 40  # cells that insertion sorts sooner

_BASIS, _MIXER = np.uint64(0xCBF29CE484222325), np.uint64(0x9E3779B97F4A7C15)
_ALL, _0, _8, _29, _32 = np.uint64(2**64 - 1), np.uint64(0), np.uint64(8), np.uint64(29), np.uint64(32)


@inner(forceinline=True)
def _mixed(h):  # type: ignore[no-untyped-def]
    h ^= h >> _32
    h *= _MIXER
    return h ^ (h >> _29)


@inner(forceinline=True)
def _find(data, start, size, h, head, next_head, slots, table, pool):  # type: ignore[no-untyped-def]
    """The node of the token data[start:start + size], or −1 − the free place in *slots* where it belongs."""
    key, first, second = np.int64(h), np.int64(head), np.int64(next_head)
    mask = slots.size - 1
    at = np.int64(h & np.uint64(mask))
    while True:
        node = np.int64(slots[at])
        if node < 0:
            return -1 - at
        row = node * COLUMNS
        if table[row + HASH] == key and table[row + SECOND] == size and table[row + HEAD] == first:
            same = table[row + NEXT_HEAD] == second
            if size > 16:
                other = table[row + FIRST]
                for k in range(16, size):
                    same &= data[start + k] == pool[other + k]
            if same:
                return node
        at = (at + 1) & mask


@inner
def _insert(data, start, size, h, head, next_head, slot, node, used, slots, table, pool):  # type: ignore[no-untyped-def]
    """Make a token a node; its bytes go to the pool from *used* on."""
    slots[slot] = node
    row = node * COLUMNS
    table[row + HASH], table[row + FIRST], table[row + SECOND], table[row + SEEN] = np.int64(h), used, size, -1
    table[row + HEAD], table[row + NEXT_HEAD] = np.int64(head), np.int64(next_head)
    for k in range(size):
        pool[used + k] = data[start + k]


@inner(forceinline=True)
def _run(before, last, fresh, slots, table):  # type: ignore[no-untyped-def]
    """The node of the run *before* and then the token *last*: *fresh*, if that is not −1, where there was none."""
    h = _mixed((np.uint64(before) << _32) ^ np.uint64(last) ^ _MIXER)
    mask = slots.size - 1
    at = np.int64(h & np.uint64(mask))
    while True:
        node = np.int64(slots[at])
        if node < 0:
            break
        if table[node * COLUMNS + FIRST] == before and table[node * COLUMNS + SECOND] == -1 - last:
            return node
        at = (at + 1) & mask
    if fresh >= 0:
        slots[at] = fresh
        row = fresh * COLUMNS
        table[row + HASH], table[row + FIRST], table[row + SECOND], table[row + SEEN] = (
            np.int64(h),
            before,
            -1 - last,
            -1,
        )
    return fresh


@inner(forceinline=True)
def _hashed(words, at, size):  # type: ignore[no-untyped-def]
    """The hash of the *size* bytes from *at* on, and the first sixteen as two numbers."""
    head, next_head = words[at] & (_ALL >> np.uint64(8 * max(8 - size, 0))), np.uint64(0)
    h = (_BASIS ^ head ^ np.uint64(size)) * _MIXER
    if size > 8:
        next_head = words[at + 8] & (_ALL >> np.uint64(8 * max(16 - size, 0)))
        h = ((h ^ (h >> _32)) ^ next_head) * _MIXER
        for done in range(16, size, 8):
            word = words[at + done] & (_ALL >> np.uint64(8 * max(8 - size + done, 0)))
            h = ((h ^ (h >> _32)) ^ word) * _MIXER
    return _mixed(h), head, next_head


@inner(forceinline=True)
def _decode(data, at):  # type: ignore[no-untyped-def]
    """The code point that begins at a lead byte of UTF-8, and how many bytes it takes."""
    byte = np.int64(data[at])
    if byte < 0xE0:
        return ((byte & 0x1F) << 6) | (data[at + 1] & 0x3F), 2
    if byte < 0xF0:
        return ((byte & 0x0F) << 12) | ((data[at + 1] & 0x3F) << 6) | (data[at + 2] & 0x3F), 3
    high = ((byte & 0x07) << 18) | ((data[at + 1] & 0x3F) << 12)
    return high | ((data[at + 2] & 0x3F) << 6) | (data[at + 3] & 0x3F), 4


@inner(forceinline=True)
def _noted(node, here, cells, table, ids, counts):  # type: ignore[no-untyped-def]
    """Count a node in the document *here*; how many cells there are now."""
    row = node * COLUMNS
    if table[row + SEEN] == here:
        counts[table[row + PLACE]] += 1
        return cells
    table[row + SEEN], table[row + PLACE] = here, cells
    ids[cells], counts[cells] = node, 1
    return cells + 1


@inner
def _plain_tokens(data, at, end, kinds, bounded, shortest, starts, stops):  # type: ignore[no-untyped-def]
    """The tokens of ASCII text, to *starts* and *stops*; how many. Without branches, which none could predict."""
    part, edges, before = data[at:end], _0, _0  # unsigned, and a slice: no index could be from the end
    for k in range(part.size):
        inside = np.uint64((kinds[part[k]] >> 1) & 1)
        starts[edges] = k
        edges += inside ^ before
        before = inside
    starts[edges] = part.size
    found = _0
    for k in range(0, np.int64(edges), 2):
        start, stop = at + starts[k], at + starts[k + 1]
        stops[found], starts[found] = stop, start
        token = stop - start >= shortest
        if bounded:
            token &= start == at or kinds[data[start - 1]] & WORD == 0
            token &= stop == end or kinds[data[stop]] & WORD == 0
        found += np.uint64(token)
    return np.int64(found)


@inner
def _tokens(data, at, end, kinds, wide, bounded, shortest, starts, stops):  # type: ignore[no-untyped-def]
    """The tokens of any text, to *starts* and *stops*; how many."""
    found, glued = 0, False
    while at < end:
        width, kind = 1, kinds[data[at]]
        if kind == LEAD:
            point, width = _decode(data, at)
            kind = wide[point]
        if kind & INSIDE == 0:
            glued = kind & WORD != 0
            at += width
            continue
        starts[found], letters = at, 0
        while kind & INSIDE != 0:
            at += width
            letters += 1
            kind = 0
            if at < end:
                width, kind = 1, kinds[data[at]]
                if kind == LEAD:
                    point, width = _decode(data, at)
                    kind = wide[point]
        stops[found] = at
        found += letters >= shortest and not (bounded and (glued or kind & WORD != 0))
    return found


@inner
def _folded(data, at, end, lowercase):  # type: ignore[no-untyped-def]
    """Fold the case of ASCII letters, if so asked; whether there is nothing but ASCII."""
    part, bits, nothing, step = data[at:end], np.uint8(0), np.uint8(0), np.uint8(32 if lowercase else 0)
    for k in range(part.size):
        byte = part[k]
        bits |= byte
        part[k] = byte + (step if (byte >= 65) & (byte <= 90) else nothing)
    return bits < 128


@inner
def _nodes_of(data, words, starts, stops, found, nodes, used, room, growing, slots, table, pool):  # type: ignore[no-untyped-def]
    """Put the nodes of the tokens found in place of their *starts*; nodes and bytes now, and whether all fit."""
    for token in range(found):
        start, size = starts[token], stops[token] - starts[token]
        h, head, next_head = _hashed(words, start, size)
        node = _find(data, start, size, h, head, next_head, slots, table, pool)
        if node < 0 and growing:
            _insert(data, start, size, h, head, next_head, -1 - node, nodes, used, slots, table, pool)
            node = nodes
            nodes += 1
            used += size
            if nodes >= room:
                return nodes, used, False
        starts[token] = node
    return nodes, used, True


@inner
def _note_tokens(tokens, found, left_out, here, cells, table, ids, counts):  # type: ignore[no-untyped-def]
    """Count tokens as terms; how many cells there are now."""
    for token in range(found):
        node = tokens[token]
        if node >= left_out:
            cells = _noted(node, here, cells, table, ids, counts)
    return cells


@inner
def _note_runs(  # type: ignore[no-untyped-def]
    tokens, found, left_out, grams_from, grams_to, here, cells, nodes, room, growing, slots, table, ids, counts, runs
):
    """Count runs of two tokens or more as terms; cells and nodes there are now, and whether all fit."""
    held = 0
    for token in range(found):
        node = tokens[token]
        if 0 <= node < left_out:
            continue
        for k in range(min(held, grams_to - 1), 0, -1):
            whole = np.int64(-1)
            if runs[k] >= 0 and node >= 0:
                whole = _run(runs[k], node, nodes if growing else -1, slots, table)
                if whole == nodes:
                    nodes += 1
            runs[k + 1] = whole
            if whole >= 0 and k + 1 >= grams_from:
                cells = _noted(whole, here, cells, table, ids, counts)
        runs[1] = node
        held += 1
        if nodes >= room:
            return cells, nodes, False
    return cells, nodes, True


@compiled
def count(  # type: ignore[no-untyped-def]
    data, words, ends, base, state, lowercase, kinds, wide, bounded, shortest, grams_from, grams_to, left_out, growing,
    slots, table, pool, ids, counts, indptr, runs, starts, stops,
):  # fmt: skip
    """Count the documents in *data* that end at *ends*, from *state* on; returns what there is too little of.

    *words* are the eight bytes from each place of the data on. Documents are numbered from *base* on. `kinds` is of
    bytes and `wide` of code points; a token has *shortest* characters or more and, if *bounded*, no word character
    beside it. The first *left_out* nodes are not counted.
    """
    document, nodes, used, cells = state[DOCUMENT], state[NODES], state[USED], state[CELLS]
    room = min(slots.size // 2, table.size // COLUMNS) - grams_to
    at = ends[document - 1] if document > 0 else np.int64(0)
    while document < ends.size:
        end, here, mark, fits = ends[document], base + document, cells, nodes < room
        status = MORE_NODES
        if used + end - at + 8 > pool.size:
            fits, status = False, MORE_POOL
        if fits:
            if _folded(data, at, end, lowercase):
                found = _plain_tokens(data, at, end, kinds, bounded, shortest, starts, stops)
            else:
                found = _tokens(data, at, end, kinds, wide, bounded, shortest, starts, stops)
            if cells + found * (grams_to - grams_from + 1) > ids.size:
                fits, status = False, MORE_CELLS
        if fits:
            nodes, used, fits = _nodes_of(
                data, words, starts, stops, found, nodes, used, room, growing, slots, table, pool
            )
        if fits and grams_from == 1:
            cells = _note_tokens(starts, found, left_out, here, cells, table, ids, counts)
        if fits and grams_to > 1:
            cells, nodes, fits = _note_runs(
                starts, found, left_out, grams_from, grams_to, here, cells, nodes, room, growing, slots, table, ids,
                counts, runs,
            )  # fmt: skip
        if not fits:  # this document is begun anew when there is room
            for k in range(mark, cells):
                table[ids[k] * COLUMNS + SEEN] = -1
            state[DOCUMENT], state[NODES], state[USED], state[CELLS] = document, nodes, used, mark
            return status
        document += 1
        indptr[document] = cells
        at = end
    state[DOCUMENT], state[NODES], state[USED], state[CELLS] = document, nodes, used, cells
    return DONE


@compiled
def learn(data, words, ends, state, most, slots, table, pool, out):  # type: ignore[no-untyped-def]
    """Give each of the terms that end at *ends* a node, to *out*: its parts between single spaces are its tokens.

    −1 for a term that can never be counted, having an empty part or more than *most*. There is room for all of them.
    """
    nodes, used, at = state[NODES], state[USED], np.int64(0)
    for term in range(ends.size):
        out[term], parts = -1, 0
        while at <= ends[term]:
            start = at
            while at < ends[term] and data[at] != SPACE:
                at += 1
            parts += 1
            if at == start or parts > most or (parts > 1 and out[term] < 0):
                out[term], parts = -1, most + 1
            else:
                size = at - start
                h, head, next_head = _hashed(words, start, size)
                node = _find(data, start, size, h, head, next_head, slots, table, pool)
                if node < 0:
                    _insert(data, start, size, h, head, next_head, -1 - node, nodes, used, slots, table, pool)
                    node = nodes
                    nodes += 1
                    used += size
                out[term] = node if parts == 1 else _run(out[term], node, nodes, slots, table)
                if out[term] == nodes:
                    nodes += 1
            at += 1
        at = ends[term]
    state[NODES], state[USED] = nodes, used


@compiled
def absorb(other_nodes, other_table, other_pool, state, slots, table, pool, out):  # type: ignore[no-untyped-def]
    """Take over all nodes of another table; *out* receives what they are here. There is room for all of them."""
    nodes, used = state[NODES], state[USED]
    for other in range(other_nodes):
        row = other * COLUMNS
        if other_table[row + SECOND] >= 0:
            start, size, h = other_table[row + FIRST], other_table[row + SECOND], np.uint64(other_table[row + HASH])
            head, next_head = np.uint64(other_table[row + HEAD]), np.uint64(other_table[row + NEXT_HEAD])
            node = _find(other_pool, start, size, h, head, next_head, slots, table, pool)
            if node < 0:
                _insert(other_pool, start, size, h, head, next_head, -1 - node, nodes, used, slots, table, pool)
                node = nodes
                used += size
        else:
            node = _run(out[other_table[row + FIRST]], out[-1 - other_table[row + SECOND]], nodes, slots, table)
        nodes += 1 if node == nodes else 0
        out[other] = node
        table[node * COLUMNS + SEEN] = max(table[node * COLUMNS + SEEN], other_table[row + SEEN])
    state[NODES], state[USED] = nodes, used


@compiled
def rehash(nodes, table, slots):  # type: ignore[no-untyped-def]
    """Put all nodes into new, empty *slots*."""
    mask = slots.size - 1
    for node in range(nodes):
        at = np.int64(np.uint64(table[node * COLUMNS + HASH]) & np.uint64(mask))
        while slots[at] >= 0:
            at = (at + 1) & mask
        slots[at] = node


@compiled
def name_sizes(nodes, table, out):  # type: ignore[no-untyped-def]
    """How many bytes the names of these nodes have."""
    for k in range(nodes.size):
        node, size = nodes[k], np.int64(0)
        while table[node * COLUMNS + SECOND] < 0:
            size += table[(-1 - table[node * COLUMNS + SECOND]) * COLUMNS + SECOND] + 1
            node = table[node * COLUMNS + FIRST]
        out[k] = size + table[node * COLUMNS + SECOND]


@compiled
def write_names(nodes, table, pool, ends, out):  # type: ignore[no-untyped-def]
    """The names of these nodes, which end at *ends* in *out*: tokens with a space between."""
    for k in range(nodes.size):
        node, at = nodes[k], ends[k]
        while True:
            run = table[node * COLUMNS + SECOND] < 0
            token = -1 - table[node * COLUMNS + SECOND] if run else node
            start, size = table[token * COLUMNS + FIRST], table[token * COLUMNS + SECOND]
            at -= size
            for j in range(size):
                out[at + j] = pool[start + j]
            if not run:
                break
            at -= 1
            out[at] = SPACE
            node = table[node * COLUMNS + FIRST]


@compiled
def eight_bytes(names, starts, ends, which, skip, out):  # type: ignore[no-untyped-def]
    """The bytes from *skip* on of the names *which*, eight as a number that sorts as they do; 0 where there is none."""
    for k in range(which.size):
        start, end, word = starts[which[k]] + skip, ends[which[k]], np.uint64(0)
        for j in range(8):
            word = (word << _8) | (np.uint64(names[start + j]) if start + j < end else np.uint64(0))
        out[k] = word


@compiled
def write_rows(ids, counts, indptr, column, starts, bits, passes, keys, spare, buckets, indices, data):  # type: ignore[no-untyped-def]
    """The rows in the order of their columns, from *starts* on in *indices* and *data*; cells without one are left out.

    Sorted by *bits* of the column at a time, in so many *passes*, which takes a quarter of the time that comparing
    does; a short row by insertion. *keys* and *spare* hold the longest row, *buckets* all values of so many bits.
    """
    mask = (1 << bits) - 1
    for row in range(indptr.size - 1):
        size = 0
        for k in range(indptr[row], indptr[row + 1]):
            keys[size] = (np.int64(column[ids[k]]) << 32) | counts[k]
            size += column[ids[k]] >= 0
        if size <= SHORT:
            for k in range(1, size):
                key, at = keys[k], k
                while at > 0 and keys[at - 1] > key:
                    keys[at] = keys[at - 1]
                    at -= 1
                keys[at] = key
        else:
            for shift in range(32, 32 + passes * bits, bits):
                for k in range(mask + 1):
                    buckets[k] = 0
                for k in range(size):
                    buckets[(keys[k] >> shift) & mask] += 1
                before = 0
                for k in range(mask + 1):
                    here = buckets[k]
                    buckets[k] = before
                    before += here
                for k in range(size):
                    bucket = (keys[k] >> shift) & mask
                    spare[buckets[bucket]] = keys[k]
                    buckets[bucket] += 1
                keys, spare = spare, keys
        at = starts[row]
        for k in range(size):
            indices[at + k], data[at + k] = keys[k] >> 32, keys[k] & 0xFFFFFFFF
