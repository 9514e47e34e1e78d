#include "pair_order.h"

/* The first of places[from … to − 1] that is at least *place*. */
static int64_t first_from(const int64_t *places, int64_t from, int64_t to, int64_t place) {
    while (from < to) {
        int64_t middle = from + (to - from) / 2;
        if (places[middle] < place) from = middle + 1;
        else to = middle;
    }
    return from;
}

/* Twice the number of pairs of places where one comes before other, minus all pairs, in one document: above 0 if the
 * other word comes later in more than half of the pairs. The places of the document begin at a and b, and end at *end*;
 * a and b move to what follows. */
static int64_t balance(const TermPlaces *all, int64_t *a, int64_t to_a, int64_t *b, int64_t to_b, int64_t end) {
    int64_t before = 0, pairs = 0, from = *a, at = *a;
    for (; *b < to_b && all->places[*b] < end; (*b)++, pairs++) {
        while (at < to_a && all->places[at] < all->places[*b]) at++;
        before += at - from;
    }
    while (at < to_a && all->places[at] < end) at++;
    *a = at;
    return 2 * before - pairs * (at - from);
}

int32_t tb_pair_order(const TermPlaces *all, const PairOrder *out) {
    for (int64_t i = out->first; i < out->last; i++) {
        int32_t one = out->one[i], other = out->other[i];
        if (one < 0 || one >= all->term_count || other < 0 || other >= all->term_count) return TB_BAD_INDEX;
        int64_t a = all->term_of[one], to_a = all->term_of[one + 1];
        int64_t b = all->term_of[other], to_b = all->term_of[other + 1];
        if (a < 0 || to_a < a || to_a > all->tokens || b < 0 || to_b < b || to_b > all->tokens) return TB_BAD_INDEX;
        out->later[i] = out->earlier[i] = 0;
        while (a < to_a && b < to_b) {
            /* the next document with either word is that of the later place */
            int64_t place = most_int(all->places[a], all->places[b]);
            if (place < 0 || place >= all->tokens) return TB_BAD_INDEX;
            int64_t j = all->document_of[place];
            if (j < 0 || j >= all->documents) return TB_BAD_INDEX;
            int64_t begin = j > 0 ? all->ends[j - 1] : 0;
            a = first_from(all->places, a, to_a, begin);
            b = first_from(all->places, b, to_b, begin);
            if (a == to_a || b == to_b) break;
            if (all->places[a] >= all->ends[j] || all->places[b] >= all->ends[j]) continue;
            int64_t found = balance(all, &a, to_a, &b, to_b, all->ends[j]);
            out->later[i] += found > 0;
            out->earlier[i] += found < 0;
        }
    }
    return TB_OK;
}
