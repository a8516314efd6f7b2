package cli

import (
	"bytes"
	"io"
	"os"

	"unfold/ingest/emit"
	"unfold/internal/atomicfile"
)

// transaction collects outputs that are renamed together at the end, so that a failure leaves none
// of them.
type transaction struct {
	stdout  io.Writer
	outputs []pendingFile
}

// pendingFile is a file under its temporary name, or buffered standard output.
type pendingFile struct {
	path    string
	commit  func() error
	discard func()
}

// write writes an output under a temporary name. "-" is standard output.
func (t *transaction) write(path string, write func(io.Writer) error) error {
	if path == "-" {
		var b bytes.Buffer
		t.outputs = append(t.outputs, pendingFile{path, func() error { _, err := b.WriteTo(t.stdout); return err }, func() {}})
		return write(&b)
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	t.outputs = append(t.outputs, pendingFile{path, f.Commit, f.Discard})
	return write(f)
}

// writeMap writes a map under a temporary name.
func (t *transaction) writeMap(path string, o *emit.Output) error {
	w, err := createMap(path, t.stdout, true)
	if err != nil {
		return err
	}
	t.outputs = append(t.outputs, pendingFile{path, w.Close, w.Abort})
	return w.Write(o)
}

// commit renames the outputs. If a rename fails, it removes the outputs before it, so that a failed
// run does not look successful.
func (t *transaction) commit() error {
	for i, o := range t.outputs {
		if err := o.commit(); err != nil {
			for _, before := range t.outputs[:i] {
				if before.path != "-" {
					os.Remove(before.path)
				}
			}
			return err
		}
	}
	return nil
}

// abort discards the outputs that were not committed.
func (t *transaction) abort() {
	for _, o := range t.outputs {
		o.discard()
	}
}

// createMap opens a map writer for the format of the path. oneInput is set if all rows come from
// one input. An unknown extension is a usage error.
func createMap(path string, stdout io.Writer, oneInput bool) (emit.Writer, error) {
	if _, _, err := emit.FormatOf(path); err != nil {
		return nil, &usageError{err: err}
	}
	return emit.Create(path, emit.WriteOptions{Stdout: stdout, OneInput: oneInput})
}
