/* The number of tokens of a word that stand near a node, if the other tokens of every document are shuffled. */
#ifndef TB_COLLOCATES_H
#define TB_COLLOCATES_H

#include "core.h"

/* Document d has others[d] tokens that are not the node, and near[d] of their places are in the window. */
TB_STRUCT(Windows, {
    const int64_t *others;
    Size documents;
    const int64_t *near;
})

/* Word w occurs count[c] times among the other tokens of the document document[c], for c from starts[w] to
 * starts[w + 1] − 1, and stands observed[w] times in the windows. */
TB_STRUCT(WordCells, {
    const int64_t *starts;
    const int32_t *document;
    const int32_t *count;
    Size cells;
    const int64_t *observed;
    Size words;
})

/* X is the sum of independent hypergeometric numbers; under exp(θ X), θ is the common log odds ratio of all documents.
 * log P(X ≥ observed), log P(X > observed), E X, and θ with its limits at `log_tail`, the log of the probability beyond
 * each limit, which is beyond `deviate` standard deviations of a normal distribution. `exact` is 1 if the tails are
 * sums of probabilities, 0 if they are saddlepoint approximations; those are used if a sum takes more than `most`
 * steps. If `effects` is 0, θ is not estimated: it is 0, or NaN if X can have only one value. */
TB_STRUCT(Attraction, {
    double *expected;
    double *log_p;
    double *log_above;
    double *theta;
    double *low;
    double *high;
    int64_t *exact;
    double deviate, log_tail, most;
    int64_t effects;
})

/* Scratch space: `size` probabilities, the sum of count + 1 over the cells of the largest word; `cells`, the number of
 * cells of the word that has most; `states`, the largest observed number plus 2. */
TB_STRUCT(AttractionRoom, {
    double *probability;
    Size size;
    int64_t *steps;
    Size cells;
    double *state;
    Size states;
})

TB_KERNEL(tb_attraction, const Windows *windows, const WordCells *words, const Attraction *out,
          const AttractionRoom *room);

#endif
