#include "urn.h"

#include "special.h"

/* Where document j begins and ends; 0 if that is outside of the tokens, or a term is out of range. */
static int document(const UrnTexts *texts, int64_t j, int64_t *start, int64_t *end) {
    *start = j ? texts->ends[j - 1] : 0;
    *end = texts->ends[j];
    if (*start < 0 || *end < *start || *end > texts->size || *end - *start > texts->longest) return 0;
    for (int64_t t = *start; t < *end; t++)
        if (texts->tokens[t] < 0 || texts->tokens[t] >= texts->terms) return 0;
    return 1;
}

/* The column of a term in M; 0 if it is outside of the entries. */
static int column(const Urn *urn, int32_t term, int64_t *from, int64_t *to) {
    *from = urn->indptr[term];
    *to = urn->indptr[term + 1];
    return *from >= 0 && *from <= *to && *to <= urn->entries;
}

/* C of a term before token t (counted from the start of its document). */
TB_INLINE double before(const UrnTexts *texts, const UrnRoom *room, int32_t term, int64_t t) {
    double amount = room->amount[term];
    return amount > 0 ? amount * texts->powers[t - 1 - room->place[term]] : 0.0;
}

/* Notes that *term* stands at t. */
TB_INLINE void note(const UrnTexts *texts, const UrnRoom *room, int32_t term, int64_t t) {
    double amount = room->amount[term];
    room->amount[term] = (amount > 0 ? amount * texts->powers[t - room->place[term]] : 0.0) + 1;
    room->place[term] = t;
}

static void forget(const UrnTexts *texts, const UrnRoom *room, int64_t start, int64_t end) {
    for (int64_t t = start; t < end; t++) room->amount[texts->tokens[t]] = 0.0;
}

/* Forward for Z_t = α_0 + Σ_{s<t} ρ r^(t−1−s), backward for the Σ_{t>s} r^(t−1−s)/Z_t that each token s is exposed to. */
int32_t tb_urn_exposure(const UrnTexts *texts, const Urn *urn, const UrnExposure *out, const UrnRoom *room) {
    double r = texts->longest > 1 ? texts->powers[1] : 1.0, inverse = 0.0;
    Lanes logs = {0.0};
    for (int64_t j = texts->first; j < texts->last; j++) {
        int64_t start, end, padded;
        if (!document(texts, j, &start, &end)) return TB_BAD_INDEX;
        padded = (end - start + LANES - 1) / LANES * LANES;
        if (padded > room->spare_size) return TB_NO_ROOM;
        double gained = 0.0;
        for (int64_t t = start; t < end; t++) {
            room->spare[t - start] = 1 + gained;
            gained = gained * r + urn->gains[texts->tokens[t]];
        }
        for (int64_t t = end - start; t < padded; t++) room->spare[t] = 1.0;
        for (int64_t t = 0; t < padded; t += LANES) logs += lanes_log(lanes_at(room->spare + t));
        double after = 0.0, sum = 0.0;
        for (int64_t t = end - 1; t >= start; t--) {
            double one = 1 / room->spare[t - start];
            out->exposure[texts->tokens[t]] += after;
            after = after * r + one;
            sum += one;
        }
        inverse += sum;
    }
    out->sums[0] = inverse;
    out->sums[1] = lanes_sum(logs);
    return TB_OK;
}

/* Like exposure, one power higher. A token that makes C into C r + 1 adds 2 C r + 1 to the square of what comes after. */
int32_t tb_urn_squares(const UrnTexts *texts, const Urn *urn, const UrnSquares *out, const UrnRoom *room) {
    double r = texts->longest > 1 ? texts->powers[1] : 1.0, all = 0.0;
    for (int64_t j = texts->first; j < texts->last; j++) {
        int64_t start, end;
        if (!document(texts, j, &start, &end)) return TB_BAD_INDEX;
        if (2 * (end - start) > room->spare_size) return TB_NO_ROOM;
        double *inverse = room->spare, *added = room->spare + (end - start), gained = 0.0;
        for (int64_t t = 0; t < end - start; t++) {
            int32_t term = texts->tokens[start + t];
            inverse[t] = 1 / ((1 + gained) * (1 + gained));
            added[t] = 2 * r * before(texts, room, term, t) + 1;
            gained = gained * r + urn->gains[term];
            note(texts, room, term, t);
        }
        forget(texts, room, start, end);
        double once = 0.0, twice = 0.0;
        for (int64_t t = end - start - 1; t >= 0; t--) {
            int32_t term = texts->tokens[start + t];
            out->crossed[term] += once;
            out->squared[term] += added[t] * twice;
            once = once * r + inverse[t];
            twice = twice * r * r + inverse[t];
            all += inverse[t];
        }
    }
    out->sum[0] = all;
    return TB_OK;
}

