package ingest_test

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/foreign"
	"unfold/internal/testkit/tier"
)

// foreignArrow are the samples in testdata/foreign/arrow, written by pyarrow and polars. The value
// is the type of their column x after reading, or in parentheses the reason why it is not read.
var foreignArrow = map[string]string{
	"utf8": "string", "large_utf8": "large_string", "utf8_view": "string", "utf8_view_lz4": "string",
	"binary": "binary", "large_binary": "large_binary", "binary_view": "binary", "fixed_binary": "fixed_size_binary[3]",

	"dictionary_int8": "dictionary<values=utf8, indices=int8, ordered=false>", "dictionary_uint8": "dictionary<values=utf8, indices=uint8, ordered=false>",
	"dictionary_int16": "dictionary<values=utf8, indices=int16, ordered=false>", "dictionary_uint16": "dictionary<values=utf8, indices=uint16, ordered=false>",
	"dictionary_int32": "dictionary<values=utf8, indices=int32, ordered=false>", "dictionary_uint32": "dictionary<values=utf8, indices=uint32, ordered=false>",
	"dictionary_int64": "dictionary<values=utf8, indices=int64, ordered=false>", "dictionary_uint64": "dictionary<values=utf8, indices=uint64, ordered=false>",
	"dictionary_large_utf8":   "dictionary<values=large_utf8, indices=int8, ordered=false>",
	"dictionary_utf8_view":    "dictionary<values=utf8, indices=int8, ordered=false>",
	"dictionary_int64_values": "dictionary<values=int64, indices=int16, ordered=false>",

	"runs_utf8": "string", "runs_utf8_view": "string", "runs_int64": "int64", "runs_float32_16": "float32", "runs_bool_64": "bool",
	"runs_dictionary": "dictionary<values=utf8, indices=int32, ordered=false>",
	"runs_list":       `(column "x": run-end encoding of nested values is not supported; write plain lists or structs)`,

	"vector_list": "list<float64>", "vector_large_list": "large_list<float64>",
	"vector_list_view": "list_view<item: float64, nullable>", "vector_large_list_view": "large_list_view<item: float32, nullable>",
	"vector_fixed_list_float16": "fixed_size_list<float16>[2]", "vector_tensor": "fixed_size_list<float32>[2]",
	"vector_int8": "fixed_size_list<int8>[2]", "vector_uint8": "fixed_size_list<uint8>[2]",
	"vector_int16": "fixed_size_list<int16>[2]", "vector_uint16": "fixed_size_list<uint16>[2]",
	"vector_int32": "fixed_size_list<int32>[2]", "vector_uint32": "fixed_size_list<uint32>[2]",
	"vector_int64": "fixed_size_list<int64>[2]", "vector_uint64": "fixed_size_list<uint64>[2]",

	"list_utf8_view": "list<string>", "list_view_utf8": "list_view<item: utf8, nullable>",
	"large_list_view_int32": "large_list_view<item: int32, nullable>", "struct": "struct<a: utf8, b: int16>",
	"map": "map<utf8, int64, items_nullable>", "map_utf8_view": "map<utf8, utf8, items_nullable>",

	"int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "uint8": "uint8", "uint16": "uint16", "uint32": "uint32", "uint64": "uint64",
	"float16": "float16", "float32": "float32", "float64": "float64", "bool": "bool", "null": "null",
	"decimal32": `(column "x": a decimal of 32 bits is not supported; cast it to decimal128)`,
	"decimal64": `(column "x": a decimal of 64 bits is not supported; cast it to decimal128)`, "decimal128": "decimal(7, 2)", "decimal256": "decimal256(7, 2)",
	"date32": "date32", "date64": "date64", "time32": "time32[s]", "time64": "time64[ns]", "timestamp": "timestamp[us]",
	"timestamp_zone": "timestamp[ms, tz=Europe/Berlin]", "duration": "duration[s]", "month_day_nano": "month_day_nano_interval",

	"sparse_union": `(column "x": a union is not supported; write a column for each of its types)`,
	"dense_union":  `(column "x": a union is not supported; write a column for each of its types)`,
	"uuid":         "fixed_size_binary[16]", "bool8": "int8", "json": "string",

	"no_end_marker": "string", "no_end_marker_no_rows": "string",
	"before_0_15": "(this looks like an Arrow stream in the framing from before version 0.15; a message has to be one Arrow IPC stream; write it without use_legacy_format)",

	"polars_string": "string", "polars_binary": "binary", "polars_categorical": "dictionary<values=utf8, indices=uint32, ordered=false>",
	"polars_enum": "dictionary<values=utf8, indices=uint8, ordered=true>", "polars_list": "large_list<float64>", "polars_list_string": "large_list<string>",
	"polars_struct": "struct<a: utf8, b: int64>", "polars_decimal": "decimal(7, 2)", "polars_times": "timestamp[us]", "polars_null": "null",
	"polars_int128": `(column "x": an integer of 128 bits is not supported; cast it to 64 bits, to float64 or to text)`,
}

const foreignFolder = "../testdata/foreign/arrow"

// eachForeign calls f with every sample.
func eachForeign(t *testing.T, f func(name, path string, value []byte)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(foreignFolder, "*.arrows"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != len(foreignArrow) {
		t.Errorf("%d samples, %d expectations", len(paths), len(foreignArrow))
	}
	for _, path := range paths {
		value, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".arrows")
		if foreignArrow[name] == "" {
			t.Errorf("%s: nothing is expected of it", name)
		}
		f(name, path, value)
	}
}

