"""BM25 by bm25s, measures by ir_measures: pip install bm25s==0.3.16 ir_measures==0.4.3, set TERMBURST_DATA, run it."""

import numpy as np


def documents():
    """Token lists of forty small documents and five queries, some of them with words that occur twice or never."""
    rng = np.random.default_rng(20)
    words = np.array([f"w{i}" for i in range(25)])
    share = rng.dirichlet(np.full(25, 0.4))
    texts = [rng.choice(words, size=rng.integers(1, 30), p=share).tolist() for _ in range(40)]
    return texts, [["w3", "w7"], ["w6"], ["w9", "w9", "w12"], ["w2", "unknown"], ["w0", "w11", "w20"]]


def judged():
    """Rankings of five queries, some short, and their graded judgements."""
    rng = np.random.default_rng(21)
    names = [f"d{i}" for i in range(40)]
    rankings = {f"q{k}": rng.permutation(names)[: 5 + 9 * k].tolist() for k in range(5)}
    grades = {
        f"q{k}": dict(zip(rng.permutation(names)[:12].tolist(), rng.integers(0, 4, 12).tolist(), strict=True))
        for k in range(5)
    }
    return rankings, grades


def measured(rankings, grades):
    """What ir_measures (pytrec_eval) says: the values of each measure, query by query."""
    import ir_measures as ir

    run = [ir.ScoredDoc(q, doc, -float(rank)) for q, found in rankings.items() for rank, doc in enumerate(found)]
    wanted = [ir.Qrel(q, doc, int(grade)) for q, docs in grades.items() for doc, grade in docs.items()]
    names = {"map": ir.AP, "ndcg@10": ir.nDCG @ 10, "p@10": ir.P @ 10}
    found = {(str(m.measure), m.query_id): m.value for m in ir.iter_calc(list(names.values()), wanted, run)}
    return {name: [found[str(measure), q] for q in grades] for name, measure in names.items()}


if __name__ == "__main__":
    import sys

    import bm25s

    import termburst as tb
    from termburst.datasets import load_cranfield
    from termburst.retrieval import MODELS, Index

    def say(line):
        sys.stdout.write(line + "\n")

    texts, queries = documents()
    peer = bm25s.BM25(method="lucene", k1=1.2, b=0.75)
    peer.index(texts, show_progress=False)
    say("[bm25]\nscores = [")
    for query in queries:
        say(f"  {[round(float(score), 6) for score in peer.get_scores(query)]},")
    say("]\n\n[measures]")
    for name, values in measured(*judged()).items():
        say(f'"{name}" = {[round(value, 12) for value in values]}')
    corpus = load_cranfield()
    counting = tb.CountingOptions(words="sklearn", stop_words="english")
    index = Index.from_texts(corpus.documents.texts, corpus.documents.ids, counting=counting)
    grades = {query: dict.fromkeys(relevant, 1) for query, relevant in corpus.relevant.items() if relevant}
    for model in MODELS:
        hits = index.batch_search(corpus.queries.texts, None, model=model)
        rankings = {query: found.ids for query, found in zip(corpus.queries.ids, hits, strict=True)}
        means = {name: round(float(np.mean(values)), 10) for name, values in measured(rankings, grades).items()}
        say(f"\n[cranfield.{model}]")
        for name, value in means.items():
            say(f'"{name}" = {value}')
