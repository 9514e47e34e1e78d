"""The checks of core/rows.c in plain Python, whose integers cannot overflow."""

from __future__ import annotations


def first_fault(terms, histogram, sums, with_lengths):
    """(Fault, term, row) of the first fault: *terms* are lists of rows (count, length or None, documents).

    *histogram* is documents by length, *sums* one (n_i, b_i, Σ n_ij n_j, Σ n_ij²) per term.
    """
    tokens, row = sum(length * documents for length, documents in histogram.items()), -1
    for i, (rows, expected) in enumerate(zip(terms, sums, strict=True)):
        before, held, n, b, products, squares = (0, 0), dict(histogram), 0, 0, 0, 0
        for count, length, documents in rows:
            row += 1
            fault = row_fault(count, length, documents, before, held)
            if fault == "sound" and (documents > sum(histogram.values()) - b or count * documents > tokens - n):
                fault = "too many"
            if fault == "sound" and count * count * documents + squares > 2**63 - 1:
                fault = "wrong sum"
            if fault != "sound":
                return fault, i, row
            before = count, length or 0
            b, n = b + documents, n + count * documents
            squares, products = squares + count * count * documents, products + count * (length or 0) * documents
        if b != expected[1]:
            return "wrong b", i, -1
        if n != expected[0]:
            return "wrong n", i, -1
        if squares != expected[3] or (with_lengths and products != expected[2]):
            return "wrong sum", i, -1
    return "sound", len(terms) - 1, -1


def row_fault(count, length, documents, before, held):  # noqa: PLR0911 - one for each fault
    """The fault of one row; documents of its length are subtracted from *held*."""
    if count < 1:
        return "bad count"
    if documents < 1:
        return "bad documents"
    if length is None:
        if count > max(held):
            return "beyond length"
        return "sound" if count > before[0] else "no order"
    if length not in held:
        return "unknown length"
    if count > length:
        return "beyond length"
    if (count, length) <= before:
        return "no order"
    if documents > held[length]:
        return "too many"
    held[length] -= documents
    return "sound"