// Every type of pyarrow and polars is read, as a message and as a file. Otherwise the error names
// the column with advice, and does not report corruption.
func TestForeignArrowTypes(t *testing.T) {
	decoder := &arrowfmt.Decoder{}
	eachForeign(t, func(name, path string, value []byte) {
		want := foreignArrow[name]
		records, err := decoder.Decode(value, ingesttest.Here())
		if reason, refused := strings.CutPrefix(want, "("); refused {
			if err == nil || err.Error() != ingesttest.Here().String()+": "+strings.TrimSuffix(reason, ")") {
				t.Errorf("%s: error %v, want %s", name, err, want)
			}
			return
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if c, _ := records.Column("x"); c.DataType() != want {
			t.Errorf("%s is read as %s, want %s", name, c.DataType(), want)
		}
		again, err := decoder.Decode(value, ingesttest.Here()) // with a known schema
		if err != nil {
			t.Errorf("%s, again: %v", name, err)
			return
		}
		ingesttest.EqualTables(t, name+", again", again, records)
		file, err := tableIn(path)
		if err != nil {
			t.Errorf("%s as a file: %v", name, err)
			return
		}
		if file.Len() > 0 {
			ingesttest.EqualTables(t, name+" as a file", file, records)
		}
	})
}

// Files of polars begin with a schema that is not a message; the footer contains it, too.
func TestArrowFileOfPolars(t *testing.T) {
	file, err := tableIn(filepath.Join(foreignFolder, "polars_string.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	stream, err := tableIn(filepath.Join(foreignFolder, "polars_string.arrows"))
	if err != nil {
		t.Fatal(err)
	}
	ingesttest.EqualTables(t, "the file", file, stream)
}

// tableIn reads all rows of a file.
func tableIn(path string) (*table.Table, error) {
	ctx := context.Background()
	r, err := ingest.Open(ctx, path, ingest.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var tables []*table.Table
	for {
		t, err := r.Next(ctx)
		if err == io.EOF {
			return table.ConcatTables(tables...)
		}
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
}

// pyarrow accepts the rewritten samples and finds the same values.
func TestForeignReaderSeesTheSameValues(t *testing.T) {
	tier.Full(t, "it runs Python libraries")
	dir := t.TempDir()
	var names []string
	eachForeign(t, func(name, _ string, value []byte) {
		records, err := arrowfmt.DecodeMessage(value, ingesttest.Here(), arrowfmt.Limits{})
		if err != nil {
			return // TestForeignArrowTypes lists these
		}
		written, err := emit.EncodeTable(records)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		if err := os.WriteFile(filepath.Join(dir, name+".arrows"), written, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	})
	out := foreign.Run(t, `
import sys, pyarrow as pa
for name in sys.argv[3:]:
    before, after = (pa.ipc.open_stream(f"{folder}/{name}.arrows").read_all() for folder in sys.argv[1:3])
    after.validate(full=True)
    for column in before.column_names:
        want, got = (t.column(column).to_pylist() for t in (before, after))
        if str(want) != str(got):
            print(f"{name}: column {column}: {got}, want {want}")
print("looked at", len(sys.argv[3:]))
`, append([]string{foreignFolder, dir}, names...)...)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(names) < 70 || !strings.HasPrefix(lines[len(lines)-1], "looked at") {
		t.Errorf("%d samples, and %q", len(names), lines)
	}
	for _, l := range lines[:len(lines)-1] {
		t.Error(l)
	}
}

// The samples equal those that make.py writes.
func TestForeignSamplesAreMade(t *testing.T) {
	script, err := os.ReadFile(filepath.Join(foreignFolder, "make.py"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	foreign.Run(t, string(script), dir)
	made, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(made) != len(foreignArrow)+1 {
		t.Fatalf("%d files, %v", len(made), err)
	}
	eachForeign(t, func(name, path string, value []byte) {
		b, err := os.ReadFile(filepath.Join(dir, filepath.Base(path)))
		if err != nil || !slices.Equal(b, value) {
			t.Errorf("%s: another file is made now (%v)", name, err)
		}
	})
}

// A message that is not an Arrow stream is an error with the name of its format.
func TestMessagesOfOtherKinds(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"an Arrow file", "ARROW1\x00\x00\xff\xff\xff\xff", "this looks like an Arrow file; a message has to be one Arrow IPC stream; write a stream: pyarrow.ipc.new_stream"},
		{"a Parquet file", "PAR1\x15\x00", "looks like a Parquet file"},
		{"an object of JSON", ` {"v": [1, 2]}`, "looks like JSON"},
		{"a list of JSON", "\n[1, 2]", "looks like JSON"},
		{"an Avro file", "Obj\x01\x04", "looks like an Avro file"},
		{"a registered record", "\x00\x00\x00\x01\x02\x0eabcdefg", "a schema registry (byte 0, then the number of a schema, 258)"},
		{"gzip", "\x1f\x8b\x08\x00", "compressed by gzip"},
		{"zstd", "\x28\xb5\x2f\xfd\x04", "compressed by zstd"},
		{"lz4", "\x04\x22\x4d\x18\x64", "compressed by lz4"},
		{"xz", "\xfd7zXZ\x00\x00", "this looks like data compressed by xz"},
		{"an ORC file", "ORC\x0a", "looks like an ORC file; a message has to be one Arrow IPC stream; write an Arrow stream"},
		{"a pickle", "\x80\x04\x95\x10", "looks like a Python pickle"},
		{"an array of NumPy", "\x93NUMPY\x01\x00", "looks like a NumPy array (.npy)"},
		{"Feather 1", "FEA1\x00\x00", "a Feather file of version 1"},
		{"nothing known, short", "hello", "this is not an Arrow IPC stream"},
		{"nothing known", "hello, world", "this is not an Arrow IPC stream"},
		{"nothing", "", "the message is empty"},
	} {
		_, err := arrowfmt.DecodeMessage([]byte(c.value), ingesttest.Here(), arrowfmt.Limits{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}
