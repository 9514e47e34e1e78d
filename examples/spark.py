# %% [markdown]
# # Bursty words on Spark
# A notebook as a script: run all of it (`python examples/spark.py`), or cell by cell in an editor that supports `# %%`.
# It needs `pip install 'termburst[spark]'` and Java 17 or 21; workers use the Python in PYSPARK_PYTHON.

# %% A session, and documents: the docstrings of Python's own modules; for your own data, `spark.read.parquet(...)`
import polars as pl
from pyspark.sql import SparkSession

import termburst as tb
from termburst import ledgers

spark = SparkSession.builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()  # the default is 200
spark.sparkContext.setLogLevel("ERROR")
corpus = tb.datasets.load_stdlib()
posts = spark.createDataFrame(list(zip(corpus.ids, corpus.texts, strict=True)), "document string, text string")

# %% Their counts, made on the executors and cached for the next cells
day = tb.scan(posts, stop_words="english")
monday = day.patterns("monday").cache()

# %% λ, Tarone's z and IDF of every term, as a DataFrame
terms = tb.scan(monday).term_table(effects=False)
terms.orderBy("plr", ascending=False).select("term", "n", "b", "plr", "tarone").show(5)

# %% Exact beta-binomial fits, on the executors
fits = tb.scan(monday).fit_beta_binomial()
bursty = fits.where("status = 'converged'").orderBy("alpha").select("term", "n", "b", "alpha", "alpha_not")
bursty.show(5)

# %% Weights (document, term, weight) of any scheme
weights = day.weights(norm="l2")
weights.orderBy("weight", ascending=False).show(5)

# %% A day later: add new documents, withdraw one
news = spark.createDataFrame([("news", "ha ha ha said the clown")], "document string, text string")
ledger = ledgers.add(monday, tb.scan(news, stop_words="english").patterns("tuesday"))
ledger = ledgers.withdraw(ledger, day.where("document = 'turtle'").patterns("turtle withdrawn"))

# %% Statistics in this process, for tests, keyness and saving
statistics = tb.scan(ledger).statistics
table = tb.burstiness_test(statistics)
print(statistics, table.filter(pl.col("q_value") < 0.01).height, "terms are bursty")  # noqa: T201
