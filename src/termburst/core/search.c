#include "search.h"

#include "sorting.h"

static const double SLACK = 1e-9; /* relative to the sums, which constants may cancel; other orders differ by 1e-15 */
static const int64_t SCANNED = 8; /* postings that are scanned in the time of one look-up */

/* The state of a query: its terms, the documents seen so far, and scratch space for the scores of the best k. */
typedef struct {
    const Postings *in;
    int64_t words;
    const QueryTerm *asked;
    int64_t terms;
    const double *rest;
    double *sums;
    int64_t *touched;
    int64_t seen;
    double *scores;
    int64_t k;
} Query;

/* Whether all words are valid terms, and the postings of all terms are valid. */
static int words_exist(const Postings *in, const int64_t *words, int64_t size) {
    for (int64_t i = 0; i < size; i++) {
        int64_t term = words[i];
        if (term < 0 || term >= in->terms) return 0;
        if (in->starts[term] < 0 || in->starts[term + 1] < in->starts[term] || in->starts[term + 1] > in->postings)
            return 0;
    }
    return 1;
}

TB_INLINE int gives_less(const QueryTerm *a, const QueryTerm *b) {
    return a->highest < b->highest || (a->highest == b->highest && a->term > b->term);
}

TB_SORT(sorted, QueryTerm, gives_less)

/* The distinct terms of the query, highest weight first, and the largest total of the terms from each one on. Returns
 * the number of terms. */
static int64_t by_highest_weight(const Postings *in, const int64_t *words, int64_t size, const SearchRoom *room) {
    QueryTerm *asked = room->asked;
    for (int64_t i = 0; i < size; i++) asked[i] = (QueryTerm){in->highest[words[i]], words[i], 1};
    sorted(asked, room->spare, size);
    int64_t terms = 0;
    for (int64_t i = 0; i < size; i++) {
        if (terms > 0 && asked[terms - 1].term == asked[i].term)
            asked[terms - 1].times++;
        else
            asked[terms++] = asked[i];
    }
    room->rest[terms] = 0.0;
    for (int64_t i = terms - 1; i >= 0; i--) room->rest[i] = room->rest[i + 1] + (double)asked[i].times * asked[i].highest;
    return terms;
}

TB_INLINE int64_t postings_of(const Postings *in, int64_t term) { return in->starts[term + 1] - in->starts[term]; }

TB_INLINE double score_so_far(const Query *query, int64_t document) {
    return query->sums[document] + (double)query->words * query->in->constants[document];
}

/* The k-th highest score so far of the documents seen; there are at least k. */
static double least_of_best(const Query *query) {
    double *room = query->scores;
    int64_t k = query->k, kept = 0;
    for (int64_t i = 0; i < query->seen; i++) {
        double score = score_so_far(query, query->touched[i]);
        if (kept == k && score <= room[k - 1]) continue;
        int64_t j = kept < k ? kept : k - 1;
        for (; j > 0 && room[j - 1] < score; j--) room[j] = room[j - 1];
        room[j] = score;
        kept = least_int(kept + 1, k);
    }
    return room[k - 1];
}

/* Drop the documents that `more` cannot lift into the best k. */
static void prune(Query *query, double more) {
    if (query->seen < query->k) return;
    double threshold = least_of_best(query);
    double bar = threshold - SLACK * (fabs(threshold) + query->rest[0]);
    int64_t left = 0;
    for (int64_t i = 0; i < query->seen; i++) {
        int64_t document = query->touched[i];
        if (score_so_far(query, document) + more >= bar)
            query->touched[left++] = document;
        else
            query->sums[document] = 0.0;
    }
    query->seen = left;
}

/* The weight of the term in the document, found by bisection; 0 if it does not occur. */
TB_INLINE double weight_in(const Postings *in, int64_t term, int64_t document) {
    int64_t low = in->starts[term], high = in->starts[term + 1];
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (in->documents[middle] < document)
            low = middle + 1;
        else
            high = middle;
    }
    return low < in->starts[term + 1] && in->documents[low] == document ? in->weights[low] : 0.0;
}

/* Read all postings of a term, and add the weights to their documents. */
static int32_t add_to_all(Query *query, const QueryTerm *asked) {
    const Postings *in = query->in;
    double *sums = query->sums, times = (double)asked->times;
    int64_t seen = query->seen, term = asked->term;
    for (int64_t posting = in->starts[term]; posting < in->starts[term + 1]; posting++) {
        int64_t document = in->documents[posting];
        if ((uint64_t)document >= (uint64_t)in->d) return TB_BAD_INDEX;
        if (sums[document] == 0.0) {
            if (seen == in->d) return TB_NO_ROOM; /* only if a weight is not above 0, so that a document seems unseen */
            query->touched[seen++] = document;
        }
        sums[document] += times * in->weights[posting];
    }
    query->seen = seen;
    return TB_OK;
}

