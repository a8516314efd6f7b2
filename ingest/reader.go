package ingest

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Reader gives the records of one source, in order, table by table. It is used
// by one goroutine.
type Reader interface {
	// Next returns the next table, which has at least one row, or io.EOF after
	// the last. Any other error is final; it is an *Error if the source's bytes
	// are at fault.
	Next(ctx context.Context) (*Table, error)
	// Schema describes the columns. Every table has them.
	Schema() Schema
	// Close lets go of the source.
	Close() error
}

// Counted is a Reader that knows its number of rows before reading them.
type Counted interface {
	// NumRows returns the number of rows; false if it is not known.
	NumRows() (int64, bool)
}

// Identified is a Reader of a format that can hold the id of the map whose rows it gives.
type Identified interface {
	// MapID is the id; "" if the file names none.
	MapID() string
}

// Options say how sources are read. The zero value works.
type Options struct {
	// BatchRows bounds the rows of one table; 0 means 4096.
	BatchRows int
	// CSV is for text files.
	CSV CSVOptions
	// Stdin is what "-" reads; nil means the process's.
	Stdin io.Reader
	// Memory bounds what one batch of an Arrow or Parquet file may take, in
	// bytes; 0 means 4 GiB.
	Memory int64

	// inferred keeps what was learnt about text files that are opened twice.
	inferred map[string]csvInferred
}

func (o Options) filled() Options {
	if o.BatchRows <= 0 {
		o.BatchRows = 4096
	}
	if o.Memory <= 0 {
		o.Memory = 4 << 30
	}
	if o.Stdin == nil {
		o.Stdin = os.Stdin
	}
	return o
}

// Format is a file format.
type Format string

// The formats. Text files are CSV whatever separates their fields.
const (
	ArrowFile   Format = "arrow file"
	ArrowStream Format = "arrow stream"
	Parquet     Format = "parquet"
	CSV         Format = "csv"
	NPY         Format = "npy"
	IDX         Format = "idx"
)

// Open opens a file by its content, whatever its name, or "-" for an Arrow IPC
// stream on standard input. Any of them but Arrow files and Parquet may be
// compressed by gzip. A file that is missing, empty or of no known format is an
// *Error.
func Open(ctx context.Context, path string, opts Options) (Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opts = opts.filled()
	origin := Origin{File: path}
	if path == "-" {
		return newStreamReader(bufio.NewReaderSize(opts.Stdin, 1<<16), nil, origin, opts)
	}
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	r, err := openFormat(f, origin, opts)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

// openFile opens a file that must be there, not be a directory and not be empty.
func openFile(path string) (*os.File, error) {
	origin := Origin{File: path}
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e := origin.bad("the file does not exist")
		if near := nearestFile(path); near != "" {
			e.hint("did you mean %q?", near)
		}
		e.missing = true
		return nil, e
	case err != nil:
		return nil, origin.bad("the file cannot be opened").cause(err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		f.Close()
		return nil, origin.bad("it is a directory").hint("name files, or a pattern such as %q", filepath.Join(path, "*.parquet"))
	}
	if err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		f.Close()
		return nil, origin.bad("the file is empty")
	}
	return f, nil
}

func nearestFile(path string) string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if near := Nearest(filepath.Base(path), names); near != "" {
		return filepath.Join(filepath.Dir(path), near)
	}
	return ""
}

// opened is a file as the format readers want it: bytes in order, unpacked.
type opened struct {
	*bufio.Reader
	file    *os.File
	gzipped bool
}

func openFormat(f *os.File, origin Origin, opts Options) (Reader, error) {
	in, format, err := sniff(f, origin)
	if err != nil {
		return nil, err
	}
	if in.gzipped && (format == ArrowFile || format == Parquet) {
		name := map[Format]string{ArrowFile: "an Arrow file", Parquet: "a Parquet file"}[format]
		return nil, origin.bad("%s inside gzip cannot be read", name).hint("gunzip it first: it is read from its end")
	}
	switch format {
	case ArrowFile:
		return newFileReader(f, origin, opts)
	case ArrowStream:
		return newStreamReader(in, f, origin, opts)
	case Parquet:
		return newParquetReader(f, origin, opts)
	case NPY:
		return newNPYReader(in, origin, opts)
	case IDX:
		return newIDXReader(in, origin, opts)
	}
	return newCSVReader(in, origin, opts)
}

