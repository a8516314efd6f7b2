package ingest

import (
	"archive/zip"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
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
	// NoCopies refuses formats on standard input that are read from a temporary
	// copy.
	NoCopies bool

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
	NPZ         Format = "npz"
	IDX         Format = "idx"
)

// Open opens a file by its content, whatever its name, or standard input for "-". An
// array of an archive is "file.npz:name". Text, .npy, IDX and Arrow streams may be
// compressed. Arrow files, Parquet, .npz and arrays that are stored by columns are read
// from a temporary copy on the disk if they come from a pipe. A file that is missing,
// empty or of no known format is an *Error, which names the formats that are known and
// not read.
func Open(ctx context.Context, path string, opts Options) (Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opts = opts.filled()
	in, err := openSource(path, opts)
	if err != nil {
		return nil, err
	}
	r, err := openFormat(in, opts)
	if err != nil {
		in.Close()
		return nil, err
	}
	return r, nil
}

// Unpack returns a file's format, and reads text that is compressed to its end, without
// looking at it.
func Unpack(ctx context.Context, path string, opts Options) (Format, error) {
	in, err := openSource(path, opts.filled())
	if err != nil {
		return "", err
	}
	defer in.Close()
	format, err := in.format(opts.CSV.Encoding)
	if err != nil || format != CSV || in.packed == "" {
		return format, err
	}
	piece := make([]byte, 1<<16)
	for {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if _, err := in.Read(piece); err == io.EOF {
			return format, nil
		} else if err != nil {
			return "", readError(in.origin, err)
		}
	}
}

func openFormat(in *opened, opts Options) (Reader, error) {
	format, err := in.format(opts.CSV.Encoding)
	if err != nil {
		return nil, err
	}
	if name := map[Format]string{ArrowFile: "an Arrow file", Parquet: "a Parquet file", NPZ: "a zip archive"}[format]; in.packed != "" && name != "" {
		return nil, in.origin.bad("%s inside %s cannot be read", name, in.packed).hint("%s first: it is read from its end",
			map[string]string{"gzip": "gunzip it", "zstd": "unzstd it", "bzip2": "bunzip2 it", "lz4": "unlz4 it"}[in.packed])
	}
	switch format {
	case ArrowFile:
		return newFileReader(in, opts)
	case ArrowStream:
		return newStreamReader(in, opts)
	case Parquet:
		return newParquetReader(in, opts)
	case NPY:
		return newNPYReader(in, in.origin, opts)
	case NPZ:
		return newZipReader(in, opts)
	case IDX:
		return newIDXReader(in, in.origin, opts)
	}
	return newCSVReader(in, in.origin, opts)
}

// readError explains an error of a reader of bytes.
func readError(o Origin, err error) *Error {
	var flated flate.CorruptInputError
	var unpack *unpackError
	switch {
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return o.bad("zstd compression with a window of more than %d MiB is not supported", zstdWindow>>20).hint("unpack it first, or compress it without --long")
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return o.bad("zstd compression with a dictionary is not supported").hint("unpack it first")
	case errors.Is(err, zip.ErrAlgorithm):
		return o.bad("the array's compression in the archive is not supported").hint("save it by numpy.savez or savez_compressed")
	case errors.As(err, &unpack):
		return o.bad("the %s compression is corrupt", unpack.name).cause(unpack.error).hint("get the file again")
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
		if isAddress(p) {
			return nil, addressError(p)
		}
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
