"""Places rows by Spark on this machine, and makes the rows.

    spark.py rows FOLDER N DIM       Parquet files of N rows, and a map of some of them
    spark.py place FOLDER WORKERS    places them by so many workers, and prints what that took as JSON
    spark.py files FOLDER WORKERS    the same by transform_files, by which rows do not pass through Spark
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from pathlib import Path

#: Rows a file, of the sample that the map is learnt from, and groups that they are drawn around.
FILE, SAMPLE, GROUPS = 500_000, 20_000, 8


def rows(folder: Path, n: int, dim: int) -> None:
    """Write n rows, and a map of the first."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    from unfold_live import Unfold

    random = np.random.default_rng(1)
    parts = folder / "rows"
    shutil.rmtree(parts, ignore_errors=True)
    parts.mkdir(parents=True)
    for first in range(0, n, FILE):
        count = min(FILE, n - first)
        group = random.integers(0, GROUPS, (count, 1))
        x = random.standard_normal((count, dim), dtype=np.float32) + 6 * (np.arange(dim) % GROUPS == group)
        x = np.ascontiguousarray(x, dtype=np.float32)
        if first == 0:
            # How good the map is does not matter for what placing costs: few steps do.
            Unfold(settings={"steps": 10}).fit(x[:SAMPLE]).save(folder / "map.unfold")
        lists = pa.ListArray.from_arrays(np.arange(0, count * dim + 1, dim, dtype=np.int32), pa.array(x.ravel()))
        table = pa.table({"id": np.arange(first, first + count), "vector": lists})
        pq.write_table(table, parts / f"{first // FILE:04d}.parquet", row_group_size=FILE // 5)


def place(folder: Path, workers: int, files: bool) -> None:
    """Place the rows and write their places as Parquet."""
    from pyspark.sql import SparkSession

    from unfold_live import load, spark

    shutil.rmtree(folder / ("files" if files else "places"), ignore_errors=True)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    begin = time.perf_counter()
    session = (
        SparkSession.builder.master(f"local[{workers}]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "1g")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    started, before = time.perf_counter(), processor_seconds()
    target, model = folder / ("files" if files else "places"), load(folder / "map.unfold")
    if files:
        spark.transform_files(session, str(folder / "rows"), str(target), model, id_column="id")
    else:
        out = spark.transform(session.read.parquet(str(folder / "rows")), model, keep=["id"])
        out.write.parquet(str(target))
    done, after = time.perf_counter(), processor_seconds()
    count = session.read.parquet(str(target)).count()
    version = session.version
    session.stop()
    parts = {name: seconds - before.get(name, 0) for name, seconds in after.items()}
    print(json.dumps({"start": started - begin, "seconds": done - started, "rows": count, "version": version, "cpu": parts}))


def processor_seconds() -> dict[str, float]:
    """Return the processor time of this process and those below it, by the programs' names: java, python, unfold."""
    parents, names, seconds = {}, {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text()
        except OSError:
            continue  # it has ended
        pid, name, fields = text.split(" (", 1)[0], text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
        parents[pid], names[pid] = fields[1], name
        # Its own, and that of those below it that have ended. Below Java these are the program's.
        own, ended = (sum(map(int, fields[i : i + 2])) / os.sysconf("SC_CLK_TCK") for i in (11, 13))
        seconds[pid] = own if name == "java" else own + ended
        if name == "java":
            parents[f"{pid}, ended"], names[f"{pid}, ended"], seconds[f"{pid}, ended"] = pid, "unfold", ended
    out: dict[str, float] = {}
    for pid, name in names.items():
        above = pid
        while above in parents and above != str(os.getpid()):
            above = parents[above]
        if above == str(os.getpid()):
            out[name] = out.get(name, 0) + seconds[pid]
    return out


if __name__ == "__main__":
    if sys.argv[1] == "rows":
        rows(Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    else:
        place(Path(sys.argv[2]), int(sys.argv[3]), sys.argv[1] == "files")
