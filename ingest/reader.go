package ingest

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"

	"unfold/ingest/csv"
	"unfold/ingest/input"
	"unfold/ingest/jsonrec"
	"unfold/ingest/table"
)

// Options are options for reading sources. The zero value works.
type Options struct {
	// BatchRows is the maximum number of rows of one table; 0 means 4096.
	BatchRows int
	// CSV are the options of text files. Its Types also apply to JSON.
	CSV csv.Options
	// Stdin is read for "-"; nil means the standard input of the process.
	Stdin io.Reader
	// Memory is the memory limit of one batch of an Arrow or Parquet file in bytes; 0 means 4 GiB.
	Memory int64
	// NoCopies rejects formats on standard input that need a temporary copy.
	NoCopies bool
	// Local returns a local file with the contents of an address such as s3://bucket/key. If nil,
	// addresses are errors.
	Local func(ctx context.Context, address string) (string, error)

	// Guard, if not nil, is called before a path is opened for a reader. An error refuses the path. The
	// function that it returns is called before each call that decodes, from several goroutines if the
	// reader has parts, and what that returns after the call.
	Guard func(ctx context.Context, path string) (before func() (after func()), err error)

	// inferred stores the inferred formats of text files that are opened twice.
	inferred map[string]csv.Inferred
	looked   map[string]jsonrec.Columns
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

// Open opens a file, or standard input for "-". The format is recognized by the content. An array
// of an archive is "file.npz:name". Text, .npy, IDX and Arrow streams may be compressed. From a
// pipe, Arrow files, Parquet, .npz and arrays stored by columns are copied to a temporary file.
// Folders of the path named key=value become columns. A file that is missing, empty or of unknown
// format is an *Error, which lists the known formats.
func Open(ctx context.Context, path string, opts Options) (table.Reader, error) {
	if opts.inferred == nil {
		opts.inferred, opts.looked = map[string]csv.Inferred{}, map[string]jsonrec.Columns{}
	}
	r, err := openPlain(ctx, path, opts)
	if err != nil {
		return nil, err
	}
	again := func() (table.Reader, error) { return openPlain(ctx, path, opts) }
	if input.ReadOnce(path) {
		again = nil
	}
	return partitioned(undisguised(ctx, r, again), path), nil
}

// openPlain is Open without the columns of partitions.
func openPlain(ctx context.Context, path string, opts Options) (table.Reader, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	opts = opts.filled()
	watch, err := opts.guard(ctx, path)
	if err != nil {
		return nil, err
	}
	in, err := opts.source(ctx, path)
	if err != nil {
		return nil, err
	}
	in.Memory = opts.Memory
	if watch == nil {
		return openFormat(in, opts)
	}
	defer watch()()
	r, err := openFormat(in, opts)
	if err != nil {
		return nil, err
	}
	return watching(r, watch), nil
}

// guard calls Guard, if there is one.
func (o Options) guard(ctx context.Context, path string) (before func() (after func()), err error) {
	if o.Guard == nil {
		return nil, nil
	}
	return o.Guard(ctx, path)
}

// Guessed returns the guesses of r about a text format, nil if r does not read text.
func Guessed(r table.Reader) table.Guessed {
	for {
		switch inner := r.(type) {
		case table.Guessed:
			return inner
		case *partition:
			r = inner.Reader
		case *watched:
			r = inner.Reader
		default:
			return nil
		}
	}
}

// addGuesses adds the guesses of r about a file's text, unless another file had the same.
func addGuesses(to []string, r table.Reader, path string) []string {
	g := Guessed(r)
	if g == nil || len(g.Guesses()) == 0 {
		return to
	}
	text := strings.Join(g.Guesses(), "; ")
	if slices.ContainsFunc(to, func(said string) bool { return strings.HasSuffix(said, ": "+text) }) {
		return to
	}
	return append(to, table.Origin{File: path}.String()+": "+text)
}

// source opens a path for reading bytes.
func (o Options) source(ctx context.Context, path string) (*input.Source, error) {
	if o.Local == nil || !input.IsAddress(path) {
		return input.Open(ctx, path, o.Stdin, o.NoCopies)
	}
	file, member, inside := input.ArchiveMember(path)
	local, err := o.Local(ctx, file)
	if err != nil {
		return nil, err
	}
	if inside {
		local += ":" + member
	}
	return input.OpenCopy(ctx, path, local)
}

// Decompress returns a file's format. It reads compressed text to its end without parsing it.
func Decompress(ctx context.Context, path string, opts Options) (input.Format, error) {
	opts = opts.filled()
	in, err := opts.source(ctx, path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	format, err := recognize(in, opts.CSV.Encoding)
	if err != nil || format != input.CSV && format != input.JSON || in.Packed == "" {
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
			return "", input.ReadError(in.Origin, err)
		}
	}
}
