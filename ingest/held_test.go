package ingest_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/foreign"
	"unfold/internal/vec"
)

// everyType writes a column of each type that can be kept, with and without a null in the middle
// row. It writes an Arrow file, an Arrow stream and, if the type exists there, Parquet.
const everyType = `
import sys, decimal, pyarrow as pa, pyarrow.parquet
def types():
    for t in ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]:
        n = int(t.strip("uint"))
        yield t, pa.array([0 if t[0] == "u" else -2**(n-1), None, 2**(n - (t[0] != "u")) - 1], t)
    yield "float16", pa.array([1.5, None, -0.0], pa.float16())
    for t in ["float32", "float64"]:
        yield t, pa.array([0.1, None, float("-inf")], t)
    yield "bool", pa.array([True, None, False])
    for name, t in [("utf8", pa.utf8()), ("large_utf8", pa.large_utf8())]:
        yield name, pa.array(["\u00e4, \"b\"", None, ""], t)
    for name, t in [("binary", pa.binary()), ("large_binary", pa.large_binary())]:
        yield name, pa.array([b"\xff\x00", None, b""], t)
    yield "fixed_binary", pa.array([b"\xff\x00a", None, b"abc"], pa.binary(3))
    yield "decimal128", pa.array([decimal.Decimal("-12345678901234567890.123"), None, decimal.Decimal("0.001")], pa.decimal128(30, 3))
    yield "decimal256", pa.array([decimal.Decimal(-10)**51, None, decimal.Decimal("0.001")], pa.decimal256(60, 3))
    yield "date32", pa.array([-1, None, 19000], pa.int32()).cast(pa.date32())
    yield "date64", pa.array([-86400000, None, 86400000 * 19000], pa.int64()).cast(pa.date64())
    for u, per in [("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)]:
        short = u in ("s", "ms")
        yield "time_" + u, pa.array([0, None, 86399 * per], pa.int32() if short else pa.int64()).cast(pa.time32(u) if short else pa.time64(u))
        for zone in [None, "UTC", "Europe/Berlin"]:
            yield f"timestamp_{u}_{zone}", pa.array([1_700_000_000 * per + 1, None, -5], pa.int64()).cast(pa.timestamp(u, zone))
        yield "duration_" + u, pa.array([-5, None, 10**12], pa.int64()).cast(pa.duration(u))
    yield "interval_mdn", pa.array([(1, 2, 3), None, (-1, 0, 10**9)], pa.month_day_nano_interval())
    yield "null", pa.nulls(3)
    yield "dictionary", pa.array(["b", None, "a"]).dictionary_encode()
    yield "ordered_dictionary", pa.DictionaryArray.from_arrays(pa.array([1, None, 0], pa.int8()), pa.array([10, 20]), ordered=True)
    yield "list", pa.array([[1, None], None, []], pa.list_(pa.int32()))
    yield "large_list", pa.array([["a", None], None, []], pa.large_list(pa.utf8()))
    yield "fixed_list", pa.array([[1, 2], None, [3, None]], pa.list_(pa.float32(), 2))
    yield "list_view", pa.array([[1, None], None, []], pa.list_view(pa.int32()))
    yield "null_in_dictionary", pa.DictionaryArray.from_arrays(pa.array([0, None, 1], pa.int8()), pa.array(["a", None]))
    yield "nested_list", pa.array([[[1], []], None, [None]], pa.list_(pa.list_(pa.int64())))
    yield "struct", pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}], pa.struct([("a", pa.int64()), ("b", pa.utf8())]))
    yield "struct_of_fixed", pa.array([{"a": [1.0, 2.0]}, None, {"a": None}], pa.struct([("a", pa.list_(pa.float32(), 2))]))
    yield "list_of_struct", pa.array([[{"a": 1}], None, []], pa.list_(pa.struct([("a", pa.int64())])))
    yield "list_of_dictionary", pa.ListArray.from_arrays(pa.array([0, None, 1, 2], pa.int32()), pa.array(["b", "a"]).dictionary_encode())
    yield "map_of_times", pa.array([[("k", 1)], None, []], pa.map_(pa.utf8(), pa.int64())).cast(pa.map_(pa.utf8(), pa.timestamp("us", "Europe/Berlin")))
    yield "map", pa.array([[("k", 1), ("l", None)], None, []], pa.map_(pa.utf8(), pa.int32()))

columns, fields = [], []
for name, values in types():
    columns.append(values)
    fields.append(pa.field(name, values.type, metadata={"unit": "of " + name}))
    if name != "null":
        columns.append(pa.concat_arrays([values.slice(0, 1), values.slice(2), values.slice(0, 1)]))
        fields.append(pa.field(name + " never", values.type, nullable=False))
table = pa.table(columns, schema=pa.schema(fields))
dir = sys.argv[1]
with pa.ipc.new_file(dir + "/in.arrow", table.schema) as w: w.write(table)
with pa.ipc.new_stream(dir + "/in.arrows", table.schema) as w: w.write(table)
table = table.drop_columns([n for n in table.column_names if n.startswith(("interval", "list_view", "null_in"))])
pa.parquet.write_table(table, dir + "/in.parquet", version="2.6", store_schema=False)
`

