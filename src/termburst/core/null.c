#include "null.h"
#include "random.h"
#include "special.h"

#define HUGE_WEIGHT 1e200                   /* beyond, weights are scaled down */
#define NEGLIGIBLE 2.319522830243569e-16 /* exp(−36): below that share of the largest, weights are left out */

enum { AHEAD = 64 }; /* documents that are drawn ahead, so that the memory for all of them is waited for at once */

/* Documents drawn with probability n_j/n, by Walker's aliases: what each is, its length, and up to how many tokens drawn
 * from it before it may be taken. A draw takes two numbers of the stream, whatever comes of it. */
typedef struct {
    const Documents *of;
    uint64_t state;
    int next;
    int32_t document[AHEAD], length[AHEAD], limit[AHEAD];
} Stream;

static void draw_ahead(Stream *stream) {
    const Documents *of = stream->of;
    LaneBits state = stream->state + (LaneBits){0, 2, 4, 6} * GOLDEN;
    double place[AHEAD], chance[AHEAD];
    for (int k = 0; k < AHEAD; k += LANES) {
        Lanes places = uniforms_of(state + GOLDEN) * (double)of->size, chances = uniforms_of(state + 2 * GOLDEN);
        memcpy(place + k, &places, sizeof places);
        memcpy(chance + k, &chances, sizeof chances);
        state += 8 * GOLDEN;
    }
    for (int k = 0; k < AHEAD; k++) {
        int32_t cell = (int32_t)place[k];
        const Alias *alias = &of->aliases[cell];
        /* not a branch, which none could foresee */
        int32_t j = (int32_t)alias->other;
        j += (cell - j) * (place[k] - (double)cell < alias->accept);
        stream->document[k] = j;
        stream->length[k] = of->length[j];
        stream->limit[k] = (int32_t)(chance[k] * (double)of->length[j]);
    }
    stream->state = state[0];
    stream->next = 0;
}

/* The place in the stream of the next token drawn without replacement, when *count* were drawn from each document before.
 * A position in document j was used before with probability c_j/n_j: then all is drawn again. */
TB_INLINE int next_token(Stream *stream, const int32_t *count) {
    for (;;) {
        if (stream->next == AHEAD) draw_ahead(stream);
        int at = stream->next++;
        if (count[stream->document[at]] <= stream->limit[at]) return at;
    }
}

/* Whether so many tokens can be drawn, and all aliases are documents. */
static int32_t drawable(const Documents *of, int64_t tokens) {
    double total = 0.0;
    if (of->size < 1 || of->size > INT32_MAX || (double)tokens > of->tokens) return TB_BAD_INDEX;
    for (int64_t j = 0; j < of->size; j++) {
        if (of->length[j] < 1 || of->aliases[j].other < 0 || of->aliases[j].other >= of->size) return TB_BAD_INDEX;
        total += of->length[j];
    }
    return total == of->tokens ? TB_OK : TB_BAD_INDEX;
}

/* Puts back what was drawn. */
static void put_back(const Documents *of, int32_t *count, const int32_t *held, int64_t tokens) {
    if (tokens < of->size)
        for (int64_t token = 0; token < tokens; token++) count[held[token]] = 0;
    else
        memset(count, 0, (size_t)of->size * sizeof(int32_t));
}

/* One draw, noted at every checkpoint: `notes` has a group's, those of one checkpoint side by side. */
static void draw_once(Stream *stream, const SimulateTask *task, Note *notes) {
    const int64_t *restrict checkpoints = task->checkpoints;
    const double *restrict log_of = task->log_of;
    int32_t *restrict count = task->count, *restrict held = task->held;
    int64_t b = 0, square = 0, product = 0, token = 0, left = task->size, until = checkpoints[0];
    double total = 0.0, share = 2.0 / stream->of->tokens;
    while (left > 0) {
        if (stream->next == AHEAD) draw_ahead(stream);
        int next = stream->next;
        for (; next < AHEAD && left > 0; next++) {
            int32_t j = stream->document[next], c = count[j];
            if (c > stream->limit[next]) continue;
            count[j] = c + 1;
            held[token++] = j;
            b += c == 0;
            total += log_of[c];
            square += 2 * (int64_t)c + 1;
            product += stream->length[next];
            if (token == until) {
                *notes = (Note){total, (double)square - share * (double)token * (double)product, b};
                notes += GROUP;
                if (--left > 0) until = *++checkpoints;
            }
        }
        stream->next = next;
    }
}

