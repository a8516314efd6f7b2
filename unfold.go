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

	mu   sync.Mutex    // held by what changes the map
	live *fit.Followed // nil before the first change
	size int           // of the map that it is meant for
}

// view is the map as it was after a fit or a refresh. It does not change.
type view struct {
	snap   *snapshot.Snapshot
	id     []int32 // of every point the number, ascending; nil: 0, 1, ...
	placer models.Placer
	// near searches exactly, once it is needed.
	near func() (*placing.Frame, error)
}

// Fit learns a map from the rows of x (n x dim). Too few rows, rows that do not
// distinguish points, and values that are not finite (but see GPLVM) are bad input. x is not kept.
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
	rows, err := from.dense(0, from.rows)
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

// Open reads a map from a model file, of Save or of the command `unfold fit`. A file that
// cannot be used is bad input.
//
// A file of the command may hold an encoder, which makes vectors of columns: it scales
// numbers and codes categories. Place and Insert want vectors as the encoder makes them; see Columns.
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
	return &view{snap: s, id: k.State.Slots, placer: p, near: sync.OnceValues(func() (*placing.Frame, error) {
		return placing.New(s, 1, placing.Settings{Threads: m.threads, Search: auto.Settings{Method: auto.Exact}})
	})}, nil
}

// Save writes the map of the fit or the last Refresh as a model file, which Open and the
// command `unfold embed -m` read. A map that lives goes on from it: its points keep their
// numbers. What was inserted and deleted since is not in it. Equal maps are written as
// equal bytes.
func (m *Map) Save(w io.Writer) error { return public(snapshot.Write(w, m.now.Load().snap), 0) }

// Kind is the model that the map was learnt by.
func (m *Map) Kind() Kind { return kindOf(m.now.Load().snap) }

// Dim is the number of elements of a vector.
func (m *Map) Dim() int { return m.now.Load().snap.Dim }

// Dims is the dimension of the map.
func (m *Map) Dims() int { return m.now.Load().snap.Mu.Cols }

// Len is the number of points.
func (m *Map) Len() int { return m.now.Load().snap.Mu.Rows }

// Version counts the maps since the fit from 1, one for each Refresh; epoch counts the
// coordinate frames from 1. Of kind Student there is one, of kind Saul one more for each
// major Refresh.
func (m *Map) Version() (version uint64, epoch uint32) {
	s := m.now.Load().snap
	return s.Version, s.Epoch
}

// Columns names the elements of a vector, as the command `unfold fit` made them of a
// table's columns; nil if there are no names. Encoded reports whether its encoder stands before them.
func (m *Map) Columns() (names []string, encoded bool) {
	s := m.now.Load().snap
	return append([]string(nil), s.Names...), len(s.Encoder) > 0
}
