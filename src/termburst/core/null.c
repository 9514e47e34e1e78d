#include "null.h"
#include "maximum.h"
#include "random.h"

/* Documents drawn with probability n_j/n by the alias method: the place of the count, the length, and the number of
 * tokens drawn from the document up to which it is accepted. A draw always uses two numbers of the stream. */
typedef struct {
    const Documents *of;
    const Drawn *drawn;
    uint64_t state;
    int next;
    int32_t document[AHEAD], length[AHEAD], limit[AHEAD];
} Stream;

static int by_length(const Documents *of) { return of->size < of->documents; }

/* First all random numbers (in lanes), then all documents, then all limits. */
static void draw_documents(Stream *stream) {
    const Alias *aliases = stream->of->aliases;
    const int32_t *lengths = stream->of->length;
    double within[AHEAD], chance[AHEAD];
    int32_t cells[AHEAD];
    LaneBits state = stream->state + (LaneBits){0, 2, 4, 6} * GOLDEN;
    for (int k = 0; k < AHEAD; k += LANES) {
        Lanes place = uniforms_of(state + GOLDEN) * (double)stream->of->size, second = uniforms_of(state + 2 * GOLDEN);
        LaneInts cell = __builtin_convertvector(place, LaneInts);
        Lanes rest = place - __builtin_convertvector(cell, Lanes);
        memcpy(cells + k, &cell, sizeof cell);
        memcpy(within + k, &rest, sizeof rest);
        memcpy(chance + k, &second, sizeof second);
        state += 8 * GOLDEN;
    }
    for (int k = 0; k < AHEAD; k++) {
        int32_t cell = cells[k], own_length = lengths[cell];
        const Alias alias = aliases[cell];
        int32_t own = -(within[k] < alias.accept); /* all bits or none: no branch, since it would be unpredictable */
        stream->document[k] = (own & cell) | (~own & alias.other);
        stream->length[k] = (own & own_length) | (~own & alias.other_length);
    }
    for (int k = 0; k < AHEAD; k++) stream->limit[k] = (int32_t)(chance[k] * (double)stream->length[k]);
    stream->state = state[0];
    stream->next = 0;
}

/* The slot of a document; a new document gets one. */
static int32_t slot_of(const Drawn *drawn, int64_t document) {
    uint64_t last = (uint64_t)drawn->slots - 1, slot = ((uint64_t)document * GOLDEN >> 32) & last;
    while (drawn->keys[slot] >= 0 && drawn->keys[slot] != document) slot = (slot + 1) & last;
    drawn->keys[slot] = document;
    return (int32_t)slot;
}

/* The same if documents are drawn by length: the second number selects the document of that length and the position in
 * it. */
static void draw_lengths(Stream *stream) {
    const Documents *of = stream->of;
    for (int k = 0; k < AHEAD; k++) {
        double place = uniforms_of(lane_bits(stream->state + GOLDEN))[0] * (double)of->size;
        stream->state += 2 * GOLDEN;
        int32_t cell = (int32_t)place;
        const Alias *alias = &of->aliases[cell];
        int64_t at = place - (double)cell < alias->accept ? cell : alias->other, length = of->length[at];
        double among = (double)(of->first[at + 1] - of->first[at]) * (double)length;
        int64_t position = (int64_t)(uniforms_of(lane_bits(stream->state))[0] * among);
        stream->document[k] = slot_of(stream->drawn, of->first[at] + position / length);
        stream->length[k] = (int32_t)length;
        stream->limit[k] = (int32_t)(position % length);
    }
    stream->next = 0;
}

static void draw_ahead(Stream *stream) { by_length(stream->of) ? draw_lengths(stream) : draw_documents(stream); }

/* Before a draw: free all slots. Documents drawn in advance also use slots, so they are drawn again. */
static void begin(Stream *stream) {
    if (!by_length(stream->of)) return;
    memset(stream->drawn->keys, 0xFF, (size_t)stream->drawn->slots * sizeof(int64_t));
    stream->next = AHEAD;
}

/* Whether the drawn position must be rejected: if c_j tokens (*count*) were drawn from document j before, a position in
 * it is used already with probability c_j/n_j. */
TB_INLINE int used_before(const Stream *stream, int next, int32_t count) { return count > stream->limit[next]; }

/* Whether so many tokens can be drawn, all aliases are valid, and there is space for the documents drawn. */
static int32_t drawable(const Documents *of, const Drawn *drawn, int64_t tokens) {
    int grouped = by_length(of);
    double total = 0.0;
    if (of->size < 1 || of->size > INT32_MAX || of->documents < of->size || (double)tokens > of->tokens)
        return TB_BAD_INDEX;
    for (int64_t j = 0; j < of->size; j++) {
        int64_t documents = grouped ? of->first[j + 1] - of->first[j] : 1;
        int64_t other = of->aliases[j].other;
        if (of->length[j] < 1 || other < 0 || other >= of->size || documents < 1) return TB_BAD_INDEX;
        if (of->aliases[j].other_length != of->length[other]) return TB_BAD_INDEX;
        total += (double)of->length[j] * (double)documents;
    }
    if (grouped && (of->first[0] != 0 || of->first[of->size] != of->documents)) return TB_BAD_INDEX;
    if (grouped && (drawn->slots < 2 * (tokens + AHEAD) || (drawn->slots & (drawn->slots - 1)) != 0)) return TB_NO_ROOM;
    return total == of->tokens ? TB_OK : TB_BAD_INDEX;
}