// judgeTypes compares the written columns with the table of conversions in
// docs/reference/map-file.md. Types that are not in the table stay unchanged.
const judgeTypes = `
import sys, csv, json, pyarrow as pa, pyarrow.parquet
dir, notes = sys.argv[1], json.load(open(sys.argv[1] + "/notes.json"))
def read(path):
    if path.endswith(".parquet"): return pa.parquet.read_table(path)
    if path.endswith(".arrows"): return pa.ipc.open_stream(path).read_all()
    return pa.ipc.open_file(path).read_all()

VALUES, ANY, UTC, MS = "the values without their dictionary", "a list of any length", "the same moment in UTC", "milliseconds"
ARROW = {"dictionary": (pa.utf8(), VALUES), "null_in_dictionary": (pa.utf8(), VALUES), "ordered_dictionary": (pa.int64(), VALUES)}
PARQUET = ARROW | {
    "large_utf8": (pa.utf8(), ""), "large_binary": (pa.binary(), ""), "large_list": (pa.list_(pa.utf8()), ""),
    "fixed_list": (pa.list_(pa.float32()), ANY), "list_view": (pa.list_(pa.int32()), ANY), "struct_of_fixed": (pa.struct([("a", pa.list_(pa.float32()))]), ANY),
    "list_of_dictionary": (pa.list_(pa.utf8()), VALUES), "date64": (pa.date32(), "date32"), "time_s": (pa.time32("ms"), MS),
    "timestamp_s_None": (pa.timestamp("ms"), MS), "timestamp_s_UTC": (pa.timestamp("ms", "UTC"), MS),
    "timestamp_s_Europe/Berlin": (pa.timestamp("ms", "UTC"), UTC + ", " + MS),
    **{f"timestamp_{u}_Europe/Berlin": (pa.timestamp(u, "UTC"), UTC) for u in ["ms", "us", "ns"]},
    **{f"duration_{u}": (pa.int64(), "a whole number of " + u) for u in ["s", "ms", "us", "ns"]},
    "map_of_times": (pa.map_(pa.utf8(), pa.timestamp("us", "UTC")), UTC),
}
def csv_words(t):
    if pa.types.is_binary(t) or pa.types.is_large_binary(t): return r"text with bytes that are not UTF-8 as \xff"
    if pa.types.is_fixed_size_binary(t): return "text in base64"
    if pa.types.is_integer(t) or pa.types.is_floating(t) or pa.types.is_decimal(t) or pa.types.is_dictionary(t): return ""
    if t in (pa.bool_(), pa.utf8(), pa.large_utf8(), pa.null()): return ""
    return "text"
TEXT = { # of the first and the last row
    "float16": ("1.5", "-0"), "float32": ("0.1", "-Inf"), "float64": ("0.1", "-Inf"), "bool": ("true", "false"),
    "utf8": ('\u00e4, "b"', ""), "large_utf8": ('\u00e4, "b"', ""), "binary": ("\\xff\0", ""), "large_binary": ("\\xff\0", ""), "fixed_binary": ("/wBh", "YWJj"),
    "decimal128": ("-12345678901234567890.123", "0.001"), "decimal256": ("-1" + 51 * "0" + ".000", "0.001"),
    "date32": ("1969-12-31", "2022-01-08"), "date64": ("1969-12-31", "2022-01-08"), "null": ("", ""),
    "interval_mdn": ('{"months":1,"days":2,"nanoseconds":3}', '{"months":-1,"days":0,"nanoseconds":1000000000}'),
    "dictionary": ("b", "a"), "ordered_dictionary": ("20", "10"), "null_in_dictionary": ("a", ""), "list": ("[1 null]", "[]"), "list_view": ("[1 null]", "[]"), "large_list": ("[a null]", "[]"), "fixed_list": ("[1 2]", "[3 null]"),
    "nested_list": ("[[1] []]", "[null]"), "struct": ("{a:1 b:x}", "{a:null b:y}"), "struct_of_fixed": ("{a:[1 2]}", "{a:null}"),
    "list_of_struct": ("[{a:1}]", "[]"), "list_of_dictionary": ("[b]", "[a]"), "map": ("[{key:k value:1} {key:l value:null}]", "[]"),
    "map_of_times": ("[{key:k value:1970-01-01 01:00:00.000001+0100}]", "[]"),
}
for u, digits in [("s", 0), ("ms", 3), ("us", 6), ("ns", 9)]:
    end = lambda low: "." + str(low % 10**digits).zfill(digits) if digits else ""
    at, before = (1, 55) if u == "s" else (0, 59)
    last = end(-5)
    TEXT["time_" + u] = ("00:00:00" + end(0), "23:59:59" + end(0))
    TEXT[f"timestamp_{u}_None"] = (f"2023-11-14 22:13:2{at}{end(1)}", f"1969-12-31 23:59:{before}{last}")
    TEXT[f"timestamp_{u}_UTC"] = tuple(t + "Z" for t in TEXT[f"timestamp_{u}_None"])
    TEXT[f"timestamp_{u}_Europe/Berlin"] = (f"2023-11-14 23:13:2{at}{end(1)}+0100", f"1970-01-01 00:59:{before}{last}+0100")
    TEXT["duration_" + u] = ("-5" + u, str(10**12) + u)

wrong = []
def same(what, got, want):
    if repr(got) != repr(want): wrong.append(f"{what}: {got!r}, not {want!r}")

for source in ["in.arrow", "in.arrows", "in.parquet"]:
    want = read(f"{dir}/{source}")
    # fields of structs are columns of their own
    while source == "in.parquet" and any(pa.types.is_struct(f.type) for f in want.schema): want = want.flatten()
    hasStruct = {n for n in want.column_names if n.split()[0] in ("list_of_struct", "map_of_times")} if source == "in.parquet" else set()
    for ending in [".arrow", ".arrows", ".parquet"]:
        got = read(f"{dir}/{source}{ending}")
        got.validate(full=True)
        becomes = PARQUET if ending == ".parquet" else ARROW
        refused = {n for n in want.column_names if n.startswith("interval")} if ending == ".parquet" else set()
        same(f"{source} as {ending}", sorted(set(got.column_names) - {"id", "embedding"}), sorted(set(want.column_names) - hasStruct - refused))
        for n in set(got.column_names) & set(want.column_names):
            what, kind = f"{source} as {ending}: {n}", n.split()[0]
            a, b, fa, fb = got.column(n), want.column(n), got.schema.field(n), want.schema.field(n)
            # what Parquet holds already stays, whatever it was before
            as_, words = (b.type, "") if source == "in.parquet" else becomes.get(kind, (b.type, ""))
            if a.type != as_: wrong.append(f"{what}: {a.type}, not {as_}")
            same(what + ", values", a.to_pylist(), (b if pa.types.is_nested(b.type) and kind != "map_of_times" or b.type == as_ else b.cast(as_)).to_pylist())
            same(what + ", nullable", fa.nullable, fb.nullable or kind == "null_in_dictionary") # the values hold a null
            meta = "without the field's metadata" if ending == ".parquet" and source != "in.parquet" and fb.metadata else ""
            same(what + ", metadata", fa.metadata and fa.metadata.get(b"unit"), None if ending == ".parquet" or source == "in.parquet" else fb.metadata and fb.metadata[b"unit"])
            same(what + ", note", notes[source + ending].get(n, ""), ", ".join(w for w in [words, meta] if w))
    rows = list(csv.DictReader(open(f"{dir}/{source}.csv", newline="")))
    for n in want.column_names:
        if n in hasStruct: continue
        what, kind, t = f"{source} as .csv: {n}", n.split()[0], want.schema.field(n).type
        if source != "in.parquet":
            first, last = TEXT.get(kind) or map(str, (want.column(n)[0].as_py(), want.column(n)[-1 if n == kind else 1].as_py()))
            same(what, [r[n] for r in rows], [first, "", last] if n == kind else [first, last, first])
            meta = "without the field's metadata" if want.schema.field(n).metadata else ""
            same(what + ", note", notes[source + ".csv"].get(n, ""), ", ".join(w for w in [csv_words(t), meta] if w))
sys.exit("\n".join(wrong[:40]) if wrong else 0)
`

