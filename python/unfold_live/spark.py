"""Maps of Spark data frames, learnt from a sample on the driver and applied on all workers.

>>> model = spark.fit(df, sample=100_000, vector="embedding")              # doctest: +SKIP
>>> places = spark.transform(df, model, keep=["id"])                       # doctest: +SKIP

The model is sent to every executor once, as a broadcast. Each Python worker runs one child of
the program. A row's place depends only on the row, so partitions, retries and
speculative tasks do not affect it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

from . import _files, _placing, _settings
from ._errors import UnfoldError
from ._handle import Handle
from ._unfold import Unfold

#: The program's results for every row besides its position.
_NUMBERS = ("sigma", "novelty_local", "novelty_global")

#: The number of rows of a sample.
_SAMPLE = 100_000

#: The limits of a batch for the child in rows and bytes, large enough that the overhead of a command is negligible.
_ROWS, _BYTES = 100_000, 64 << 20


def fit(
    df: Any,
    *,
    sample: int | None = None,
    folder: str | None = None,
    vector: str | None = None,
    columns: Any = None,
    seed: int = 1,
    **settings: Any,
) -> Unfold:
    """Learn a map from a data frame, on the driver: from a sample, or from files that the executors write.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        The rows.
    sample : int, optional
        The approximate number of rows to learn from, sampled by Spark. All rows are used if there are fewer. Default: 100,000,
        or all with ``folder``.
    folder : str, optional
        A new folder that driver and executors reach by the same path. The executors write the rows there as Parquet files,
        and the program reads them in parts, so that they need not fit in the driver's memory. ``memory="8GiB"`` bounds what
        the fit takes; of more rows it draws as many as it can hold. The map has no ``embedding_``: place the rows by
        ``transform``. The files stay there.
    vector : str, optional
        The column of vectors, arrays of numbers. Default: the only such column.
    columns : str or list of str, optional
        Plain columns that form the vector instead.
    seed : int
        The seed of the sample and of the map.
    **settings
        Further parameters of ``Unfold``.

    Notes
    -----
    The same partitions lead to the same sample. To make it independent of the partitions, write the sample to a table.
    """
    if sample is None and folder is None:
        sample = _SAMPLE
    if sample is not None and sample < 3:
        raise ValueError("a map needs a sample of 3 rows or more")
    names = [vector] if vector else _plain(columns)
    rows = df.select(*names) if names else df
    if sample is not None and (n := rows.count()) > sample:
        rows = rows.sample(fraction=min(1.0, sample / n), seed=seed)
    model = Unfold(columns=columns, **{"random_state": seed, **settings})
    if folder is None:
        return model.fit(rows.toArrow())
    rows.write.parquet(folder)
    return model._fit_files(_local(folder), folder)


def _local(path: str) -> str:
    """Return the path of a folder or file for the program, which knows no ``file:`` of Hadoop's."""
    return path.removeprefix("file://") if path.startswith("file:///") else path.removeprefix("file:")


def _plain(columns: Any) -> list[str]:
    """Return the names in a column specification; none if it contains a pattern."""
    if columns is None:
        return []
    parts = columns.split(",") if isinstance(columns, str) else list(columns)
    names = [p.split(":")[0] for p in parts]
    return [] if any(n == "*" or n.startswith("-") for n in names) else names


