package ingesttest

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// Bomb is a small file that expands to, or claims to be, gigabytes.
type Bomb struct {
	// Name is the name of the file.
	Name string
	// Plain is true if its rows are plain columns, including embedding_0 and embedding_1 if the
	// format has names.
	Plain bool
	write func(path string) error
}

// Write writes the file to a folder and returns its path.
func (b Bomb) Write(dir string) (string, error) {
	path := dir + "/" + b.Name
	return path, b.write(path)
}

// Sizes of bombs. Expanded, they exceed a limit of 512 MiB.
const (
	mib  = 1 << 20
	many = 200_000_000
)

const (
	csvHead = "embedding_0,embedding_1\n"
	mtxHead = "%%MatrixMarket matrix coordinate real general\n"
)

// Bombs returns files in every input format. They are no variable: their content would take memory in
// every process of the test binary, and tests measure that.
func Bombs() []Bomb { return slices.Concat(tableBombs(), tradeBombs()) }

// tableBombs returns bombs of tables and of plain arrays.
func tableBombs() []Bomb {
	return []Bomb{
		{"text.parquet", true, longTexts()},
		{"numbers.parquet", true, equalNumbers()},
		{"footer.parquet", false, whole([]byte("PAR1\x15\x04\x15\x00" + strings.Repeat("\x00", 100) + "\xff\xff\xff\x7fPAR1"))},
		{"batches.arrows", false, streamOf(100, 2*mib)},
		{"one.arrows", false, streamOf(1, 24*mib)},
		{"dictionary.arrows", true, dictionaryStream},
		{"lengths.arrows", false, lengths()},
		{"lengths.arrow", false, lengths()},
		{"line.csv.zst", true, packed(zstdTo, csvHead, strings.Repeat("1", mib), 4096)},
		{"quote.csv.zst", true, packed(zstdTo, csvHead+"1,\"", strings.Repeat("line\n", mib/5), 4096)},
		{"rows.csv.gz", true, packed(gzipTo, csvHead, strings.Repeat("1,2\n", mib/4), 1024)},
		{"rows.csv.lz4", true, packed(lz4To, csvHead, strings.Repeat("1,2\n", mib/4), 1024)},
		{"columns.csv.gz", true, packed(gzipTo, columnNames(mib)+"\n", strings.Repeat("1,", mib-1)+"1\n", 500)},
		{"nested.csv.gz", true, packed(nestedTo, csvHead, strings.Repeat("1,2\n", mib/4), 1024)},
		{"nest.json.zst", true, packed(zstdTo, "[", strings.Repeat(`{"embedding_0":`, mib/15), 2048)},
		{"lists.json.zst", true, packed(zstdTo, `[{"embedding":`, strings.Repeat("[", mib), 2048)},
		{"text.jsonl.zst", true, packed(zstdTo, `{"embedding_0":1,"embedding_1":"`, strings.Repeat("a", mib), 2048)},
		{"keys.jsonl.zst", true, growingKeys},
		{"shape.npy", false, whole(npyHeader("<f4", "1000000000000000, 2"))},
		{"zeros.npy.zst", false, packed(zstdTo, string(npyHeader("<f4", fmt.Sprintf("%d, 2", many))), strings.Repeat("\x00", mib), 8*many/mib+1)},
		{"wide.npy", false, whole(npyHeader("<f4", "2, 1000000000000000"))},
		{"zeros.npz", false, archive("x.npy", npyHeader("<f4", fmt.Sprintf("%d, 2", many)), 8*many)},
		{"sparse.npz", false, sparseArchive},
		{"shape.mtx", false, whole([]byte(mtxHead + "2000000000 2000000000 1\n1 1 1\n"))},
		{"entries.mtx.zst", false, packed(zstdTo, mtxHead+"1000000 1000 174762000\n", strings.Repeat("1 1 1\n", mib/6), 1000)},
		{"shape.idx", false, whole([]byte("\x00\x00\x08\x03\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"))},
		{"zeros.idx.gz", false, packed(gzipTo, "\x00\x00\x08\x03\x02\x00\x00\x00\x00\x00\x00\x1c\x00\x00\x00\x1c", strings.Repeat("\x00", mib), 2048)},
	}
}

// whole writes a file with this content.
func whole(content []byte) func(string) error {
	return func(path string) error { return os.WriteFile(path, content, 0o600) }
}

// packed writes a compressed file with a beginning and a piece that is repeated times times.
func packed(to func(io.Writer) (io.WriteCloser, error), head, piece string, times int) func(string) error {
	return func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		w, err := to(f)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, head)
		for i := 0; i < times && err == nil; i++ {
			_, err = io.WriteString(w, piece)
		}
		return errors.Join(err, w.Close(), f.Close())
	}
}

func zstdTo(w io.Writer) (io.WriteCloser, error) {
	return zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
}

func gzipTo(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) }

func lz4To(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil }

// nestedTo compresses twice.
func nestedTo(w io.Writer) (io.WriteCloser, error) {
	outer, err := gzipTo(w)
	if err != nil {
		return nil, err
	}
	inner, err := gzipTo(outer)
	return both{inner, outer}, err
}

// both closes two writers, the inner one first.
type both struct {
	io.WriteCloser
	outer io.Closer
}

func (b both) Close() error { return errors.Join(b.WriteCloser.Close(), b.outer.Close()) }

// columnNames returns the names of n columns.
func columnNames(n int) string {
	var b strings.Builder
	b.WriteString("embedding_0,embedding_1")
	for i := 2; i < n; i++ {
		fmt.Fprintf(&b, ",%x", i)
	}
	return b.String()
}