/* The first m tokens of a draw without replacement are themselves such a draw of m: one run of the longest serves all. */
int32_t tb_simulate(const Documents *documents, const Draws *draws, const SimulateTask *task) {
    Stream stream = {.of = documents, .state = draws->state, .next = AHEAD};
    int64_t tokens = task->checkpoints[task->size - 1];
    int32_t status = drawable(documents, tokens);
    if (status != TB_OK) return status;
    for (int64_t first = draws->first; first < draws->last; first += GROUP) {
        int64_t group = least_int(GROUP, draws->last - first);
        for (int64_t k = 0; k < group; k++) {
            draw_once(&stream, task, task->notes + k);
            put_back(documents, task->count, task->held, tokens);
        }
        for (int64_t at = 0; at < task->size; at++) {
            const Note *notes = task->notes + at * GROUP;
            int64_t cell = at * draws->draws + first;
            for (int64_t k = 0; k < group; k++) {
                task->documents[cell + k] = (int32_t)notes[k].documents;
                task->repetition[cell + k] = notes[k].repetition;
                task->scatter[cell + k] = notes[k].scatter;
            }
        }
    }
    return TB_OK;
}

/* The binomial's greatest log-likelihood. */
static double log_likelihood(double part, double whole) {
    double share = part / whole;
    return part * log(share) + (part < whole ? (whole - part) * log1p(-share) : 0.0);
}

int32_t tb_simulate_ratio(const Documents *documents, const LengthTable *table, const Draws *draws,
                          const RatioDrawTask *task, const Room *room) {
    static const double none[4] = {0.0}, one = 1.0;
    Stream stream = {.of = documents, .state = draws->state, .next = AHEAD};
    double n = documents->tokens, tokens = (double)task->tokens;
    int32_t status = drawable(documents, task->tokens);
    for (int64_t draw = draws->first; draw < draws->last && status == TB_OK; draw++) {
        int64_t b = 0, used = 0;
        Term term;
        FitResult fit;
        for (int64_t token = 0; token < task->tokens; token++) {
            int32_t j = stream.document[next_token(&stream, task->count)];
            task->count[j]++;
            task->held[token] = j;
        }
        for (int64_t token = 0; token < task->tokens; token++) {
            int32_t j = task->held[token];
            if (task->count[j] == 0) continue;
            task->counts[b] = task->count[j];
            task->lengths[b++] = documents->length[j];
            task->count[j] = 0;
        }
        const Cells cells = {.count = task->counts, .length = task->lengths, .weight = &one, .size = b, .weights = 1};
        status = gather(&cells, 0, b, room, &used, &term);
        if (status != TB_OK) break;
        fit_term(&term, table, none, task->spacing, &fit);
        double best = most(fit.gain, 0.0);
        if (term.mixed == 0) /* every document all or nothing: α_0 → 0 may be the supremum */
            best = most(best, log_likelihood((double)b, (double)documents->size) - log_likelihood(tokens, n));
        task->ratio[draw] = 2 * best;
    }
    return status;
}

/* Going down from the largest states uses a document once. */
int32_t tb_partition_masses(const PartitionTask *task) {
    int64_t largest = task->largest;
    for (int64_t state = 0; state < task->states; state++) {
        task->mass[state] = 0.0;
        for (int64_t c = 1; c <= largest - task->sizes[state]; c++) {
            int64_t to = task->onward[state * (largest + 1) + c];
            if (to < 0 || to >= task->states) return TB_BAD_INDEX;
        }
    }
    task->mass[0] = 1.0;
    for (int64_t k = 0; k < task->lengths; k++) {
        const double *choose = task->choose + k * (largest + 1);
        for (int64_t document = 0; document < task->documents[k]; document++) {
            for (int64_t state = task->states - 1; state >= 0; state--) {
                double here = task->mass[state];
                if (here == 0.0) continue;
                const int64_t *onward = task->onward + state * (largest + 1);
                for (int64_t c = 1; c <= largest - task->sizes[state] && choose[c] != 0.0; c++)
                    task->mass[onward[c]] += here * choose[c];
            }
        }
    }
    return TB_OK;
}

/* Four classes of documents at a tilt: log of the sum of the weights, mean and variance of the count, the share of
 * documents that hold the term, and the mean of log Γ(c). */
typedef struct {
    Lanes log_sum, mean, variance, held, repetition;
} ClassSums;

/* A count weighs w_0 = 1, w_1 = m odds e^u e^{s·slope}, w_c = w_{c−1} · (m − c + 1) odds e^u · (c − 1)^{2s}/c, the last
 * factor being steps[c], up to c = m or, if that is a mean, the next whole number. */
