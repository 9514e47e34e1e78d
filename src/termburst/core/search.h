/* The best documents for queries: sums of weights over postings, without reading all postings.
 *
 * MaxScore by Turtle and Flood ("Query evaluation: strategies and optimizations", 1995), term by term. Terms are sorted
 * by their highest weight. Once the remaining terms cannot lift an unseen document into the best k, their postings are
 * only looked up for the candidates, the documents that can still be among the best k. The candidates are then scored
 * in the order of the query, so that the sums are equal to plain sums to the last bit. */
#ifndef TB_SEARCH_H
#define TB_SEARCH_H

#include "core.h"

/* The weights of a model by term. Term t is in documents[starts[t]:starts[t + 1]], sorted, with the weights (above 0)
 * in the same places. `highest` is the highest weight of each term. Each of the d documents has a constant; `limit` is
 * the highest constant. */
TB_STRUCT(Postings, {
    const int64_t *starts;
    const int32_t *documents;
    Size postings;
    const double *weights;
    const double *highest;
    Size terms;
    const double *constants;
    Size d;
    double limit;
})

/* Query i has the terms columns[starts[i]:starts[i + 1]]; all queries together have `words` words. The queries to
 * answer are first … last − 1. */
TB_STRUCT(Queries, {
    const int64_t *starts;
    const int64_t *columns;
    Size words;
    int64_t first;
    int64_t last;
})

/* A term of a query, how often it occurs in the query, and its highest weight. */
TB_STRUCT(QueryTerm, {
    double highest;
    int64_t term;
    int64_t times;
})

/* Scratch space of one thread. `sums` (d) is zero before and after; `touched` (d) has the documents seen; `asked` and
 * `spare` (words) and `rest` (words + 1) are for the terms of a query. */
TB_STRUCT(SearchRoom, {
    double *sums;
    Size d;
    int64_t *touched;
    QueryTerm *asked;
    Size words;
    QueryTerm *spare;
    double *rest;
})

/* The found[i] documents for query i: documents[i, :] and scores[i, :], rows of k entries, highest score first. */
TB_STRUCT(BestDocuments, {
    int64_t *found;
    int64_t *documents;
    double *scores;
    int64_t k;
})

TB_KERNEL(tb_best_documents, const Postings *postings, const Queries *queries, const SearchRoom *room,
          const BestDocuments *best);

#endif
