package ingest

import (
	"fmt"
	"hash/maphash"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// double is the double-precision state of a loader.
type double struct {
	rows   vec.Matrix[float64] // all rows, if they are requested
	seed   maphash.Seed
	hashes []uint64
}

// doubles returns the double-precision state, nil if single precision changes nothing.
func (l *loader) doubles() *double {
	rounded := l.fitter != nil && l.fitter.Rounded()
	if l.thin != nil || l.drawn != nil || !rounded && l.opts.Double != Always {
		return nil
	}
	d := &double{seed: maphash.MakeSeed(), hashes: make([]uint64, l.total)}
	if l.opts.Double != Never {
		d.rows = vec.New[float64](int(l.total), l.encoder.Dim())
	}
	return d
}

// encode encodes a table into the rows of x from at on.
func (l *loader) encode(t *table.Table, x vec.Matrix[float32], at int) (*Batch, error) {
	x = x.Slice(at, at+t.Len())
	d := l.double
	if d == nil {
		return l.encoder.EncodeInto(t, x)
	}
	b, err := l.encoder.EncodeInto(t, x)
	if err != nil {
		return nil, err
	}
	err = inPieces(t, x.Cols, func(from int, piece *table.Table, wide vec.Matrix[float64]) error {
		if d.rows.Rows > 0 {
			wide = d.rows.Slice(at+from, at+from+piece.Len())
		}
		if _, err := encodeTo(l.encoder, piece, wide); err != nil {
			return err
		}
		for i := range wide.Rows {
			d.hashes[at+from+i] = maphash.Bytes(d.seed, arrow.Float64Traits.CastToBytes(wide.Row(i)))
		}
		return nil
	})
	if err != nil {
		return nil, t.Located(err)
	}
	return b, nil
}

// pieceRows is the number of rows encoded in double precision at a time.
const pieceRows = 1024

// inPieces calls do for consecutive pieces of a table. from is the first row of the piece; wide is
// zeroed memory for its rows in double precision.
func inPieces(t *table.Table, cols int, do func(from int, piece *table.Table, wide vec.Matrix[float64]) error) error {
	room := vec.New[float64](min(pieceRows, t.Len()), cols)
	for from := 0; from < t.Len(); from += pieceRows {
		to := min(from+pieceRows, t.Len())
		wide := room.Slice(0, to-from)
		clear(wide.Data)
		if err := do(from, t.Slice(from, to), wide); err != nil {
			return err
		}
	}
	return nil
}

// Lost describes rows that differ as given but are equal in single precision.
type Lost struct {
	// Rows is the number of distinct rows lost by rounding.
	Rows int
	// Columns are those in which the rows differed, most frequent first.
	Columns []string
}

// lost compares the rows of d with their values before rounding.
func (l *loader) lost(d *Dataset) (*Lost, error) {
	if l.opts.Double != Never {
		return nil, nil // Wide distinguishes them
	}
	single := hashesOf(d.X, l.double.seed)
	rows := distinct(slices.Clone(l.double.hashes)) - distinct(slices.Clone(single))
	if rows <= 0 {
		return nil, nil
	}
	columns, err := l.blurred(single)
	return &Lost{rows, columns}, err
}

// blurred reads the data again and returns the columns in which rows with the same hash in single
// precision differed.
func (l *loader) blurred(single []uint64) ([]string, error) {
	first, mixed := map[uint64]uint64{}, map[uint64]bool{}
	for i, h := range single {
		if of, there := first[h]; there && of != l.double.hashes[i] {
			mixed[h] = true
		}
		first[h] = l.double.hashes[i]
	}
	seen, counts, at := map[uint64][]float64{}, make([]int, l.encoder.Dim()), 0
	see := func(t *table.Table) error {
		return t.Located(inPieces(t, l.encoder.Dim(), func(_ int, piece *table.Table, wide vec.Matrix[float64]) error {
			if _, err := encodeTo(l.encoder, piece, wide); err != nil {
				return err
			}
			for i := range wide.Rows {
				h := single[at]
				if at++; !mixed[h] {
					continue
				}
				row, there := seen[h]
				if !there {
					seen[h] = slices.Clone(wide.Row(i))
				}
				for k := range row {
					if row[k] != wide.Row(i)[k] {
						counts[k]++
					}
				}
			}
			return nil
		}))
	}
	for _, path := range l.paths {
		r, err := l.open(path)
		if err != nil {
			return nil, err
		}
		r = l.whole(r)
		for t, err := range table.All(l.ctx, r) {
			if err == nil && at+t.Len() > len(single) {
				err = t.Origin.Bad("the file grew while it was read")
			}
			if err == nil {
				err = see(t)
			}
			if err != nil {
				r.Close()
				return nil, err
			}
		}
		r.Close()
	}
	return l.encoder.mostOf(counts), nil
}

// mostOf returns the names of the elements with counts above 0, highest count first.
func (e *Encoder) mostOf(counts []int) (names []string) {
	var order []int
	for k, n := range counts {
		if n > 0 {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return counts[b] - counts[a] })
	for _, k := range order {
		if e.names != nil {
			names = append(names, e.names[k])
		} else {
			names = append(names, fmt.Sprintf("%s[%d]", e.vector, k))
		}
	}
	return names
}

// Describe returns a description in one line.
func (l *Lost) Describe() string {
	return fmt.Sprintf("single precision, in which maps are learnt, does not tell %d rows apart that differ in %s: the values span too wide a range; take their logarithm (log1p), or leave far ones out",
		l.Rows, table.List(l.Columns))
}
