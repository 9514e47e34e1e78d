#include "urn_screen.h"

/* Puts a source among the best of a target, which are in descending order of their ratio. */
static void keep(const UrnScreen *out, int64_t target, int32_t source, double ratio, double shared, double expected) {
    int64_t base = target * out->most, at = out->most;
    while (at > 0 && (out->sources[base + at - 1] < 0 || out->ratio[base + at - 1] < ratio)) at--;
    if (at == out->most) return;
    for (int64_t i = out->most - 1; i > at; i--) {
        out->sources[base + i] = out->sources[base + i - 1];
        out->ratio[base + i] = out->ratio[base + i - 1];
        out->shared[base + i] = out->shared[base + i - 1];
        out->expected[base + i] = out->expected[base + i - 1];
    }
    out->sources[base + at] = source;
    out->ratio[base + at] = ratio;
    out->shared[base + at] = shared;
    out->expected[base + at] = expected;
}

/* Adds the documents of one target: for each source how many have it earlier, and the exposure that does not count,
 * because the target had already been there. Returns how many terms were touched, or −1 for a bad index. */
static int64_t add(const FirstPlaces *places, const UrnScreen *out, const ScreenRoom *room, int32_t target) {
    int64_t touched = 0, from = places->term_of[target], to = places->term_of[target + 1];
    if (from < 0 || to < from || to > places->cells) return -1;
    for (int64_t c = from; c < to; c++) {
        int64_t j = places->document[c], own = places->cell[c];
        if (j < 0 || j >= places->documents || own < 0 || own >= places->cells) return -1;
        int64_t first = places->document_of[j], last = places->document_of[j + 1];
        if (first < 0 || last < first || last > places->cells) return -1;
        for (int64_t s = first; s < last; s++) {
            int32_t source = places->terms[s];
            if (source < 0 || source >= places->term_count) return -1;
            if (s == own || !out->eligible[source]) continue;
            if (room->overlap[source] == 0 && room->count[source] == 0) room->touched[touched++] = source;
            room->count[source] += s < own;
            /* never 0, so that a term is touched only once */
            room->overlap[source] += (s < own ? places->after[own] : places->after[s]) + 1e-300;
        }
    }
    return touched;
}

int32_t tb_urn_screen(const FirstPlaces *places, const UrnScreen *out, const ScreenRoom *room) {
    for (int64_t i = out->first; i < out->last; i++) {
        int32_t target = out->targets[i];
        if (target < 0 || target >= places->term_count) return TB_BAD_INDEX;
        for (int64_t s = 0; s < out->most; s++) out->sources[i * out->most + s] = -1;
        int64_t touched = add(places, out, room, target);
        if (touched < 0) return TB_BAD_INDEX;
        for (int64_t s = 0; s < touched; s++) {
            int32_t source = room->touched[s];
            double shared = room->count[source];
            double expected = out->alpha[target] * most(out->presence[source] - room->overlap[source], 0.0);
            room->count[source] = room->overlap[source] = 0.0;
            if (shared < out->least_documents || !(shared > expected)) continue;
            double ratio = 2 * (shared * log(shared / most(expected, 1e-12)) - (shared - expected));
            if (ratio >= out->least_ratio) keep(out, i, source, ratio, shared, expected);
        }
    }
    return TB_OK;
}
