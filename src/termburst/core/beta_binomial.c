#include "beta_binomial.h"
#include "likelihood.h"
#include "maximum.h"

static int64_t padded(int64_t size) { return (size + LANES - 1) / LANES * LANES; }

/* The numbers in the T_q, in the lists of *listed* occurrences, and in the runs of *many* documents. Never more than
 * three per occurrence, up to MANY in one document, and the padding. */
static int64_t space(int64_t more_size, int64_t listed, int64_t many) {
    return padded(more_size) + 2 * padded(listed) + many * (int64_t)(2 * sizeof(Run) / sizeof(double));
}

/* T_q, the r and their multiplicities of the cells [first, last), written to room->parts from *used* on, which is
 * advanced. */
int32_t gather(const Cells *cells, int64_t first, int64_t last, const Room *room, int64_t *used, Term *out) {
    int64_t largest = 0, listed = 0, distinct = 0, many = 0;
    double mixed = 0.0, n_i = 0.0, documents = 0.0, *seen = room->seen;
    for (int64_t j = first; j < last; j++) {
        int64_t count = cells->count[j];
        if (count < 1 || count > cells->length[j] || cells->length[j] > room->longest) return TB_BAD_CELL;
        largest = most_int(largest, count);
        many += count > MANY;
        listed += count > MANY ? DIRECT : count;
        mixed += count < cells->length[j] ? weight_of(cells, j) : 0.0;
    }
    int64_t more_size = between_int(largest - 1, 0, MANY - 1);
    if (*used + space(more_size, listed, many) > room->size) return TB_NO_ROOM;
    Run *runs = (Run *)(room->parts + *used);
    double *more = (double *)(runs + 2 * many), *after = more + padded(more_size), *times;
    many = 0;
    for (int64_t q = 0; q < padded(more_size); q++) more[q] = 0.0;
    for (int64_t j = first; j < last; j++) {
        int64_t count = cells->count[j], length = cells->length[j];
        double weight = weight_of(cells, j);
        int64_t until = count > MANY ? most_int(length - count, DIRECT) : length; /* the end of the listed r */
        if (count > MANY) {
            runs[many++] = (Run){MANY, (double)count, weight};
            runs[many++] = (Run){(double)until, (double)length, weight};
        }
        if (count > 1) more[least_int(count, MANY) - 2] += weight;
        n_i += weight * (double)count;
        documents += weight;
        for (int64_t r = length - count; r < until; r++) {
            if (seen[r] == 0) after[distinct++] = (double)r;
            seen[r] += weight;
        }
    }
    times = after + padded(distinct);
    for (int64_t k = 0; k < distinct; k++) {
        int64_t r = (int64_t)after[k];
        times[k] = seen[r];
        seen[r] = 0.0;
    }
    for (int64_t k = distinct; k < padded(distinct); k++) {
        after[k] = 1.0;
        times[k] = 0.0;
    }
    for (int64_t q = more_size - 2; q >= 0; q--) more[q] += more[q + 1];
    *used = times + padded(distinct) - room->parts;
    *out = (Term){.more = more, .after = after, .times = times, .runs = runs, .more_size = more_size,
                  .after_size = distinct, .run_size = many, .largest = (double)largest, .n_i = n_i,
                  .documents = documents, .mixed = mixed};
    return TB_OK;
}

/* The same for a term of one collection. */
static int32_t gather_term(const Cells *cells, int64_t term, const Room *room, Term *out) {
    int64_t used = 0;
    if (!is_term(cells, term)) return TB_BAD_INDEX;
    const int64_t *range = range_of(cells, 0, term);
    return gather(cells, range[0], range[1], room, &used, out);
}

/* Terms of up to FEW distinct r and repeats are fitted in four lanes; others have lanes enough of their own. */
enum { FEW = 64 };
typedef struct {
    const Cells *cells;
    const LengthTable *table;
    const FitTask *task;
    const Room *room;
    const Scan *scan;
    int64_t next; /* in task->terms */
    int64_t term[LANES];
    int32_t status;
    double parts[LANES][3][FEW + LANES]; /* `more`, `after` and `times` of each lane */
} FitLanes;

/* Copies an array of a term; what is left of the one before is cleared. */
static void copy_part(double *to, int64_t old_size, const double *from, int64_t size) {
    for (int64_t k = 0; k < size; k++) to[k] = from[k];
    for (int64_t k = size; k < old_size; k++) to[k] = 0.0;
}

/* Puts the next term with few occurrences into a lane. Others are fitted on the way. */
static int next_term(Four *four, int lane) {
    FitLanes *lanes = four->with;
    const FitTask *task = lanes->task;
    while (lanes->next < task->size && lanes->status == TB_OK) {
        Term term, *to = &four->term[lane];
        int64_t at = task->terms[lanes->next++];
        lanes->status = gather_term(lanes->cells, at, lanes->room, &term);
        if (lanes->status != TB_OK) return 0;
        if (term.more_size > FEW || term.after_size > FEW || term.run_size > 0 || none_or(task->penalty) != NULL) {
            fit_term(&term, lanes->table, task->penalty, lanes->scan, &task->results[at]);
            continue;
        }
        double(*parts)[FEW + LANES] = lanes->parts[lane];
        copy_part(parts[0], to->more_size, term.more, term.more_size);
        copy_part(parts[1], 0, term.after, term.after_size);
        copy_part(parts[2], to->after_size, term.times, term.after_size);
        *to = term;
        to->more = parts[0];
        to->after = parts[1];
        to->times = parts[2];
        lanes->term[lane] = at;
        return 1;
    }
    return 0;
}

static void note_fit(Four *four, int lane) {
    const FitLanes *lanes = four->with;
    lanes->task->results[lanes->term[lane]] = four->search[lane].best;
}

int32_t tb_fit_terms(const Cells *cells, const LengthTable *table, const FitTask *task, const Room *room) {
    const Scan scan = {task->spacing, FIT_NEAR, FIT_MARGIN};
    FitLanes lanes = {.cells = cells, .table = table, .task = task, .room = room, .scan = &scan};
    Four four = {.take = next_term, .done = note_fit, .with = &lanes};
    for (int lane = 0; lane < LANES; lane++)
        four.term[lane] =
            (Term){.more = lanes.parts[lane][0], .after = lanes.parts[lane][1], .times = lanes.parts[lane][2]};
    fit_in_lanes(&four, table, &scan);
    return lanes.status;
}

int32_t tb_gains(const Cells *cells, const LengthTable *table, const GainTask *task, const Room *room) {
    Term term;
    for (int64_t k = 0; k < task->size; k++) {
        int32_t status = gather_term(cells, task->terms[k], room, &term);
        if (status != TB_OK) return status;
        task->gain[k] = gain(task->tau[k], task->omega[k], &term, table->tokens, table->coefficients);
    }
    return TB_OK;
}

int32_t tb_derivatives(const Cells *cells, const LengthTable *table, const DerivativeTask *task, const Room *room) {
    Term term;
    for (int64_t k = 0; k < task->size; k++) {
        int32_t status = gather_term(cells, task->terms[k], room, &term);
        if (status != TB_OK) return status;
        task->out[k] = derivatives(task->tau[k], task->omega[k], &term, table->tokens, table->coefficients,
                                   none_or(task->penalty));
    }
    return TB_OK;
}