/* Reset the counts after a draw. */
static void put_back(const Documents *of, const Drawn *drawn, int64_t tokens) {
    if (tokens < of->size || by_length(of))
        for (int64_t token = 0; token < tokens; token++) drawn->count[drawn->held[token]] = 0;
    else
        memset(drawn->count, 0, (size_t)of->size * sizeof(int32_t));
}

/* One draw, with results at each checkpoint. `notes` has those of a group of draws, sorted by checkpoint. */
static void draw_once(Stream *stream, const SimulateTask *task, Note *notes) {
    const int64_t *restrict checkpoints = task->checkpoints;
    const double *restrict log_of = task->log_of;
    int32_t *restrict count = stream->drawn->count, *restrict held = stream->drawn->held;
    int64_t b = 0, square = 0, product = 0, token = 0, left = task->size, until = checkpoints[0];
    double total = 0.0, share = 2.0 / stream->of->tokens;
    begin(stream);
    while (left > 0) {
        if (stream->next == AHEAD) draw_ahead(stream);
        int next = stream->next;
        for (; next < AHEAD && left > 0; next++) {
            int32_t j = stream->document[next], c = count[j];
            if (used_before(stream, next, c)) continue;
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

/* The first m tokens of a draw without replacement are such a draw of m tokens, so one run of the longest serves all. */
int32_t tb_simulate(const Documents *documents, const Draws *draws, const Drawn *drawn, const SimulateTask *task) {
    Stream stream = {.of = documents, .drawn = drawn, .state = draws->state, .next = AHEAD};
    int64_t tokens = task->checkpoints[task->size - 1];
    int32_t status = drawable(documents, drawn, tokens);
    if (status != TB_OK) return status;
    for (int64_t first = draws->first; first < draws->last; first += GROUP) {
        int64_t group = least_int(GROUP, draws->last - first);
        for (int64_t k = 0; k < group; k++) {
            draw_once(&stream, task, task->notes + k);
            put_back(documents, drawn, tokens);
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

/* The maximum log-likelihood of the binomial. */
static double log_likelihood(double part, double whole) {
    double share = part / whole;
    return part * log(share) + (part < whole ? (whole - part) * log1p(-share) : 0.0);
}

/* 2(ℓ̂ − ℓ_binomial) of a fitted draw of the term in b documents. */
static double ratio_of(const Term *term, const FitResult *fit, const Documents *of) {
    double best = most(fit->gain, 0.0);
    if (term->mixed == 0) { /* each document has only the term or none of it: the supremum may be at α_0 → 0 */
        double lower = log_likelihood(term->documents, (double)of->documents);
        best = most(best, lower - log_likelihood(term->n_i, of->tokens));
    }
    return 2 * best;
}

/* Draws that are fitted in four lanes. The term of a lane is written to its `parts`: T_q from q = 0 on, r, and
 * multiplicities, with `space` for each of them. */
typedef struct {
    Stream stream;
    const RatioDrawTask *task;
    double *seen;
    double *parts[LANES];
    int64_t space, next, last;
    int64_t draw[LANES];
} RatioDraws;

/* Terms without occurrences. Their parts are zero, so that each can be read up to the end of the longest one. */
static int32_t begin_lanes(RatioDraws *draws, const Room *room, Four *four) {
    int64_t space = draws->space;
    if (3 * LANES * space > room->size) return TB_NO_ROOM;
    for (int64_t j = 0; j < draws->stream.of->size; j++)
        if (draws->stream.of->length[j] > room->longest) return TB_BAD_CELL;
    memset(room->parts, 0, (size_t)(3 * LANES * space) * sizeof(double));
    for (int lane = 0; lane < LANES; lane++) {
        double *parts = draws->parts[lane] = room->parts + 3 * lane * space;
        four->term[lane] = (Term){.more = parts + 1, .after = parts + space, .times = parts + 2 * space,
                                  .n_i = (double)draws->task->tokens};
    }
    return TB_OK;
}

/* The next draw of the stream, as the term of a lane. A token drawn from a document that already has c of them adds 1 to
 * T_c, and adds r = n_j − 1 − c. */
static void take_draw(Stream *stream, int64_t tokens, double *restrict seen, double *restrict reached, int64_t space,
                      Term *term) {
    int32_t *restrict count = stream->drawn->count, *restrict held = stream->drawn->held;
    double *restrict after = reached + space, *restrict times = after + space;
    int64_t distinct = 0, full = 0, largest = 0;
    for (int64_t c = 0; c <= term->more_size; c++) reached[c] = 0.0;
    begin(stream);
    for (int64_t token = 0; token < tokens;) {
        if (stream->next == AHEAD) draw_ahead(stream);
        int next = stream->next;
        for (; next < AHEAD && token < tokens; next++) {
            int32_t j = stream->document[next], c = count[j], r = stream->length[next] - 1 - c;
            if (used_before(stream, next, c)) continue;
            count[j] = c + 1;
            held[token++] = j;
            reached[c] += 1;
            after[distinct] = (double)r;
            distinct += seen[r] == 0;
            seen[r] += 1;
            full += r == 0;
        }
        stream->next = next;
    }
    put_back(stream->of, stream->drawn, tokens);
    for (int64_t k = 0; k < distinct; k++) {
        int64_t r = (int64_t)after[k];
        times[k] = seen[r];
        seen[r] = 0.0;
    }
    for (int64_t k = distinct; k < term->after_size; k++) times[k] = 0.0; /* of the draw before */
    while (largest < tokens && reached[largest] > 0) largest++;
    term->more_size = largest - 1;
    term->after_size = distinct;
    term->largest = (double)largest;
    term->documents = reached[0];
    term->mixed = reached[0] - (double)full;
}

static int next_draw(Four *four, int lane) {
    RatioDraws *draws = four->with;
    if (draws->next >= draws->last) return 0;
    draws->draw[lane] = draws->next++;
    take_draw(&draws->stream, draws->task->tokens, draws->seen, draws->parts[lane], draws->space, &four->term[lane]);
    return 1;
}

static void note_ratio(Four *four, int lane) {
    RatioDraws *draws = four->with;
    const FitResult *fit = &four->search[lane].best;
    draws->task->ratio[draws->draw[lane]] = ratio_of(&four->term[lane], fit, draws->stream.of);
}

int32_t tb_simulate_ratio(const Documents *documents, const LengthTable *table, const Draws *draws, const Drawn *drawn,
                          const RatioDrawTask *task, const Room *room) {
    const Scan scan = {task->spacing, DRAW_NEAR, DRAW_MARGIN};
    RatioDraws lanes = {.stream = {.of = documents, .drawn = drawn, .state = draws->state, .next = AHEAD},
                        .task = task, .seen = room->seen, .space = (task->tokens / LANES + 2) * LANES,
                        .next = draws->first, .last = draws->last};
    Four four = {.take = next_draw, .done = note_ratio, .with = &lanes};
    int32_t status = drawable(documents, drawn, task->tokens);
    if (status == TB_OK) status = begin_lanes(&lanes, room, &four);
    if (status == TB_OK) fit_in_lanes(&four, table, &scan);
    return status;
}

/* Going from the largest states down uses each document once. */
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

/* Mean, standard deviation and skewness, limited to values that a gamma distribution can have. */
static Moments moments_of(const double *values, int64_t size) {
    Lanes sum = {0.0}, squares = {0.0}, cubes = {0.0};
    int64_t whole = size / LANES * LANES;
    for (int64_t k = 0; k < whole; k += LANES) sum += lanes_at(values + k);
    double total = lanes_sum(sum), square = 0.0, cube = 0.0;
    for (int64_t k = whole; k < size; k++) total += values[k];
    double mean = total / (double)size;
    for (int64_t k = 0; k < whole; k += LANES) {
        Lanes centred = lanes_at(values + k) - mean, squared = centred * centred;
        squares += squared;
        cubes += squared * centred;
    }
    for (int64_t k = whole; k < size; k++) {
        double centred = values[k] - mean;
        square += centred * centred;
        cube += centred * centred * centred;
    }
    double deviation = sqrt((square + lanes_sum(squares)) / (double)size);
    if (deviation == 0) deviation = 1.0;
    double skew = (cube + lanes_sum(cubes)) / (double)size / (deviation * deviation * deviation);
    return (Moments){mean, deviation, between(skew, 0.01, 10.0)};
}

int32_t tb_null_values(const NullValues *task, const Rows *rows) {
    int64_t draws = task->draws;
    for (int64_t at = rows->first; at < rows->last; at++) {
        const int32_t *b = task->documents + at * draws;
        double *repetition = task->repetition + at * draws, *scatter = task->scatter + at * draws;
        if (at >= task->sampled) {
            int64_t low = task->start[at], high = task->start[at + 1], least_b = task->least[at];
            for (int64_t k = 0; k < draws; k++) {
                int64_t place = low + b[k] - least_b;
                if (place < low || place >= high) return TB_BAD_INDEX;
                repetition[k] = task->g[place] + 2 * repetition[k];
            }
            task->plr[at] = moments_of(repetition, draws);
        }
        double share = task->checkpoints[at] / task->tokens, squared = share * share * task->squared;
        double scale = share * (1 - share);
        for (int64_t k = 0; k < draws; k++)
            scatter[k] = ((scatter[k] + squared) / scale - task->tokens) / task->spread;
        task->score[at] = moments_of(scatter, draws);
    }
    return TB_OK;
}
