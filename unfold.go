package unfold

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/mat"

	"unfold/models"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/sparse/knn/auto"
)

// Map is a map that was learnt by Fit or read by Open. It is safe for concurrent use.
type Map struct {
	threads int
	result  *Result

	now atomic.Pointer[view]

	mu   sync.Mutex    // guards changes of the map
	live *fit.Followed // nil before the first change
	size int           // see kept.Size
}

// view is an immutable map after a fit or a refresh.
type view struct {
	snap   *snapshot.Snapshot
	id     []int32 // numbers of the points, ascending; nil: 0, 1, ...
	placer models.Placer
	// near returns an exact search, which is made when first needed.
	near func() (*placing.Searcher, error)
}

// Fit learns a map from the rows of x (n x dim). Too few rows, rows that do not distinguish points,
// and values that are not finite (but see GPLVM) match ErrBadInput. Fit does not retain x.
func Fit(ctx context.Context, x mat.Matrix, o Options) (*Map, error) {
	begin := time.Now()
	spec, err := o.spec()
	if err != nil {
		return nil, err
	}
	from, err := sourceOf(x)
	if err != nil {
		return nil, public(err, 0)
	}
	var by []float64
	if !spec.Distance.Bits() && !spec.Distance.Absolute() {
		by = from.shift()
	}
	rows, err := from.shifted(by).dense(0, from.rows)
	if err != nil {
		return nil, err
	}
	s, r, err := fit.Fit(ctx, rows, spec, o.Progress)
	if err != nil {
		err = public(err, 0)
		var option *OptionError
		if o.Student.Coordinates != nil && errors.As(err, &option) && option.Name == "Student.Frame" {
			option.Name = "Student.Coordinates"
		}
		return nil, err
	}
	s.Shift = by
	if s.MapID, err = s.ContentID(); err != nil {
		return nil, public(err, 0)
	}
	m, err := open(s, o.Threads)
	if err != nil {
		return nil, err
	}
	m.result = resultOf(r)
	m.result.Seconds = time.Since(begin).Seconds()
	return m, nil
}

// Open reads a map from a model file, written by Save or by the command `unfold fit`. The error of
// an unusable file matches ErrBadInput.
//
// A file of the command may contain an encoder, which converts columns to vectors: it scales
// numbers and encodes categories. Place and Insert expect encoded vectors; see Columns.
func Open(r io.Reader) (*Map, error) {
	s, err := snapshot.Read(r)
	if err != nil {
		return nil, public(err, 0)
	}
	return open(s, 0)
}

func open(s *snapshot.Snapshot, threads int) (*Map, error) {
	m := &Map{threads: threads}
	v, err := m.look(s)
	if err != nil {
		return nil, err
	}
	m.now.Store(v)
	return m, nil
}

// look prepares placing against a snapshot.
func (m *Map) look(s *snapshot.Snapshot) (*view, error) {
	k, err := keptIn(s)
	if err != nil {
		return nil, public(err, 0)
	}
	p, err := fit.Open(s, placing.Options{Threads: m.threads})
	if err != nil {
		return nil, public(err, 0)
	}
	return &view{snap: s, id: k.State.Slots, placer: p, near: sync.OnceValues(func() (*placing.Searcher, error) {
		return placing.New(s, 1, placing.Options{Threads: m.threads, Search: auto.Settings{Method: auto.Exact}})
	})}, nil
}

// Save writes the map of the fit or of the last Refresh as a model file, which Open and the command
// `unfold embed -m` can read. A live map continues from the file, and its points keep their
// numbers. Later insertions and deletions are not included. Equal maps give equal bytes.
func (m *Map) Save(w io.Writer) error { return public(snapshot.Write(w, m.now.Load().snap), 0) }

// Kind returns the kind of model of the map.
func (m *Map) Kind() Kind { return kindOf(m.now.Load().snap) }

// Dim returns the number of elements of a vector.
func (m *Map) Dim() int { return m.now.Load().snap.Dim }

// Dims returns the dimension of the map.
func (m *Map) Dims() int { return m.now.Load().snap.Mu.Cols }

// Len returns the number of points.
func (m *Map) Len() int { return m.now.Load().snap.Mu.Rows }

// Version returns the version and the epoch of the map. The version counts the maps since the fit
// from 1 and grows with each Refresh. The epoch counts coordinate frames from 1; Refresh stays in
// the same frame.
func (m *Map) Version() (version uint64, epoch uint32) {
	s := m.now.Load().snap
	return s.Version, s.Epoch
}

// Columns returns the names of a vector's elements, as the command `unfold fit` made them from a
// table's columns, or nil. encoded is true if the map has an encoder for such columns.
func (m *Map) Columns() (names []string, encoded bool) {
	s := m.now.Load().snap
	return append([]string(nil), s.Names...), len(s.Encoder) > 0
}
