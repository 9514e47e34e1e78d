/* The best documents of queries: sums of weights over postings, without going through all of them.
 *
 * Turtle and Flood's MaxScore ("Query evaluation: strategies and optimizations", 1995), a term at a time: terms come by
 * their highest weight, and once the terms that are left cannot lift an unseen document among the best k, their postings
 * are only looked up for the documents that may still be among them. Those are then scored in the order of the query,
 * so that the sums are the plain ones to the last bit. */
#ifndef TB_SEARCH_H
#define TB_SEARCH_H

#include "core.h"

/* A model's weights by term: documents[starts[t]:starts[t + 1]], in rising order, hold term t, with the weights (above
 * 0) beside; `highest` are the terms' highest weights. Each of the d documents has a constant; `limit` is the highest. */
typedef struct {
    const int64_t *starts;
    const int32_t *documents;
    const double *weights;
    const double *highest;
    const double *constants;
    double limit;
    int64_t terms;
    int64_t postings;
    int64_t d;
} Postings;

/* Query i has the terms columns[starts[i]:starts[i + 1]], of so many words in all; asked are queries first to last. */
typedef struct {
    const int64_t *starts;
    const int64_t *columns;
    int64_t words;
    int64_t first;
    int64_t last;
} Queries;

/* A term of a query, how often the query has it, and the highest weight that it can give each time. */
typedef struct {
    double highest;
    int64_t term;
    int64_t times;
} QueryTerm;

/* Room of one thread: `sums` (d) comes as zeros and is left so, `touched` (d) has the documents seen; `asked` and `spare`
 * (words) and `rest` (words + 1) are for the terms of a query, so many at most. */
typedef struct {
    double *sums;
    int64_t *touched;
    QueryTerm *asked;
    QueryTerm *spare;
    double *rest;
    int64_t d;
    int64_t words;
} SearchRoom;

/* found[i] documents of query i: documents[i, :] and scores[i, :], k in a row, the highest score first. */
typedef struct {
    int64_t *found;
    int64_t *documents;
    double *scores;
    int64_t k;
} Best;

TB_API int32_t tb_best_documents(const Postings *postings, const Queries *queries, const SearchRoom *room,
                                 const Best *best);

#endif
