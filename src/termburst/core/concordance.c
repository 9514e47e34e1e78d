#include "concordance.h"

/* The code point at a place; `width` receives its number of bytes. A byte that does not belong there stands alone. */
TB_INLINE int64_t code_point(const uint8_t *at, const uint8_t *end, int64_t *width) {
    uint32_t byte = *at;
    int64_t length = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    *width = 1;
    if (length == 1 || end - at < length) return byte;
    *width = length;
    uint32_t point = byte & (0xFFu >> (length + 1));
    for (int64_t k = 1; k < length; k++) point = point << 6 | (at[k] & 0x3F);
    return point;
}

/* The beginning of the character that ends before `at`. */
TB_INLINE const uint8_t *one_back(const uint8_t *at, const uint8_t *begin) {
    do at--;
    while (at > begin && (*at & 0xC0) == 0x80);
    return at;
}

TB_INLINE int is_word(const Searched *searched, const uint8_t *at, const uint8_t *end, int64_t *width) {
    int64_t point = code_point(at, end, width);
    return point < searched->word_size && searched->word[point];
}

/* White space as in `\s` of Python. */
TB_INLINE int is_space(const uint8_t *at, const uint8_t *end, int64_t *width) {
    *width = 1;
    if (*at < 0x80) return *at == ' ' || (*at >= 9 && *at <= 13) || (*at >= 0x1C && *at <= 0x1F);
    int64_t p = code_point(at, end, width);
    return p == 0x85 || p == 0xA0 || p == 0x1680 || (p >= 0x2000 && p <= 0x200A) || p == 0x2028 || p == 0x2029 ||
           p == 0x202F || p == 0x205F || p == 0x3000;
}

/* The end of a LETTER that begins at a place; NULL if it is another character. */
static const uint8_t *letter(const Query *query, int64_t part, const uint8_t *at, const uint8_t *end) {
    for (int64_t a = query->first[part]; a < query->first[part + 1]; a++) {
        int64_t from = query->at[a], length = query->at[a + 1] - from, k = 0;
        if (length > end - at) continue;
        while (k < length && query->bytes[from + k] == at[k]) k++;
        if (k == length) return at + length;
    }
    return NULL;
}

/* The end of a match that begins at a place; NULL if there is none. No part can match in two ways if it is followed by
 * the next one, so there is nothing to try again. */
static const uint8_t *match(const Searched *searched, const Query *query, const uint8_t *at, const uint8_t *end) {
    int64_t width;
    for (int64_t part = 0; part < query->parts; part++) {
        switch (query->kinds[part]) {
        case LETTER:
            at = letter(query, part, at, end);
            if (at == NULL) return NULL;
            break;
        case SPACE: {
            const uint8_t *from = at;
            while (at < end && is_space(at, end, &width)) at += width;
            if (at == from) return NULL;
            break;
        }
        case ANY:
            if (at == end || !is_word(searched, at, end, &width)) return NULL;
            at += width;
            break;
        default:
            while (at < end && is_word(searched, at, end, &width)) at += width;
        }
    }
    return at < end && is_word(searched, at, end, &width) ? NULL : at;
}

/* Whether the documents are in order, and the query refers only to bytes that it has. */
static int is_sound(const Searched *searched, const Query *query) {
    int64_t at = 0;
    for (int64_t k = 0; k < searched->documents; k++) {
        if (searched->ends[k] < at || searched->ends[k] > searched->size) return 0;
        at = searched->ends[k];
    }
    if (query == NULL) return 1;
    if (query->parts < 1 || query->kinds[0] != LETTER) return 0;
    for (int64_t p = 0; p < query->parts; p++)
        if (query->first[p] < 0 || query->first[p] > query->first[p + 1] || query->first[p + 1] > query->characters)
            return 0;
    for (int64_t a = 0; a < query->characters; a++)
        if (query->at[a] < 0 || query->at[a] >= query->at[a + 1] || query->at[a + 1] > query->size) return 0;
    return 1;
}

/* The number of characters between two places. */
static int64_t characters(const uint8_t *from, const uint8_t *to) {
    int64_t count = 0;
    for (; from < to; from++) count += (*from & 0xC0) != 0x80;
    return count;
}

