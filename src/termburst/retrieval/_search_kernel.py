"""The loop over queries, compiled: `Ranker.scores` and `top` of search.py in one pass, for many queries, few hits."""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from termburst._compiled import compiled


@compiled
def best_documents(
    first, last, starts, documents, weights, constants, query_starts, columns, sums, touched, found, best, scores
):
    """For queries first … last − 1: found[i] documents, best[i, :] and scores[i, :], the highest score first.

    `sums` (one a document) comes and is left as zeros, `touched` is room for the documents seen; both belong to one
    thread.
    """
    k = best.shape[1]
    for query in range(first, last):
        begin, end = query_starts[query], query_starts[query + 1]
        seen = np.int64(0)
        for place in range(begin, end):
            term = columns[place]
            for posting in range(starts[term], starts[term + 1]):
                document = documents[posting]
                if sums[document] == 0.0:  # weights are above 0
                    touched[seen] = document
                    seen += 1
                sums[document] += weights[posting]
        kept = np.int64(0)
        for i in range(seen):
            document = touched[i]
            score = sums[document] + (end - begin) * constants[document]
            sums[document] = 0.0
            if kept == k:
                worst = scores[query, k - 1]
                if score < worst or (score == worst and document > best[query, k - 1]):
                    continue
                kept -= 1
            j = kept
            while j > 0 and (
                scores[query, j - 1] < score or (scores[query, j - 1] == score and best[query, j - 1] > document)
            ):
                scores[query, j] = scores[query, j - 1]
                best[query, j] = best[query, j - 1]
                j -= 1
            scores[query, j] = score
            best[query, j] = document
            kept += 1
        found[query] = kept