def transform(df: Any, model: Unfold, *, vector: str | None = None, keep: list[str] | None = None) -> Any:
    """Place the rows of a data frame, on all executors.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Rows with the columns that the map was learnt from.
    model : Unfold
        The map.
    vector : str, optional
        The column of vectors, if the map was learnt from an array. Default: the only list.
    keep : list of str, optional
        Columns that are passed on. Default: all except lists.

    Returns
    -------
    pyspark.sql.DataFrame
        The columns that are passed on, ``embedding`` (array of float), ``sigma``, ``novelty_local`` and ``novelty_global``.
        If the map has classes, also ``class`` and ``class_probability``. The names are those of the program.
    """
    from pyspark.sql import types as t

    if keep is None:
        keep = [f.name for f in df.schema.fields if not isinstance(f.dataType, t.ArrayType | t.MapType | t.StructType)]
    fields = [df.schema[name] for name in keep]
    fields.append(t.StructField("embedding", t.ArrayType(t.FloatType(), False), False))
    fields += [t.StructField(name, t.FloatType(), False) for name in _NUMBERS]
    source = None if model._table else vector or _only_list(df)
    classes = hasattr(model, "classes_")
    if classes:
        fields += [t.StructField("class", t.StringType(), False), t.StructField("class_probability", t.FloatType(), False)]
    model_file = df.sparkSession.sparkContext.broadcast(model._model.model())

    def place(batches: Iterator[Any]) -> Iterator[Any]:
        return _place(batches, model_file, source, keep, classes)

    return df.mapInArrow(place, t.StructType(fields))


def transform_files(
    session: Any,
    source: str,
    target: str,
    model: Unfold,
    *,
    vector: str | None = None,
    id_column: str | None = None,
    keep: list[str] | None = None,
) -> Any:
    """Place the rows of files, on all executors, without passing them through Spark.

    The program reads and writes the files itself, so that a row costs as much as on the command line.

    Parameters
    ----------
    session : pyspark.sql.SparkSession
        The session.
    source : str
        A folder of files, such as Parquet, that driver and executors reach by the same path. Each file is a task.
    target : str
        A new folder for a Parquet file of places for each file, in the order of its rows.
    model : Unfold
        The map.
    vector : str, optional
        The column of vectors. Default: that of the model.
    id_column : str, optional
        The column that identifies a row, which becomes ``id``. Default: that of the model.
    keep : list of str, optional
        Further columns that are passed on. Default: those that the model names.

    Returns
    -------
    pyspark.sql.DataFrame
        The places: the columns that are passed on, the position, ``sigma`` and the novelties, as the program writes them.

    Raises
    ------
    ValueError
        The folder holds no files, or rows or settings are invalid.
    UnfoldError
        The program failed for another reason, in each attempt of a task.
    """
    source, target = _local(source), _local(target)
    files = [f for f in sorted(os.listdir(source)) if not f.startswith((".", "_"))]
    if not files:
        raise ValueError(f"{source} holds no files")
    os.makedirs(target)
    context = session.sparkContext
    flags = _settings.flags({"vector": vector, "id": id_column, "keep": keep})
    command = [context.pythonExec, "-m", _placing.__name__, source, target, *flags]
    at, failed = os.path.join(target, _placing.MODEL), os.path.join(target, _placing.ERROR)
    with open(at, "wb") as f:
        f.write(model._model.model())
    try:
        # Spark's own tasks start the command, so no Python workers are needed.
        wrong = context._jsc.parallelize(files, len(files)).pipe(command).collect()
    except Exception as e:
        if not os.path.exists(failed):
            raise
        with open(failed, encoding="utf-8") as said:
            raise UnfoldError(said.read()) from e
    finally:
        os.remove(at)
    for text in wrong:
        raise ValueError(json.loads(text))
    return _read(session, target)


