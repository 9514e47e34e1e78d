/* The best documents for queries against scoring all documents. Weights are integers, so that sums are exact. */
#include "fuzz.h"
#include "search.h"

enum { MOST = 40 };

typedef struct {
    int64_t starts[MOST + 1], query_starts[MOST + 1], columns[8 * MOST];
    int32_t documents[MOST * MOST];
    double weights[MOST * MOST], highest[MOST], constants[MOST];
} Made;

/* Compute the score of a document. Returns whether it contains a word of the query. */
static int score_of(const Made *made, int64_t query, int64_t document, double *score) {
    int has = 0;
    int64_t words = made->query_starts[query + 1] - made->query_starts[query];
    *score = (double)words * made->constants[document];
    for (int64_t i = made->query_starts[query]; i < made->query_starts[query + 1]; i++) {
        int64_t term = made->columns[i];
        for (int64_t p = made->starts[term]; p < made->starts[term + 1]; p++)
            if (made->documents[p] == document) *score += made->weights[p], has = 1;
    }
    return has;
}

static void check(const Made *made, const BestDocuments *best, int64_t queries, int64_t d) {
    for (int64_t q = 0; q < queries; q++) {
        int64_t matches = 0, better, *found = best->documents + q * best->k;
        double score, other, *scores = best->scores + q * best->k;
        for (int64_t document = 0; document < d; document++) matches += score_of(made, q, document, &score);
        CHECK(best->found[q] == least_int(matches, best->k));
        for (int64_t place = 0; place < best->found[q]; place++) {
            CHECK(found[place] >= 0 && found[place] < d && score_of(made, q, found[place], &score));
            CHECK(scores[place] == score);
            better = 0;
            for (int64_t document = 0; document < d; document++)
                if (score_of(made, q, document, &other))
                    better += other > score || (other == score && document < found[place]);
            CHECK(better == place);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    Input input = {bytes, size};
    Made *made = array(1, sizeof(Made));
    int64_t terms = 1 + below(&input, 12), d = 1 + below(&input, MOST), k = 1 + below(&input, 8);
    int64_t queries = below(&input, 6), postings = 0, words = 0, longest = 0, hostile = below(&input, 4) == 0;
    double limit = -1e9;
    for (int64_t t = 0; t < terms; t++) {
        uint64_t share = take(&input, 1);
        for (int64_t document = 0; document < d; document++) {
            if ((take(&input, 1) & 0xff) > share) continue;
            made->documents[postings] = (int32_t)document;
            made->weights[postings] = (double)(1 + below(&input, 100));
            made->highest[t] = most(made->highest[t], made->weights[postings++]);
        }
        made->starts[t + 1] = postings;
    }
    for (int64_t document = 0; document < d; document++) {
        made->constants[document] = (double)(below(&input, 40) - 30);
        limit = most(limit, made->constants[document]);
    }
    for (int64_t q = 0; q < queries; q++) {
        for (int64_t count = below(&input, 8 * MOST / 6); count > 0; count--) made->columns[words++] = below(&input, terms);
        made->query_starts[q + 1] = words;
        longest = most_int(longest, words - made->query_starts[q]);
    }
    if (hostile) { /* any index may be wrong */
        made->documents[below(&input, postings)] = (int32_t)take(&input, 4);
        made->starts[below(&input, terms + 1)] = (int64_t)take(&input, 8);
        made->columns[below(&input, words)] = (int64_t)take(&input, 8);
        made->query_starts[below(&input, queries + 1)] = (int64_t)take(&input, 8);
        uint64_t bits = take(&input, 8);
        memcpy(made->weights + below(&input, postings), &bits, 8); /* may be NaN */
    }
    Postings in = {made->starts, made->documents, postings, made->weights, made->highest, terms, made->constants, d, limit};
    Queries asked = {made->query_starts, made->columns, words, 0, queries};
    SearchRoom room = {array(d, 8), d, array(d, 8), array(longest, sizeof(QueryTerm)), longest,
                       array(longest, sizeof(QueryTerm)), array(longest + 1, 8)};
    BestDocuments best = {array(queries, 8), array(queries * k, 8), array(queries * k, 8), k};
    int32_t status = tb_best_documents(&in, &asked, &room, &best);
    CHECK(status == TB_OK || hostile);
    if (!hostile) check(made, &best, queries, d);
    free(made);
    free(room.sums);
    free(room.touched);
    free(room.asked);
    free(room.spare);
    free(room.rest);
    free(best.found);
    free(best.documents);
    free(best.scores);
    return 0;
}