// Every type that can be kept passes from every reader through every writer unchanged, or as
// DescribeHeld and docs/reference/map-file.md describe: type, values, nulls, metadata, nullability.
func TestEveryTypeThroughEveryFormat(t *testing.T) {
	dir := t.TempDir()
	foreign.Run(t, everyType, dir)
	notes := map[string]map[string]string{}
	for _, in := range []string{"in.arrow", "in.arrows", "in.parquet"} {
		records := readTable(t, filepath.Join(dir, in), ingest.Options{})
		for _, ending := range []string{".arrow", ".arrows", ".parquet", ".csv"} {
			path := filepath.Join(dir, in+ending)
			notes[in+ending] = writeEvery(t, path, records)
		}
	}
	text, err := json.Marshal(notes)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	foreign.Run(t, judgeTypes, dir)
	page, err := os.ReadFile("../docs/reference/map-file.md")
	if err != nil {
		t.Fatal(err)
	}
	said := strings.ReplaceAll(string(page), "`", "")
	for file, columns := range notes {
		for column, words := range columns {
			for _, w := range strings.Split(words, ", ") {
				if w, _, _ = strings.Cut(w, " number of "); !strings.Contains(said, w) {
					t.Errorf("docs/reference/map-file.md does not say that %q becomes %s in %s", column, w, file)
				}
			}
		}
	}
}

