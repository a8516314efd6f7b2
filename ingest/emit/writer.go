package emit

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unfold/ingest/input"
	"unfold/internal/atomicfile"
)

// Writer writes the rows of a map in order. It must be used by one goroutine only.
//
// A file is written under a temporary name in the same folder. Close renames it after its bytes are
// on disk, so that readers see the complete file or none.
type Writer interface {
	// Write appends rows. All outputs must have the same columns. An output without rows defines
	// the columns of a file that gets no rows.
	Write(*Output) error
	// Close completes the file and renames it. If nothing was written it returns an error and makes
	// no file.
	Close() error
	// Abort removes the unfinished file. After Close it does nothing, so that it can be deferred.
	Abort()
}

// WriteOptions are options for writing files. The zero value is usable.
type WriteOptions struct {
	// Format overrides the format of the path's extension.
	Format input.Format
	// Stdout is the destination of path "-"; nil stands for the process's standard output.
	Stdout io.Writer
	// RowGroup is the number of rows of a Parquet row group or an Arrow batch;
	// 0 means 1000.
	RowGroup int
	// Gzip compresses text formats, which a path ending in .gz does as well.
	Gzip bool
	// OneInput is set if all outputs come from the same input. Then passed-through columns are
	// nullable only if they are in the input; otherwise all are nullable, because the next input's
	// may be.
	OneInput bool
}

// Extensions are the file extensions that Create supports.
var Extensions = []string{".arrow", ".feather", ".ipc", ".arrows", ".parquet", ".csv", ".csv.gz", ".jsonl", ".jsonl.gz", ".npy"}

// FormatOf returns the format for a path's extension; "-" is an Arrow stream.
func FormatOf(path string) (format input.Format, gzipped bool, err error) {
	name := strings.ToLower(path)
	gz := strings.HasSuffix(name, ".gz")
	switch filepath.Ext(strings.TrimSuffix(name, ".gz")) {
	case ".arrow", ".feather", ".ipc":
		format = input.ArrowFile
	case ".arrows":
		format = input.ArrowStream
	case ".parquet":
		format = input.Parquet
	case ".csv":
		return input.CSV, gz, nil
	case ".jsonl", ".ndjson":
		return input.JSON, gz, nil
	case ".npy":
		format = input.NPY
	}
	if path == "-" {
		return input.ArrowStream, false, nil
	}
	if format == "" || gz {
		return "", false, fmt.Errorf("%s: an output's file extension sets its format; known are %s", path, strings.Join(Extensions, " "))
	}
	return format, false, nil
}

// Create starts a file, or a stream on standard output for "-". It returns an error if the
// extension is unknown or the path cannot be written.
func Create(path string, opts WriteOptions) (Writer, error) {
	format, gz, err := FormatOf(path)
	if opts.Format != "" {
		format, err = opts.Format, nil
	}
	if err != nil {
		return nil, err
	}
	if opts.RowGroup <= 0 {
		opts.RowGroup = 1000
	}
	var file target
	if path == "-" {
		out := opts.Stdout
		if out == nil {
			out = os.Stdout
		}
		if format != input.ArrowStream && format != input.CSV && format != input.JSON {
			return nil, fmt.Errorf("standard output takes an Arrow stream, CSV or JSON lines, not %s", format)
		}
		file = &pipe{bufio.NewWriterSize(out, 1<<16)}
	} else if file, err = atomicfile.Create(path); err != nil {
		return nil, err
	}
	w := &mapWriter{path: path, file: file, group: opts.RowGroup}
	switch format {
	case input.ArrowFile, input.ArrowStream:
		w.sink = &ipcSink{w: file, stream: format == input.ArrowStream, shape: shape{nullability: opts.OneInput}}
	case input.Parquet:
		w.sink = &parquetSink{w: file, shape: shape{nullability: opts.OneInput}}
	case input.CSV:
		w.sink = newCSVSink(file, gz || opts.Gzip)
	case input.JSON:
		w.sink = newJSONSink(file, gz || opts.Gzip)
	case input.NPY:
		w.sink = &npySink{w: file}
	default:
		file.Discard()
		return nil, fmt.Errorf("the format %q cannot be written", format)
	}
	return w, nil
}

// sink writes one format.
type sink interface {
	write(*Output) error
	finish() error
}

// mapWriter collects small outputs into groups and passes them to a sink.
type mapWriter struct {
	path    string
	file    target
	sink    sink
	group   int
	pending []*Output
	waiting int
	mapID   string // once something was written
	begun   bool
	empty   *Output // an output without rows, nil if there was none
	dims    int
	rows    int64
	done    bool
}

func (w *mapWriter) Write(o *Output) error {
	if w.done {
		return fmt.Errorf("%s: written after its end", w.path)
	}
	if w.begun && o.MapID != w.mapID {
		return fmt.Errorf("%s: these are places of the map %q, before they were of the map %q; one file holds those of one map", w.path, o.MapID, w.mapID)
	}
	w.mapID, w.begun = o.MapID, true
	if o.Len() == 0 {
		if w.empty == nil {
			w.empty = o
		}
		return nil
	}
	if w.dims == 0 {
		w.dims = o.Embedding.Cols
	}
	if o.Embedding.Cols != w.dims {
		return fmt.Errorf("%s: the embedding has %d dimensions, before it had %d", w.path, o.Embedding.Cols, w.dims)
	}
	if len(w.pending) > 0 && !sameConstants(w.pending[0], o) {
		if err := w.flush(); err != nil {
			return err
		}
	}
	for from := 0; from < o.Len(); {
		to := min(o.Len(), from+w.group-w.waiting)
		w.pending = append(w.pending, o.Slice(from, to))
		w.waiting += to - from
		from = to
		if w.waiting == w.group {
			if err := w.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the pending outputs as one group.
func (w *mapWriter) flush() error {
	if w.waiting == 0 {
		return nil
	}
	o, err := concatOutputs(w.pending)
	if err == nil {
		o.FirstRow = w.rows
		err = w.sink.write(o)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", w.path, err)
	}
	w.rows += int64(w.waiting)
	w.pending, w.waiting = w.pending[:0], 0
	return nil
}

func (w *mapWriter) Close() error {
	if w.done {
		return nil
	}
	err := w.flush()
	if err == nil && w.rows == 0 {
		if w.empty == nil {
			err = fmt.Errorf("%s: there are no rows to write", w.path)
		} else if err = w.sink.write(w.empty); err != nil {
			err = fmt.Errorf("%s: %w", w.path, err)
		}
	}
	if err == nil {
		if err = w.sink.finish(); err != nil {
			err = fmt.Errorf("%s: %w", w.path, err)
		}
	}
	if err != nil {
		w.Abort()
		return err
	}
	w.done = true
	return w.file.Commit()
}

func (w *mapWriter) Abort() {
	if !w.done {
		w.done = true
		w.file.Discard()
	}
}