static ClassSums class_sums(const TailTask *task, double n_i, Lanes length, double first_step, double growth,
                            const double *steps) {
    Lanes zero = {0.0}, none = lanes_of(1.0), top = none, scale = zero, z = zero, first = zero, second = zero, zr = zero;
    Lanes weight = lanes_of(first_step), left = length + 1.0;
    LaneMask active = left > 0; /* weights that are negligible end a class */
    double longest = most(most(length[0], length[1]), most(length[2], length[3]));
    int64_t last = (int64_t)least(least(n_i, ceil(longest)), (double)(task->counts - 1));
    for (int64_t c = 1; c <= last; c++) {
        double count = (double)c;
        Lanes before = weight, rest = left - count;
        active &= rest > 0;
        weight *= lanes_where(active, rest, zero) * growth * steps[c];
        z += weight;
        first += count * weight;
        second += count * count * weight;
        zr += task->log_gamma[c] * weight;
        top = lanes_where(weight > top, weight, top);
        if (c > 4) active &= ~((weight < NEGLIGIBLE * top) & (weight < before));
        LaneMask over = active & (weight > HUGE_WEIGHT);
        if (!(active[0] | active[1] | active[2] | active[3])) break;
        if (over[0] | over[1] | over[2] | over[3]) {
            Lanes by = lanes_where(over, lanes_of(HUGE_WEIGHT), lanes_of(1.0));
            scale += lanes_where(over, lanes_of(log(HUGE_WEIGHT)), zero);
            none /= by, top /= by, weight /= by, z /= by, first /= by, second /= by, zr /= by;
        }
    }
    Lanes whole = none + z, mean = first / whole;
    Lanes logs = {log(whole[0]), log(whole[1]), log(whole[2]), log(whole[3])};
    return (ClassSums){logs + scale, mean, second / whole - mean * mean, z / whole, zr / whole};
}

/* The null tilted by e^{s(slope·b + 2R)}; u makes the mean total n_i. */
static Tilted tilted(const TailTask *task, int64_t tail, int64_t row, double slope, double start) {
    const double *steps = task->steps + row * task->counts;
    double n_i = task->n_i[tail], u = start, first_step = exp(task->tilts[row] * slope);
    Tilted found = {0};
    for (int round = 0; round < 80; round++) {
        double cumulant = 0.0, total = 0.0, square = 0.0, growth = task->odds[tail] * exp(u);
        found.b = found.r = 0.0;
        for (int64_t k = 0; k < task->classes; k += LANES) {
            ClassSums sums = class_sums(task, n_i, lanes_at(task->length + k), first_step, growth, steps);
            for (int lane = 0; lane < LANES; lane++) { /* one after another: a few results hang on the last digits */
                double weight = task->weight[k + lane];
                cumulant += weight * sums.log_sum[lane];
                total += weight * sums.mean[lane];
                square += weight * sums.variance[lane];
                found.b += weight * sums.held[lane];
                found.r += weight * sums.repetition[lane];
            }
        }
        found.mass = cumulant;
        double step = (n_i - total) / square;
        if (fabs(step) < 1e-6) break;
        u += between(step, -1.0, 1.0);
    }
    found.mass -= u * n_i;
    found.u = u;
    return found;
}

int32_t tb_tilted(const TailTask *task, const TiltTask *tilt) {
    if (tilt->row < 0 || tilt->row >= task->size) return TB_BAD_INDEX;
    *tilt->out = tilted(task, 0, tilt->row, tilt->slope, tilt->start);
    return TB_OK;
}

/* The stretch of an even grid that b lies in. */
static int64_t stretch(const double *grid, int64_t size, double b) {
    return (int64_t)between((b - grid[0]) / (grid[1] - grid[0]), 0.0, (double)(size - 2));
}

static void tail_curve(const TailTask *task, int64_t tail) {
    const double *grid = task->grid + tail * task->grid_size, *base = task->base + tail * task->grid_size;
    double width = grid[1] - grid[0], b = task->start_b[tail];
    Tilted here = {0};
    for (int64_t k = 0; k < task->size; k++) {
        double s = task->tilts[k], slope = 0.0;
        for (int round = 0; round < 6; round++) {
            int64_t at = stretch(grid, task->grid_size, b);
            slope = (base[at + 1] - base[at]) / width;
            here = tilted(task, tail, k, slope, here.u);
            double moved = fabs(here.b - b);
            b = here.b;
            if (moved < 1e-3 * (1 + b)) break;
        }
        int64_t at = stretch(grid, task->grid_size, b);
        double g = base[at] + (base[at + 1] - base[at]) * (b - grid[at]) / width;
        task->x[tail * task->size + k] = g + 2 * here.r;
        task->log_p[tail * task->size + k] = here.mass - s * (slope * b + 2 * here.r);
    }
}

int32_t tb_tail_curves(const TailTask *task) {
    for (int64_t tail = 0; tail < task->tails; tail++) tail_curve(task, tail);
    return TB_OK;
}

