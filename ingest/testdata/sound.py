# Judges outputs: arguments are pairs of a stream and what a column "c" of it should be,
# FILE:FROM:TO of another stream, or "" for nothing in particular.
import json, sys
import pyarrow, pyarrow.ipc

judged = 0
for out, want in zip(sys.argv[1::2], sys.argv[2::2]):
    table = pyarrow.ipc.open_stream(out).read_all()
    table.validate(full=True)
    for batch in table.to_batches():
        batch.validate(full=True)
    if want:
        path, start, end = want.rsplit(":", 2)
        whole = pyarrow.ipc.open_stream(path).read_all().column("c").combine_chunks()
        whole = whole.slice(int(start), int(end) - int(start))
        got = table.column("c").combine_chunks()
        assert got.type == whole.type, f"{out}: {got.type}, want {whole.type}"
        assert got.to_pylist() == whole.to_pylist(), f"{out}: {got}, want {whole}"
        assert got.null_count == whole.null_count
    judged += 1
print(json.dumps(judged))
