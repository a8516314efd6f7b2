package ingest_test

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// zipped returns an archive with one member.
func zipped(t testing.TB, name string, method uint16, part []byte) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	create := func() (io.Writer, error) {
		if method == zip.Deflate {
			return z.Create(name)
		}
		return z.CreateRaw(&zip.FileHeader{Name: name, Method: method, CompressedSize64: uint64(len(part)), UncompressedSize64: uint64(len(part))})
	}
	w, err := create()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(part); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// npyOf returns a file of the given type and shape, in row or column order.
func npyOf(descr, byColumns, shape string, data int) []byte {
	return npy("{'descr': '"+descr+"', 'fortran_order': "+byColumns+", 'shape': ("+shape+"), }", make([]byte, data))
}

// A few bytes that claim, or expand to, many lead to an error within bounded memory. The limit is
// twenty times the longest record, because growing lines leave garbage.
func TestHostileFiles(t *testing.T) {
	long := []byte("a,b\n1,")
	far, err := zstd.NewWriter(nil, zstd.WithWindowSize(512<<20), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	var window bytes.Buffer
	far.Reset(&window)
	far.Write(long)
	far.Flush()
	far.Close()
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"texts whose bytes overflow", npyOf("<U2305843009213693952", "False", "3,", 12), "texts of 2305843009213693952 characters"},
		{"texts of no bytes", npyOf("<U0", "False", "1000000000000000000,", 0), "all are empty"},
		{"rows that overflow", npyOf("<f8", "True", "4611686018427387904, 4", 0), "more than there can be"},
		{"more rows than there are", npyOf("<f8", "False", "1000000000000, 4", 64), "row 3: the file is truncated"},
		{"more columns than there can be", npyOf("<f8", "False", "1, 1000000000000", 64), "rows of shape"},
		{"as many dimensions as fit", npyOf("<f8", "True", strings.Repeat("1,", 70), 8), "more than 64 dimensions"},
		{"a row of megabytes by columns", npyOf("|u1", "True", "2, 60000000", 8), "take 120000000 bytes, and it has 8"},
		{"more data than is declared, by columns", gz(npyOf("|u1", "True", "2, 2", 8<<20)), "more data than the header's 2 rows"},
		{"more data than is declared, in an archive", zipped(t, "x.npy", zip.Deflate, npyOf("|u1", "False", "2, 2", 8<<20)), "more data than the header's 2 rows"},
		{"more data than is declared, in an archive by columns", zipped(t, "x.npy", zip.Deflate, npyOf("|u1", "True", "2, 2", 8<<20)), "more data than the header's 2 rows"},
		{"an archive with another compression", zipped(t, "x.npy", 93, npyOf("|u1", "False", "2, 2", 4)), "compression in the archive is not supported"},
		{"a part that is no array", zipped(t, "x.npy", zip.Deflate, []byte("no")), "is no array"},
		{"a far window", window.Bytes(), "window of more than 128 MiB is not supported"},
		{"a line without end", gz(bytes.Repeat([]byte("12345678"), 9<<20)), "longer than 64 MiB"},
		{"a line of fields", gz(bytes.Repeat([]byte("1,"), 30<<20)), "more than 1048576 fields"},
		{"a line of words", gz(append([]byte("a b\n1 2\n"), bytes.Repeat([]byte("1 "), 2<<20)...)), "more than 1048576 fields"},
		{"a quote left open", gz(append([]byte("a,b\n1,\""), bytes.Repeat([]byte("line\n"), 14<<20)...)), "longer than 64 MiB"},
	} {
		path := filepath.Join(t.TempDir(), "x.bin")
		if err := os.WriteFile(path, c.content, 0o644); err != nil {
			t.Fatal(err)
		}
		before := ingesttest.Allocated()
		_, _, err := readFile(path, ingest.Options{Memory: 64 << 20})
		if took := ingesttest.Allocated() - before; took > 20*64<<20 {
			t.Errorf("%s: %d MiB were allocated", c.name, took>>20)
		}
		if !table.IsBadInput(err) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// NoCopies applies to standard input only, not to files.
func TestNoCopiesIsForStandardInput(t *testing.T) {
	packed := zipped(t, "x.npy", zip.Deflate, npyOf("|u1", "True", "2, 2", 4))
	path := filepath.Join(t.TempDir(), "x.npz")
	if err := os.WriteFile(path, packed, 0o644); err != nil {
		t.Fatal(err)
	}
	if rows, _, err := readFile(path, ingest.Options{NoCopies: true}); err != nil || rows != 2 {
		t.Errorf("%d rows, error %v", rows, err)
	}
	_, _, err := readFile("-", ingest.Options{NoCopies: true, Stdin: bytes.NewReader(packed)})
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), "cannot be checked on standard input") {
		t.Errorf("standard input: %v", err)
	}
}

// Decompress reads compressed text to its end, and nothing else.
func TestDecompress(t *testing.T) {
	text := bytes.Repeat([]byte("1,2\n"), 1<<16)
	packed := zst(t, text)
	for _, c := range []struct {
		name    string
		content []byte
		want    input.Format
		err     string
	}{
		{"text", text, input.CSV, ""},
		{"compressed text", packed, input.CSV, ""},
		{"text cut off", packed[:len(packed)-3], "", "truncated"},
		{"text with a wrong end", append(bytes.Clone(packed[:len(packed)-1]), packed[len(packed)-1]^1), "", "the zstd compression is corrupt"},
		{"an array", npyOf("|u1", "False", "2, 2", 3), input.NPY, ""},
	} {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, c.content, 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := ingest.Decompress(context.Background(), path, ingest.Options{})
		if got != c.want || (err == nil) != (c.err == "") || err != nil && (!table.IsBadInput(err) || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %q, error %v", c.name, got, err)
		}
	}
}

// Small files of other programs' formats that expand to gigabytes lead to an error, or to batches of
// rows, within bounded memory.
func TestTradeBombs(t *testing.T) {
	wants := map[string]string{
		"flags.avro":                 "is too large",
		"wide.avro":                  "is too large",
		"text.avro":                  "is too large",
		"deep.avro":                  "too deep",
		"items.avro":                 "cannot be decoded",
		"block.avro":                 "truncated",
		"fields.avro.gz":             "head is longer than 4 MiB",
		"names.safetensors.zst":      "header has",
		"dimensions.safetensors.zst": "header has",
		"line.vec.zst":               "or than 64 MiB",
		"line.svm.zst":               "more than 1048576 pairs",
		"beside.npz":                 "",
		"columns.fcs.zst":            "",
	}
	for _, bomb := range ingesttest.Bombs() {
		want, listed := wants[bomb.Name]
		if !listed {
			continue
		}
		delete(wants, bomb.Name)
		path, err := bomb.Write(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		before := ingesttest.Allocated()
		err = firstBatches(t, path, 3)
		if took := ingesttest.Allocated() - before; took > 20*64<<20 {
			t.Errorf("%s: %d MiB were allocated", bomb.Name, took>>20)
		}
		if want == "" && err != nil || want != "" && (!table.IsBadInput(err) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", bomb.Name, err, want)
		}
	}
	for name := range wants {
		t.Errorf("there is no bomb %s", name)
	}
}

// firstBatches reads at most n batches of a file.
func firstBatches(t *testing.T, path string, n int) error {
	r, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		return err
	}
	defer r.Close()
	for ; n > 0 && err == nil; n-- {
		_, err = r.Next(t.Context())
	}
	if err == io.EOF {
		err = nil
	}
	return err
}