// sniff tells the format from the first bytes, looking through gzip.
func sniff(f *os.File, origin Origin) (*opened, Format, error) {
	in := &opened{bufio.NewReaderSize(f, 1<<16), f, false}
	head, _ := in.Peek(8)
	if len(head) == 0 {
		return nil, "", origin.bad("the file is empty")
	}
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in.Reader)
		if err != nil {
			return nil, "", origin.bad("the gzip header is corrupt").cause(err)
		}
		in = &opened{bufio.NewReaderSize(z, 1<<16), f, true}
		if head, err = in.Peek(8); len(head) == 0 {
			if err != nil && err != io.EOF {
				return nil, "", readError(origin, err)
			}
			return nil, "", origin.bad("the file is empty inside its gzip compression")
		}
	}
	format, problem := formatOf(head, origin.File)
	if problem != "" {
		return nil, "", origin.bad("%s", problem).
			hint("known formats: .arrow .arrows .feather .ipc .parquet .csv .npy .idx (text, .npy, .idx and .arrows also in .gz)")
	}
	return in, format, nil
}

// formatOf tells the format from the first bytes; the name only helps to say
// that it promises another one.
func formatOf(head []byte, path string) (Format, string) {
	switch {
	case bytes.HasPrefix(head, []byte("ARROW1")):
		return ArrowFile, ""
	case bytes.HasPrefix(head, []byte{0xff, 0xff, 0xff, 0xff}):
		return ArrowStream, ""
	case bytes.HasPrefix(head, []byte("PAR1")):
		return Parquet, ""
	case bytes.HasPrefix(head, []byte("\x93NUMPY")):
		return NPY, ""
	case isIDX(head):
		return IDX, ""
	}
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	switch filepath.Ext(name) {
	case ".arrow", ".feather", ".ipc", ".arrows", ".parquet", ".npy", ".idx":
		return "", fmt.Sprintf("the file is not what its name says (%s): it starts with %q", filepath.Ext(name), head)
	}
	if strings.HasPrefix(string(head), "FEA1") {
		return "", "the file is Feather version 1, which is not supported; write version 2"
	}
	if slices.ContainsFunc(head, func(b byte) bool { return b < 9 || b > 13 && b < 32 && b != 27 }) {
		return "", fmt.Sprintf("the file is of no known format: it starts with %q", head)
	}
	return CSV, ""
}

// readError explains an error of a reader of bytes.
func readError(o Origin, err error) *Error {
	var flated flate.CorruptInputError
	switch {
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader), errors.As(err, &flated):
		return o.bad("the gzip compression is corrupt").cause(err).hint("get the file again")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return o.bad("the file is truncated").hint("it ends before its data does; get it again")
	}
	return o.bad("the file cannot be read").cause(err)
}

// Expand replaces patterns (*, ?, [a-z]) by the files that match, sorted;
// other paths stay as they are. A pattern that nothing matches is an *Error.
func Expand(patterns []string) ([]string, error) {
	var out []string
	for _, p := range patterns {
		if _, err := os.Lstat(p); err == nil || p == "-" || !strings.ContainsAny(p, "*?[") {
			out = append(out, p)
			continue
		}
		match, err := filepath.Glob(p)
		if err != nil {
			return nil, Origin{File: p}.bad("the pattern is malformed").cause(err)
		}
		if len(match) == 0 {
			return nil, Origin{File: p}.bad("no file matches the pattern")
		}
		slices.Sort(match)
		out = append(out, match...)
	}
	if len(out) == 0 {
		return nil, Origin{}.bad("no input is named")
	}
	return out, nil
}