// writeEvery writes a table's columns as kept columns, except those that the format cannot store
// according to DescribeHeld. It returns the descriptions of the others.
func writeEvery(t *testing.T, path string, records *table.Table) map[string]string {
	t.Helper()
	notes, out := map[string]string{}, &emit.Output{Embedding: vec.New[float32](records.Len(), 2)}
	write := func(o *emit.Output) error {
		w, err := emit.Create(path, emit.WriteOptions{OneInput: true, RowGroup: 2})
		if err != nil {
			return err
		}
		defer w.Abort()
		if err := w.Write(o); err != nil {
			return err
		}
		return w.Close()
	}
	for _, c := range records.Columns() {
		alone := &emit.Output{Kept: []table.Column{c}, Embedding: out.Embedding}
		note, err := emit.DescribeHeld(path, alone)
		if refused := strings.HasSuffix(path, ".parquet") && strings.HasPrefix(c.Name(), "interval"); refused != (err != nil) {
			t.Errorf("%s: %s: %v", path, c.Name(), err)
		} else if refused {
			if err := write(alone); err == nil {
				t.Errorf("%s: %s is written", path, c.Name())
			}
			continue
		}
		out.Kept = append(out.Kept, c)
		if _, words, ok := strings.Cut(note, c.Name()+" ("); ok {
			notes[c.Name()] = strings.TrimSuffix(words, ")")
		}
	}
	if err := write(out); err != nil {
		t.Fatal(err)
	}
	return notes
}

// A file contains the places of one map only.
func TestOneMapAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out.arrow")
	w, err := emit.Create(path, emit.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, c := range []struct{ id, want string }{{"a", ""}, {"a", ""}, {"b", `places of the map "b", before they were of the map "a"`}} {
		err := w.Write(&emit.Output{Embedding: vec.New[float32](3, 2), MapID: c.id})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("map %s: %v, want %q", c.id, err, c.want)
		}
	}
}

// A later input may have nulls where the first has none. So the output of several inputs declares
// all columns nullable. A single input that contradicts its schema is an error.
func TestNullsOfLaterInputs(t *testing.T) {
	dir := t.TempDir()
	foreign.Run(t, `
import sys, pyarrow as pa, pyarrow.ipc
for name, values, nullable in [("never", [1, 2, 3], False), ("some", [1, None, 3], True)]:
    table = pa.table([pa.array(values)], schema=pa.schema([pa.field("v", pa.int64(), nullable=nullable)]))
    with pa.ipc.new_file(f"{sys.argv[1]}/{name}.arrow", table.schema) as w: w.write(table)
`, dir)
	for _, one := range []bool{false, true} {
		w, err := emit.Create(filepath.Join(dir, "out.parquet"), emit.WriteOptions{OneInput: one, RowGroup: 3})
		if err != nil {
			t.Fatal(err)
		}
		defer w.Abort()
		var errs []error
		for _, name := range []string{"never", "some"} {
			records := readTable(t, filepath.Join(dir, name+".arrow"), ingest.Options{})
			errs = append(errs, w.Write(&emit.Output{Kept: records.Columns(), Embedding: vec.New[float32](records.Len(), 2)}))
		}
		if err := errors.Join(errs...); one != (err != nil) || one && !strings.Contains(err.Error(), `column "v" holds nulls`) {
			t.Errorf("one input %t: %v", one, err)
		}
		if !one {
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got := readTable(t, filepath.Join(dir, "out.parquet"), ingest.Options{}).Schema(); !got[1].Nullable {
				t.Errorf("the output of several is %v", got)
			}
		}
	}
}