int32_t tb_one_document(const OneDocumentTask *task) {
    for (int64_t e = 0; e < task->size; e++) {
        double top = -INFINITY, total = 0.0;
        for (int64_t k = 0; k < task->classes; k++) {
            double middle = task->share * task->length[k], c = middle + sqrt(middle * middle + task->excess[e]);
            if (!(c <= task->length[k] && c > task->rate[k])) continue;
            double value = log(task->weight[k]) + c * log(task->rate[k]) - task->rate[k] - log_gamma(c + 1);
            if (value > top) {
                total = total * exp(top - value) + 1;
                top = value;
            } else {
                total += exp(value - top);
            }
        }
        task->log_p[e] = total > 0 ? top + log(total) : -INFINITY;
    }
    return TB_OK;
}

/* clang-format off */
TB_LAYOUT(null,
    TB_WHOLE(Alias),
    TB_FIELD(Alias, accept),
    TB_FIELD(Alias, other),
    TB_WHOLE(Documents),
    TB_FIELD(Documents, aliases),
    TB_FIELD(Documents, length),
    TB_FIELD(Documents, size),
    TB_FIELD(Documents, tokens),
    TB_WHOLE(Draws),
    TB_FIELD(Draws, state),
    TB_FIELD(Draws, first),
    TB_FIELD(Draws, last),
    TB_FIELD(Draws, draws),
    TB_WHOLE(Note),
    TB_FIELD(Note, repetition),
    TB_FIELD(Note, scatter),
    TB_FIELD(Note, documents),
    TB_WHOLE(SimulateTask),
    TB_FIELD(SimulateTask, checkpoints),
    TB_FIELD(SimulateTask, size),
    TB_FIELD(SimulateTask, documents),
    TB_FIELD(SimulateTask, repetition),
    TB_FIELD(SimulateTask, scatter),
    TB_FIELD(SimulateTask, count),
    TB_FIELD(SimulateTask, held),
    TB_FIELD(SimulateTask, log_of),
    TB_FIELD(SimulateTask, notes),
    TB_WHOLE(RatioDrawTask),
    TB_FIELD(RatioDrawTask, tokens),
    TB_FIELD(RatioDrawTask, spacing),
    TB_FIELD(RatioDrawTask, ratio),
    TB_FIELD(RatioDrawTask, count),
    TB_FIELD(RatioDrawTask, held),
    TB_FIELD(RatioDrawTask, counts),
    TB_FIELD(RatioDrawTask, lengths),
    TB_WHOLE(PartitionTask),
    TB_FIELD(PartitionTask, documents),
    TB_FIELD(PartitionTask, choose),
    TB_FIELD(PartitionTask, onward),
    TB_FIELD(PartitionTask, sizes),
    TB_FIELD(PartitionTask, lengths),
    TB_FIELD(PartitionTask, states),
    TB_FIELD(PartitionTask, largest),
    TB_FIELD(PartitionTask, mass),
    TB_WHOLE(TailTask),
    TB_FIELD(TailTask, n_i),
    TB_FIELD(TailTask, odds),
    TB_FIELD(TailTask, start_b),
    TB_FIELD(TailTask, tails),
    TB_FIELD(TailTask, tilts),
    TB_FIELD(TailTask, size),
    TB_FIELD(TailTask, length),
    TB_FIELD(TailTask, weight),
    TB_FIELD(TailTask, classes),
    TB_FIELD(TailTask, grid),
    TB_FIELD(TailTask, base),
    TB_FIELD(TailTask, grid_size),
    TB_FIELD(TailTask, steps),
    TB_FIELD(TailTask, log_gamma),
    TB_FIELD(TailTask, counts),
    TB_FIELD(TailTask, x),
    TB_FIELD(TailTask, log_p),
    TB_WHOLE(Tilted),
    TB_FIELD(Tilted, u),
    TB_FIELD(Tilted, mass),
    TB_FIELD(Tilted, b),
    TB_FIELD(Tilted, r),
    TB_WHOLE(TiltTask),
    TB_FIELD(TiltTask, row),
    TB_FIELD(TiltTask, slope),
    TB_FIELD(TiltTask, start),
    TB_FIELD(TiltTask, out),
    TB_WHOLE(OneDocumentTask),
    TB_FIELD(OneDocumentTask, excess),
    TB_FIELD(OneDocumentTask, size),
    TB_FIELD(OneDocumentTask, share),
    TB_FIELD(OneDocumentTask, rate),
    TB_FIELD(OneDocumentTask, weight),
    TB_FIELD(OneDocumentTask, length),
    TB_FIELD(OneDocumentTask, classes),
    TB_FIELD(OneDocumentTask, log_p))