/* Add the weights of a term to the documents seen, by scanning its postings or by look-ups. */
static int32_t add_to_seen(Query *query, const QueryTerm *asked) {
    const Postings *in = query->in;
    double *sums = query->sums, times = (double)asked->times;
    int64_t term = asked->term;
    if (postings_of(in, term) < SCANNED * query->seen) {
        for (int64_t posting = in->starts[term]; posting < in->starts[term + 1]; posting++) {
            int64_t document = in->documents[posting];
            if ((uint64_t)document >= (uint64_t)in->d) return TB_BAD_INDEX;
            if (sums[document] > 0.0) sums[document] += times * in->weights[posting];
        }
    } else {
        for (int64_t i = 0; i < query->seen; i++)
            sums[query->touched[i]] += times * weight_in(in, term, query->touched[i]);
    }
    return TB_OK;
}

/* Insert a document into the best k: highest score first, ties in document order. Returns their number. */
static int64_t insert(const Query *query, int64_t *documents, int64_t kept, int64_t document, double score) {
    double *scores = query->scores;
    int64_t k = query->k;
    if (kept == k) {
        if (score < scores[k - 1] || (score == scores[k - 1] && document > documents[k - 1])) return kept;
        kept--;
    }
    int64_t j = kept;
    for (; j > 0 && (scores[j - 1] < score || (scores[j - 1] == score && documents[j - 1] > document)); j--) {
        scores[j] = scores[j - 1];
        documents[j] = documents[j - 1];
    }
    scores[j] = score;
    documents[j] = document;
    return kept + 1;
}

/* Sum the weights of terms until no unseen document can be among the best k; then only add the other terms to the
 * candidates. Computing the threshold reads all documents seen, so it is only done after at least as many
 * postings. */
static int32_t gather(Query *query) {
    int32_t status = TB_OK;
    int64_t done = 0, waiting = 0;
    const double *rest = query->rest;
    for (; done < query->terms && status == TB_OK; done++) {
        waiting += postings_of(query->in, query->asked[done].term);
        /* The k-th best score cannot exceed the largest total of the terms so far. */
        if (query->seen >= query->k && waiting >= query->seen && rest[done] < rest[0] - rest[done]) {
            double threshold = least_of_best(query);
            if (rest[done] + (double)query->words * query->in->limit < threshold - SLACK * (fabs(threshold) + rest[0]))
                break;
            waiting = 0;
        }
        status = add_to_all(query, query->asked + done);
    }
    for (; done < query->terms && status == TB_OK; done++) {
        waiting += postings_of(query->in, query->asked[done].term);
        if (waiting >= query->seen) {
            prune(query, rest[done]);
            waiting = 0;
        }
        status = add_to_seen(query, query->asked + done);
    }
    prune(query, 0.0);
    return status;
}

int32_t tb_best_documents(const Postings *postings, const Queries *queries, const SearchRoom *room, const BestDocuments *best) {
    if (room->d < postings->d) return TB_NO_ROOM;
    for (int64_t i = queries->first; i < queries->last; i++) {
        int64_t start = queries->starts[i], end = queries->starts[i + 1];
        if (start < 0 || end < start || end > queries->words) return TB_BAD_INDEX;
        if (end - start > room->words) return TB_NO_ROOM;
        const int64_t *words = queries->columns + start;
        int64_t size = end - start, kept = 0, *documents = best->documents + i * best->k;
        if (!words_exist(postings, words, size)) return TB_BAD_INDEX;
        int64_t terms = by_highest_weight(postings, words, size, room);
        Query query = {.in = postings, .words = size, .asked = room->asked, .terms = terms, .rest = room->rest,
                       .sums = room->sums, .touched = room->touched, .scores = best->scores + i * best->k, .k = best->k};
        int32_t status = gather(&query);
        if (status != TB_OK) return status;
        for (int64_t j = 0; j < query.seen; j++) {
            int64_t document = query.touched[j];
            double score = 0.0;
            query.sums[document] = 0.0;
            for (int64_t place = 0; place < size; place++) score += weight_in(postings, words[place], document);
            score += (double)size * postings->constants[document];
            kept = insert(&query, documents, kept, document, score);
        }
        best->found[i] = kept;
    }
    return TB_OK;
}
