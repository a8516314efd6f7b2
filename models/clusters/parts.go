package clusters

import (
	"unfold/models"
	"unfold/models/snapshot"
)

// partReader reads parts of a snapshot until the first error.
type partReader struct {
	s   *snapshot.Snapshot
	err error
}

func (r *partReader) wrong(format string, args ...any) {
	if r.err == nil {
		r.err = models.BadInputf("the clusters of the map: "+format, args...)
	}
}

// below records an error unless a number is below a limit.
func (r *partReader) below(what string, i int, of string, number, limit int) {
	if number >= limit {
		r.wrong("%s %d has %s %d of %d", what, i, of, number, limit)
	}
}

func floats(r *partReader, name string, rows, cols int) []float64 {
	return arrayOf[float64](r, name, rows, cols)
}

func numbers(r *partReader, name string, rows, cols int) []uint32 {
	return arrayOf[uint32](r, name, rows, cols)
}

func arrayOf[T any](r *partReader, name string, rows, cols int) []T {
	data, err := snapshot.PartOf[T](r.s, name, rows, cols)
	if err != nil {
		r.wrong("%w", err)
	}
	return data
}
