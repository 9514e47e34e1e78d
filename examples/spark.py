# %% [markdown]
# # Bursty words on Spark
# A notebook as a script: run all of it (`python examples/spark.py`), or cell by cell in an editor that supports `# %%`.
# It needs `pip install 'termburst[spark]'` and Java 17 or 21; workers use the Python in PYSPARK_PYTHON.

# %% A session, and documents: the docstrings of Python's own modules; for your own data, `spark.read.parquet(...)`
import polars as pl
from pyspark.sql import SparkSession

import termburst as tb
from termburst import engines

spark = SparkSession.builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()  # the default is 200
spark.sparkContext.setLogLevel("ERROR")
corpus = tb.datasets.load_stdlib()
posts = spark.createDataFrame(list(zip(corpus.ids, corpus.texts, strict=True)), "document string, text string")

# %% Their counts, made on the executors and cached for the next cells
counting = tb.CountingOptions(stop_words="english")
monday = engines.patterns(posts, "monday", counting=counting).cache()

# %% λ, Tarone's z and IDF of every term, as a DataFrame
terms = engines.term_table(monday)
terms.orderBy("plr", ascending=False).select("term", "n", "b", "plr", "tarone").show(5)

# %% Exact beta-binomial fits, on the executors
fits = engines.fit_beta_binomial(monday)
bursty = fits.where("status = 'converged'").orderBy("alpha").select("term", "n", "b", "alpha", "alpha_not")
bursty.show(5)

# %% Weights (document, term, weight) of any scheme
weights = engines.weigh(posts, tb.RECOMMENDED_SCHEME, counting=counting, norm="l2")
weights.orderBy("weight", ascending=False).show(5)

# %% A day later: add new documents, withdraw one
news = spark.createDataFrame([("news", "ha ha ha said the clown")], "document string, text string")
gone = posts.where("document = 'turtle'")
ledger = engines.add(monday, engines.patterns(news, "tuesday", counting=counting))
ledger = engines.withdraw(ledger, engines.patterns(gone, "turtle withdrawn", counting=counting))

# %% Statistics in this process, for tests, keyness and saving
statistics = engines.term_statistics(ledger, detail="patterns")
table = tb.burstiness_test(statistics)
print(statistics, table.filter(pl.col("q_value") < 0.01).height, "terms are bursty")  # noqa: T201
