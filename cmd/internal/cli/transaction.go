package cli

import "unfold/ingest"

// transaction gathers outputs that get their names together, at the end, so that
// a failure leaves none of them.
type transaction struct{ writers []ingest.Writer }

// writeMap writes a map under a temporary name.
func (t *transaction) writeMap(path string, p *program, o *ingest.Output) error {
	w, err := createMap(path, p)
	if err != nil {
		return err
	}
	t.writers = append(t.writers, w)
	return w.Write(o)
}

// commit gives the outputs their names.
func (t *transaction) commit() error {
	for _, w := range t.writers {
		if err := w.Close(); err != nil {
			return err
		}
	}
	return nil
}

// abort removes what was not committed.
func (t *transaction) abort() {
	for _, w := range t.writers {
		w.Abort()
	}
}

// createMap starts a map's file. An ending that tells no format is wrong usage.
func createMap(path string, p *program) (ingest.Writer, error) {
	if _, _, err := ingest.FormatOf(path); err != nil {
		return nil, &usageError{err: err}
	}
	return ingest.Create(path, ingest.WriteOptions{Stdout: p.Stdout})
}
