"""Ship a wheel with a Spark job, as docs/engines.md says: python .ci/ship_wheel.py termburst-….whl

The driver is this Python. The executors run a Python that cannot find termburst, only what it needs (NumPy, SciPy,
Polars, Narwhals, PyArrow, scikit-learn); they get it from the wheel. Needs Java.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

WITHOUT = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if "ScikitBuild" not in type(finder).__name__]  # editable
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == "termburst":
            import importlib.machinery
            found = importlib.machinery.PathFinder.find_spec(name, [one for one in sys.path if "shipped" in one])
            if found is None:
                raise ModuleNotFoundError("No module named 'termburst'", name=name)
            return found
sys.meta_path.insert(0, Hidden())
"""


def where(batches):
    """The file from which a worker imports termburst."""
    import pyarrow as pa

    for batch in batches:
        import termburst

        yield pa.RecordBatch.from_pydict({"file": [termburst.__file__] * batch.num_rows})


def main(wheel: Path) -> None:
    from pyspark.sql import SparkSession

    import termburst as tb

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "hidden").mkdir()
        (folder / "hidden" / "sitecustomize.py").write_text(WITHOUT)
        archive = shutil.copy(wheel, folder / "termburst.zip")  # a wheel is a zip file, which Spark unpacks
        python = folder / "python"
        python.write_text(f'#!/bin/sh\nPYTHONPATH="{folder}/hidden:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        os.environ |= {"PYSPARK_PYTHON": str(python), "SPARK_LOCAL_DIRS": name}
        home = folder / "home"  # workers of a local cluster write into SPARK_HOME
        home.mkdir()
        import pyspark

        for entry in Path(pyspark.__file__).parent.iterdir():
            (home / entry.name).symlink_to(entry)
        os.environ["SPARK_HOME"] = str(home)
        spark = (
            SparkSession.builder.master("local-cluster[1,1,1024]")
            .config("spark.archives", f"{archive}#shipped")
            .config("spark.executorEnv.PYTHONPATH", "./shipped")
            .config("spark.ui.enabled", "false")
            .config("spark.ui.showConsoleProgress", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .getOrCreate()
        )
        spark.sparkContext.setLogLevel("OFF")
        frame = spark.createDataFrame([(1, "ha ha ha so"), (2, "so it goes")], "document bigint, text string")
        files = {row.file for row in frame.mapInArrow(where, "file string").collect()}
        assert files, "no worker ran"
        assert all("/shipped/" in file for file in files), files
        found = tb.scan(frame).fit_beta_binomial().collect()
        assert len(found) == 4, found
        spark.stop()
    print(f"workers imported termburst from {sorted(files)[0].rpartition('/shipped/')[2]}, shipped with the job")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