def _read(session: Any, target: str) -> Any:
    """Return the data frame of a folder of places, by the schema of one file: Spark would start a job to find it."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from pyspark.sql import types as t

    one = next(name for name in sorted(os.listdir(target)) if not name.startswith("_"))
    known = {
        **{pa.int64(): t.LongType(), pa.int32(): t.IntegerType(), pa.float32(): t.FloatType(), pa.float64(): t.DoubleType()},
        **{pa.bool_(): t.BooleanType(), pa.string(): t.StringType(), pa.uint64(): t.DecimalType(20, 0)},
    }
    fields = []
    for field in pq.read_schema(os.path.join(target, one)):
        listed = pa.types.is_list(field.type) or pa.types.is_fixed_size_list(field.type)
        kind = known.get(field.type.value_type if listed else field.type)
        if kind is None:  # times, of which Spark has several types
            return session.read.parquet(target)
        fields.append(t.StructField(field.name, t.ArrayType(kind) if listed else kind))
    return session.read.schema(t.StructType(fields)).parquet(target)


def _only_list(df: Any) -> str:
    """Return the name of the only column of lists."""
    from pyspark.sql import types as t

    lists = [f.name for f in df.schema.fields if isinstance(f.dataType, t.ArrayType)]
    if len(lists) != 1:
        raise ValueError(
            f"name the column of vectors by vector: there are {len(lists)} columns of lists, {', '.join(lists) or 'none'}"
        )
    return lists[0]


#: The child of this worker, by the model's hash. Spark reuses a worker for many tasks.
_workers: dict[int, Handle] = {}


def _handle(model_file: Any) -> Handle:
    """Return this worker's child for a model, and stop that of another model."""
    key = model_file.value
    number = hash(key)
    if number not in _workers:
        for other in _workers.values():
            other.close()
        _workers.clear()
        # One thread each: Spark runs as many workers as the machine has processors.
        _workers[number] = Handle(1, key)
    return _workers[number]


def _place(batches: Iterator[Any], model_file: Any, source: str | None, keep: list[str], classes: bool) -> Iterator[Any]:
    """Place batches in groups, and yield the results."""
    import pyarrow as pa

    handle = _handle(model_file)
    for group in _grouped(batches):
        table = pa.Table.from_batches(group)
        if table.num_rows == 0:
            continue
        with _files.Folder(table.nbytes) as folder:
            here, there = folder.file("in.arrows"), folder.file("out.arrows")
            # A model of an array has unnamed vectors, which the program names "vector".
            _files.write_table(here, pa.table({"vector": _vectors(pa, table[source])}) if source else table)
            args = [
                "embed",
                str(here),
                "-m",
                str(handle.path),
                "-o",
                str(there),
                "--threads=1",
                *(["--vector=vector"] if source else []),
            ]
            handle.run(args, None, {str(here): "the rows"})
            with pa.OSFile(str(there)) as f, pa.ipc.open_stream(f) as reader:
                placed = reader.read_all()
        at = placed["embedding"].combine_chunks()
        columns = [table[name] for name in keep]
        columns.append(pa.chunked_array([_lists(pa, chunk) for chunk in (at.chunks if hasattr(at, "chunks") else [at])]))
        names = [*keep, "embedding", *_NUMBERS, *(("class", "class_probability") if classes else ())]
        columns += [placed[name] for name in names[len(keep) + 1 :]]
        yield from pa.table(columns, names=names).combine_chunks().to_batches()


def _vectors(pa: Any, lists: Any) -> Any:
    """Return lists without nulls and of one length as fixed-size lists, which the program reads fastest; others unchanged."""
    import pyarrow.compute as pc

    values = pc.list_flatten(lists)
    ends = pc.min_max(pc.list_value_length(lists)).as_py()
    if lists.null_count or values.null_count or ends["min"] != ends["max"] or not ends["max"]:
        return lists
    return pa.FixedSizeListArray.from_arrays(values.combine_chunks(), ends["max"])


def _lists(pa: Any, fixed: Any) -> Any:
    """Convert fixed-size lists to lists of variable length, which Spark supports."""
    d = fixed.type.list_size
    return pa.ListArray.from_arrays(pa.array(range(0, len(fixed) * d + 1, d), pa.int32()), fixed.flatten())


def _grouped(batches: Iterator[Any]) -> Iterator[list[Any]]:
    """Combine small batches into groups of sufficient size."""
    group: list[Any] = []
    n = size = 0
    for b in batches:
        group.append(b)
        n += b.num_rows
        size += b.nbytes
        if n >= _ROWS or size >= _BYTES:
            yield group
            group, n, size = [], 0, 0
    if group:
        yield group