// growingKeys writes records with keys that occur only once.
func growingKeys(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := zstdTo(f)
	for i := 0; i < 200_000 && err == nil; i++ {
		var line bytes.Buffer
		line.WriteString(`{"embedding_0":1,"embedding_1":2`)
		for k := range 20 {
			fmt.Fprintf(&line, `,"k%x":%d`, 20*i+k, k)
		}
		line.WriteString("}\n")
		_, err = w.Write(line.Bytes())
	}
	if err != nil {
		return err
	}
	return errors.Join(w.Close(), f.Close())
}

// npyHeader returns the beginning of a NumPy file.
func npyHeader(descr, shape string) []byte {
	text := "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }"
	text += strings.Repeat(" ", 63-(10+len(text))%64) + "\n"
	return append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(text))), text...)
}

// archive writes an archive with one member: a beginning, and zeros.
func archive(name string, head []byte, zeros int) func(string) error {
	return func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		z := zip.NewWriter(f)
		if err := part(z, name, head, zeros); err != nil {
			return err
		}
		return errors.Join(z.Close(), f.Close())
	}
}

// part adds a member to an archive.
func part(z *zip.Writer, name string, head []byte, zeros int) error {
	w, err := z.Create(name)
	if err != nil {
		return err
	}
	_, err = w.Write(head)
	for piece := make([]byte, mib); zeros > 0 && err == nil; zeros -= mib {
		_, err = w.Write(piece[:min(zeros, mib)])
	}
	return err
}

// sparseArchive writes a sparse matrix of SciPy with very many empty rows.
func sparseArchive(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	z := zip.NewWriter(f)
	shape := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(npyHeader("<i8", "2,"), many), 8)
	err = errors.Join(
		part(z, "indices.npy", npyHeader("<i4", "0,"), 0),
		part(z, "indptr.npy", npyHeader("<i8", fmt.Sprintf("%d,", many+1)), 8*(many+1)),
		part(z, "format.npy", append(npyHeader("|S3", ""), "csr"...), 0),
		part(z, "shape.npy", shape, 0),
		part(z, "data.npy", npyHeader("<f8", "0,"), 0),
	)
	return errors.Join(err, z.Close(), f.Close())
}

// written writes outputs with this program's writer.
func written(path string, options emit.WriteOptions, times int, o *emit.Output) error {
	w, err := emit.Create(path, options)
	if err != nil {
		return err
	}
	defer w.Abort()
	for range times {
		if err := w.Write(o); err != nil {
			return err
		}
	}
	return w.Close()
}

// longTexts writes a map whose rows have the same long text, which is stored once per row group.
func longTexts() func(string) error {
	return func(path string) error {
		const rows = 40
		texts, long := make([]string, rows), strings.Repeat("long", mib/4)
		for i := range texts {
			texts[i] = long
		}
		o := &emit.Output{Embedding: vec.New[float32](rows, 2), Kept: []table.Column{table.StringColumn("text", texts)}}
		return written(path, emit.WriteOptions{RowGroup: rows}, 50, o)
	}
}

// equalNumbers writes a table with columns of equal numbers, which take a few bytes per row group.
func equalNumbers() func(string) error {
	return func(path string) error {
		const rows, columns = 100_000, 25
		o := &emit.Output{Embedding: vec.New[float32](rows, 1)}
		numbers := make([]int64, rows)
		for k := range columns {
			o.Kept = append(o.Kept, table.Int64Column(fmt.Sprintf("c%d", k), numbers))
		}
		return written(path, emit.WriteOptions{RowGroup: rows}, 30, o)
	}
}

// zeroVectors returns a record of zero vectors.
func zeroVectors(rows int) (*arrow.Schema, arrow.Record) {
	t, err := table.NewTable(table.Origin{}, table.VectorColumn(emit.EmbeddingName, vec.New[float32](rows, 2)))
	must(err)
	return t.Record().Schema(), t.Record()
}

// streamOf writes an Arrow stream of compressed batches.
func streamOf(batches, rows int) func(string) error {
	return func(path string) error {
		schema, record := zeroVectors(rows)
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		defer f.Close()
		w := ipc.NewWriter(f, ipc.WithSchema(schema), ipc.WithZstd())
		for range batches {
			err = errors.Join(err, w.Write(record))
		}
		return errors.Join(err, w.Close(), f.Close())
	}
}

// dictionaryStream writes an Arrow stream of many references to one long text.
func dictionaryStream(path string) error {
	const rows = 100_000
	mem := table.Heap
	texts, refs, at := array.NewStringBuilder(mem), array.NewInt32Builder(mem), array.NewFloat32Builder(mem)
	texts.Append(strings.Repeat("long", mib/4))
	refs.AppendValues(make([]int32, rows), nil)
	at.AppendValues(make([]float32, rows), nil)
	kind := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	places := at.NewArray()
	schema := arrow.NewSchema([]arrow.Field{{Name: "embedding_0", Type: arrow.PrimitiveTypes.Float32}, {Name: "embedding_1", Type: arrow.PrimitiveTypes.Float32}, {Name: "text", Type: kind}}, nil)
	record := array.NewRecord(schema, []arrow.Array{places, places, array.NewDictionaryArray(kind, refs.NewArray(), texts.NewArray())}, rows)
	return os.WriteFile(path, Encode(schema, []arrow.Record{record}, ipc.WithZstd()), 0o600)
}

// lengths writes an Arrow file or stream with absurd lengths.
func lengths() func(string) error {
	return func(path string) error {
		const rows = 77_777
		if err := written(path, emit.WriteOptions{RowGroup: rows}, 1, &emit.Output{Embedding: vec.New[float32](rows, 2)}); err != nil {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		number := func(n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n) }
		for _, k := range []uint64{1, 2} { // of the batch and of its values
			raw = bytes.ReplaceAll(raw, number(k*rows), number(k<<40))
		}
		return os.WriteFile(path, raw, 0o600)
	}
}
