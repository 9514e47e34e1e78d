"""The loop over queries, compiled: what `Ranker.scores` and `top` of search.py find, and not through all postings.

Turtle and Flood's MaxScore ("Query evaluation: strategies and optimizations", 1995), a term at a time: terms come by
their highest weight, and once the terms that are left cannot lift an unseen document among the best k, their postings
are only looked up for the documents that may still be among them. Those are then scored in the order of the query, so
that the sums are the plain ones to the last bit.
"""

# mypy: disable-error-code="no-untyped-def, no-untyped-call"
import numpy as np

from termburst._compiled import compiled, inner

SLACK = 1e-9  # of the sums, which constants may cancel; in another order they differ by some 1e-15
SCANNED = 8  # postings gone through in the time that one is looked up


@compiled
def best_documents(
    first, last, starts, documents, weights, highest, constants, limit, query_starts, columns, sums, touched, order,
    rest, found, best, scores,
):  # fmt: skip
    """For queries first … last − 1: found[i] documents, best[i, :] and scores[i, :], the highest score first.

    `highest` is a term's highest weight and `limit` the highest of `constants`. `sums` (one a document) comes and is
    left as zeros, `touched` is room for the documents seen, `order` and `rest` for a query's words and one more; they
    belong to one thread.
    """
    k = best.shape[1]
    for query in range(first, last):
        words = columns[query_starts[query] : query_starts[query + 1]]
        size = words.size
        _by_highest_weight(words, highest, order, rest)
        seen, done = np.int64(0), np.int64(0)
        while done < size:
            # The k-th best cannot be above what the words so far can give.
            if seen >= k and rest[done] < rest[0] - rest[done]:
                threshold = _least_of_best(sums, constants, size, touched[:seen], scores[query])
                if rest[done] + size * limit < threshold - SLACK * (abs(threshold) + rest[0]):
                    break
            term = words[order[done]]
            for posting in range(starts[term], starts[term + 1]):
                document = documents[posting]
                if sums[document] == 0.0:  # weights are above 0
                    touched[seen] = document
                    seen += 1
                sums[document] += weights[posting]
            done += 1
        for place in range(done, size):
            seen = _prune(sums, constants, size, touched, seen, rest[place], rest[0], scores[query])
            _add(words[order[place]], sums, touched[:seen], starts, documents, weights)
        seen = _prune(sums, constants, size, touched, seen, 0.0, rest[0], scores[query])
        kept = np.int64(0)
        for i in range(seen):
            document, score = touched[i], 0.0
            sums[document] = 0.0
            for place in range(size):
                score += _weight(words[place], document, starts, documents, weights)
            kept = _insert(score + size * constants[document], document, scores[query], best[query], kept)
        found[query] = kept


@inner
def _by_highest_weight(words, highest, order, rest):
    """The places of the words, the highest weight first, and what the words from each on can give together."""
    for i in range(words.size):
        j = i
        while j > 0 and highest[words[order[j - 1]]] < highest[words[i]]:
            order[j] = order[j - 1]
            j -= 1
        order[j] = i
    rest[words.size] = 0.0
    for i in range(words.size - 1, -1, -1):
        rest[i] = rest[i + 1] + highest[words[order[i]]]


@inner
def _least_of_best(sums, constants, size, touched, room):
    """The k-th highest score so far of the documents touched, at least k of them; k is the size of *room*."""
    k, kept = room.size, 0
    for i in range(touched.size):
        score = sums[touched[i]] + size * constants[touched[i]]
        if kept == k and score <= room[k - 1]:
            continue
        j = kept if kept < k else k - 1
        while j > 0 and room[j - 1] < score:
            room[j] = room[j - 1]
            j -= 1
        room[j] = score
        kept = min(kept + 1, k)
    return room[k - 1]


@inner
def _prune(sums, constants, size, touched, seen, more, most, room):
    """Drop the documents that *more* does not lift among the best k, *most* being the highest sum there can be.

    Returns how many are left.
    """
    if seen < room.size:
        return seen
    threshold = _least_of_best(sums, constants, size, touched[:seen], room)
    bar = threshold - SLACK * (abs(threshold) + most)
    left = 0
    for i in range(seen):
        document = touched[i]
        if sums[document] + size * constants[document] + more >= bar:
            touched[left] = document
            left += 1
        else:
            sums[document] = 0.0
    return left


@inner
def _add(term, sums, touched, starts, documents, weights):
    """Add a term's weights to the documents touched, by going through its postings or by looking them up."""
    if starts[term + 1] - starts[term] < SCANNED * touched.size:
        for posting in range(starts[term], starts[term + 1]):
            if sums[documents[posting]] > 0.0:
                sums[documents[posting]] += weights[posting]
    else:
        for i in range(touched.size):
            sums[touched[i]] += _weight(term, touched[i], starts, documents, weights)


@inner
def _weight(term, document, starts, documents, weights):
    """The term's weight in the document, 0 where it does not occur, by bisection."""
    low, high = starts[term], starts[term + 1]
    while low < high:
        middle = (low + high) // 2
        if documents[middle] < document:
            low = middle + 1
        else:
            high = middle
    return weights[low] if low < starts[term + 1] and documents[low] == document else 0.0


@inner
def _insert(score, document, scores, best, kept):
    """Put a document among the best k, the highest score first, of equal ones the first document; returns how many."""
    k = scores.size
    if kept == k:
        if score < scores[k - 1] or (score == scores[k - 1] and document > best[k - 1]):
            return kept
        kept -= 1
    j = kept
    while j > 0 and (scores[j - 1] < score or (scores[j - 1] == score and best[j - 1] > document)):
        scores[j] = scores[j - 1]
        best[j] = best[j - 1]
        j -= 1
    scores[j] = score
    best[j] = document
    return kept + 1