/* Σ_t C_i C_k/Z_t² is the sum over the tokens s that are k of Σ_{t>s} r^(t−1−s) C_i(<t)/Z_t². What stood before s makes
 * r C_i(<s) Σ_{t>s} r^(2(t−1−s))/Z_t² of that: the pass forward. Later tokens i make the rest: the pass backward, in which
 * `amount` is Σ_{s'≥place} r^(s'−place) Σ_{t>s'} r^(2(t−1−s'))/Z_t² of a term. */
static int document_products(
    const UrnTexts *texts, const Urn *urn, double *products, const UrnRoom *room, int64_t start, int64_t end) {
    double r = texts->longest > 1 ? texts->powers[1] : 1.0, gained = 0.0, twice = 0.0, *after = room->spare;
    int64_t from, to;
    for (int64_t t = 0; t < end - start; t++) {
        after[t] = 1 / ((1 + gained) * (1 + gained));
        gained = gained * r + urn->gains[texts->tokens[start + t]];
    }
    for (int64_t t = end - start - 1; t >= 0; t--) {
        int32_t term = texts->tokens[start + t];
        if (!column(urn, term, &from, &to)) return 0;
        for (int64_t e = from; e < to; e++) {
            int32_t source = urn->sources[e];
            if (source < 0 || source >= texts->terms) return 0;
            double later = room->amount[source];
            if (later > 0) products[e] += later * texts->powers[room->place[source] - t];
        }
        double later = room->amount[term], inverse = after[t];
        room->amount[term] = (later > 0 ? later * texts->powers[room->place[term] - t] : 0.0) + twice;
        room->place[term] = t;
        after[t] = twice;
        twice = twice * r * r + inverse;
    }
    forget(texts, room, start, end);
    for (int64_t t = 0; t < end - start; t++) {
        int32_t term = texts->tokens[start + t];
        column(urn, term, &from, &to);
        for (int64_t e = from; e < to; e++) products[e] += r * before(texts, room, urn->sources[e], t) * after[t];
        note(texts, room, term, t);
    }
    forget(texts, room, start, end);
    return 1;
}

int32_t tb_urn_products(const UrnTexts *texts, const Urn *urn, const UrnProducts *out, const UrnRoom *room) {
    for (int64_t j = texts->first; j < texts->last; j++) {
        int64_t start, end;
        if (!document(texts, j, &start, &end)) return TB_BAD_INDEX;
        if (end - start > room->spare_size) return TB_NO_ROOM;
        if (!document_products(texts, urn, out->products, room, start, end)) return TB_BAD_INDEX;
    }
    return TB_OK;
}

int32_t tb_urn_masses(const UrnTexts *texts, const Urn *urn, const UrnMasses *out, const UrnRoom *room) {
    double r = texts->longest > 1 ? texts->powers[1] : 1.0;
    for (int64_t j = texts->first; j < texts->last; j++) {
        int64_t start, end, from, to;
        if (!document(texts, j, &start, &end)) return TB_BAD_INDEX;
        double gained = 0.0;
        for (int64_t t = start; t < end; t++) {
            int32_t term = texts->tokens[t];
            if (!column(urn, term, &from, &to)) return TB_BAD_INDEX;
            double mass = urn->alpha[term];
            for (int64_t e = from; e < to; e++) {
                int32_t source = urn->sources[e];
                if (source < 0 || source >= texts->terms) return TB_BAD_INDEX;
                mass += urn->values[e] * before(texts, room, source, t - start);
            }
            out->mass[t] = mass;
            out->total[t] = 1 + gained;
            gained = gained * r + urn->gains[term];
            note(texts, room, term, t - start);
        }
        forget(texts, room, start, end);
    }
    return TB_OK;
}

int32_t tb_urn_past(const UrnTexts *texts, const Urn *urn, const UrnPast *out, const UrnRoom *room) {
    for (int64_t j = texts->first; j < texts->last; j++) {
        int64_t start, end, from, to;
        if (!document(texts, j, &start, &end)) return TB_BAD_INDEX;
        for (int64_t t = start; t < end; t++) {
            int32_t term = texts->tokens[t], others = 0;
            if (!column(urn, term, &from, &to)) return TB_BAD_INDEX;
            int64_t at = out->fills ? out->starts[t] : -1;
            for (int64_t e = from; e < to; e++) {
                int32_t source = urn->sources[e];
                if (source < 0 || source >= texts->terms) return TB_BAD_INDEX;
                double amount = before(texts, room, source, t - start);
                if (!(amount > 0)) continue;
                others += source != term;
                if (at < 0) continue;
                if (at >= out->cells) return TB_NO_ROOM;
                out->local[at] = (int32_t)(e - from + 1);
                out->amounts[at++] = amount;
            }
            if (!out->fills) {
                out->own[t] = before(texts, room, term, t - start);
                out->others[t] = others;
            }
            note(texts, room, term, t - start);
        }
        forget(texts, room, start, end);
    }
    return TB_OK;
}