int32_t tb_find(const Searched *searched, const Query *query, Matches *matches) {
    if (!is_sound(searched, query) || matches->next < 0 || matches->next > searched->size) return TB_BAD_INDEX;
    if (matches->size < 0 || matches->size > matches->room) return TB_NO_ROOM;
    const uint8_t *data = searched->data, *at = data + matches->next;
    for (int64_t d = 0; d < searched->documents; d++) {
        const uint8_t *begin = data + (d > 0 ? searched->ends[d - 1] : 0), *end = data + searched->ends[d];
        if (end <= at && end > begin) continue;
        const uint8_t *counted = begin;
        int64_t place = 0, width;
        at = at < begin ? begin : at;
        while (at < end) {
            while (at < end && !query->begins[*at]) at++;
            if (at == end) break;
            if (at > begin && is_word(searched, at[-1] < 0x80 ? at - 1 : one_back(at, begin), end, &width)) {
                at++;
                continue;
            }
            const uint8_t *stop = match(searched, query, at, end);
            if (stop == NULL) {
                at++;
                continue;
            }
            if (matches->size == matches->room) {
                matches->next = at - data;
                return TB_OK;
            }
            place += characters(counted, at);
            counted = at;
            matches->document[matches->size] = d;
            matches->start[matches->size] = at - data;
            matches->stop[matches->size] = stop - data;
            matches->place[matches->size++] = place;
            at = stop;
        }
    }
    matches->next = searched->size;
    return TB_OK;
}

/* Copy text with one space for each run of white space. */
static uint8_t *copy(const uint8_t *from, const uint8_t *end, uint8_t *to) {
    int64_t width;
    while (from < end) {
        if (!is_space(from, end, &width)) {
            for (int64_t k = 0; k < width; k++) *to++ = *from++;
            continue;
        }
        *to++ = ' ';
        while (from < end && is_space(from, end, &width)) from += width;
    }
    return to;
}

/* 1 for white space in ASCII, otherwise 0; on bytes only, so that compilers make vectors of it. */
TB_INLINE uint8_t is_blank(uint8_t c) { return (c == ' ') | ((uint8_t)(c - 9) <= 4) | ((uint8_t)(c - 0x1C) <= 3); }

/* The same for text in ASCII. Most texts have no runs of white space, so bytes are copied one by one first. */
static uint8_t *copy_ascii(const uint8_t *restrict from, const uint8_t *end, uint8_t *restrict to) {
    int64_t size = end - from, used = 0;
    uint8_t runs = 0;
    for (int64_t k = 0; k < size; k++) to[k] = is_blank(from[k]) ? ' ' : from[k];
    for (int64_t k = 1; k < size; k++) runs |= (uint8_t)((to[k] == ' ') & (to[k - 1] == ' '));
    if (!runs) return to + size;
    for (int64_t k = 0; k < size; k++) {
        to[used] = to[k];
        used += k + 1 == size || to[k] != ' ' || to[k + 1] != ' ';
    }
    return to + used;
}

/* Whether some bytes are all in ASCII. */
static int is_ascii(const uint8_t *from, const uint8_t *end) {
    uint8_t all = 0;
    for (; from < end; from++) all |= *from;
    return all < 0x80;
}

int32_t tb_lines(const Searched *searched, const Matches *matches, Lines *lines) {
    if (!is_sound(searched, NULL) || lines->width < 0 || matches->size > matches->room) return TB_BAD_INDEX;
    uint8_t *to = lines->bytes, *last = lines->bytes + lines->room;
    const uint8_t *data = searched->data;
    for (int64_t k = 0; k < matches->size; k++) {
        int64_t d = matches->document[k], start = matches->start[k], stop = matches->stop[k], width;
        if (d < 0 || d >= searched->documents) return TB_BAD_INDEX;
        int64_t first = d > 0 ? searched->ends[d - 1] : 0;
        if (start < first || stop < start || stop > searched->ends[d]) return TB_BAD_INDEX;
        const uint8_t *begin = data + first, *end = data + searched->ends[d], *from = data + start, *until = data + stop;
        from -= least_int(lines->width, from - begin);
        until += least_int(lines->width, end - until);
        int plain = is_ascii(from, until);
        if (!plain) {
            from = data + start;
            until = data + stop;
            for (int64_t left = lines->width; left > 0 && from > begin; left--) from = one_back(from, begin);
            for (int64_t left = lines->width; left > 0 && until < end; left--) {
                code_point(until, end, &width);
                until += width;
            }
        }
        if (until - from + 3 > last - to) return TB_NO_ROOM;
        uint8_t *(*write)(const uint8_t *, const uint8_t *, uint8_t *) = plain ? copy_ascii : copy;
        to = write(from, data + start, to);
        *to++ = '\t';
        to = write(data + start, data + stop, to);
        *to++ = '\t';
        to = write(data + stop, until, to);
        *to++ = '\n';
    }
    lines->used = to - lines->bytes;
    return TB_OK;
}
