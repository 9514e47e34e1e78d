"""Measure the rankings of Cranfield by ranx: pip install ranx==0.3.21, set TERMBURST_DATA, and run this file."""

if __name__ == "__main__":
    from ranx import Qrels, Run, evaluate

    import termburst as tb
    from termburst.datasets import load_cranfield
    from termburst.retrieval import MODELS, Index

    corpus = load_cranfield()
    counting = tb.CountingOptions(words="sklearn", stop_words="english")
    index = Index.from_texts(corpus.documents.texts, corpus.documents.ids, counting=counting)
    judged = Qrels({query: dict.fromkeys(relevant, 1) for query, relevant in corpus.relevant.items() if relevant})
    for model in MODELS:
        found = index.batch_search(corpus.queries.texts, None, model=model)
        rankings = {
            query: {name: -float(rank) for rank, name in enumerate(hits.ids)}
            for query, hits in zip(corpus.queries.ids, found, strict=True)
        }
        print(f"{model} = {evaluate(judged, Run(rankings), 'map', make_comparable=True):.4f}")  # noqa: T201
