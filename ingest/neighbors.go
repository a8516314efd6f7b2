package ingest

import (
	"context"
	"io"
	"math"
	"slices"

	"unfold/ingest/input"
	"unfold/ingest/npy"
	"unfold/ingest/table"
	"unfold/sparse/knn"
)

// ReadNeighbors reads neighbour lists that another program computed. The file has two columns of
// lists (n x k), or two arrays in an .npz, in the layout of umap-learn's precomputed_knn. The lists
// of whole numbers are the neighbours, numbered from 0, nearest first; a list may begin with the
// row itself. The other lists are their distances, which may be missing. Errors are *table.Error
// and name the row.
func ReadNeighbors(ctx context.Context, path string, opts Options) (*knn.Given, error) {
	rows, far, err := opts.nearLists(ctx, path)
	if err != nil {
		return nil, err
	}
	n := nearReader{opts: opts, g: &knn.Given{}}
	if err := n.each(ctx, rows, n.numbers); err != nil {
		return nil, err
	}
	if err := n.inRange(rows); err != nil {
		return nil, err
	}
	if far == (nearList{}) {
		return n.g, nil
	}
	count := 0
	if err := n.each(ctx, far, func(t *table.Table, i int, row []float64) error {
		count++
		return n.distances(t.Origin, far.column, i, count-1, row)
	}); err != nil {
		return nil, err
	}
	if count != n.g.N {
		return nil, far.origin().BadColumn(far.column, "distances are there for %d rows, and neighbours for %d", count, n.g.N)
	}
	return n.g, nil
}

// nearList is a column of lists.
type nearList struct {
	path, column string
	whole        bool // of whole numbers
}

func (l nearList) origin() table.Origin { return table.Origin{File: l.path} }

// nearLists finds the column of neighbours, and the column of distances if there is one.
func (o Options) nearLists(ctx context.Context, path string) (rows, far nearList, err error) {
	paths, err := o.arrays(ctx, path)
	if err != nil {
		return rows, far, err
	}
	var all []nearList
	for _, p := range paths {
		lists, err := o.listsIn(ctx, p)
		if err != nil {
			return rows, far, err
		}
		all = append(all, lists...)
	}
	at := slices.IndexFunc(all, func(l nearList) bool { return l.whole })
	if at < 0 || len(all) > 2 || len(all) == 2 && all[0].whole && all[1].whole {
		e := table.Origin{File: path}.Bad("it holds %d columns or arrays of lists, and neighbours are one of whole numbers, with one of distances or without", len(all))
		return rows, far, e.Suggest("save the rows' numbers (n x k) as integers and the distances as floats, and nothing else")
	}
	rows = all[at]
	if len(all) == 2 {
		far = all[1-at]
	}
	return rows, far, nil
}

// arrays returns the paths of the arrays in an archive, or the path itself if it is not an archive.
func (o Options) arrays(ctx context.Context, path string) ([]string, error) {
	o = o.filled()
	if _, err := o.guard(ctx, path); err != nil {
		return nil, err
	}
	in, err := o.source(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	format, err := recognize(in, o.CSV.Encoding)
	if err != nil {
		return nil, err
	}
	if _, _, named := input.ArchiveMember(path); named || format != input.NPZ {
		return []string{path}, nil
	}
	names, err := npy.Arrays(in)
	for i, name := range names {
		names[i] = path + ":" + name
	}
	return names, err
}

// listsIn returns the columns of lists in a file.
func (o Options) listsIn(ctx context.Context, path string) ([]nearList, error) {
	r, err := openPlain(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t, err := r.Next(ctx)
	if err == io.EOF {
		return nil, table.Origin{File: path}.Bad("there are no rows")
	}
	if err != nil {
		return nil, err
	}
	var out []nearList
	for _, name := range r.Schema().Of(table.Vector) {
		c, err := t.Need(name)
		if err != nil {
			return nil, err
		}
		out = append(out, nearList{path, name, table.WholeNumbers(c)})
	}
	return out, nil
}

// nearReader reads neighbour lists.
type nearReader struct {
	opts Options
	g    *knn.Given
	seen []int32 // neighbours of the current row
}

// each calls row for each list; i is the row within the table.
func (n *nearReader) each(ctx context.Context, l nearList, row func(t *table.Table, i int, row []float64) error) error {
	r, err := openPlain(ctx, l.path, n.opts)
	if err != nil {
		return err
	}
	defer r.Close()
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return err
		}
		c, err := t.Need(l.column)
		if err != nil {
			return err
		}
		list := table.VectorRows(c)
		for i := range t.Len() {
			values := list(i)
			if n.g.K == 0 {
				n.g.K = len(values)
			}
			if len(values) != n.g.K || n.g.K == 0 {
				return t.Origin.BadAt(i, l.column, "its list holds %d values, and %d are expected", len(values), n.g.K).Suggest("all rows have equally many neighbours")
			}
			if err := row(t, i, values); err != nil {
				return err
			}
		}
	}
	return nil
}

// numbers adds the neighbours of a row.
func (n *nearReader) numbers(t *table.Table, i int, row []float64) error {
	bad := func(problem string, args ...any) *table.Error { return t.Origin.BadAt(i, "", problem, args...) }
	for q, v := range row {
		switch {
		case math.IsNaN(v):
			return bad("its neighbour %d is missing", q+1)
		case v < 0:
			return bad("its neighbour %d is %v: no row was found", q+1, v).Suggest("search with more effort or for fewer neighbours, or leave out rows that have too few")
		case v > math.MaxInt32:
			return bad("its neighbour %d is %v, beyond any row", q+1, v)
		}
		n.g.Index = append(n.g.Index, int32(v))
	}
	n.g.N++
	n.seen = append(n.seen[:0], n.g.Row(n.g.N-1)...)
	slices.Sort(n.seen)
	for q := 1; q < len(n.seen); q++ {
		if n.seen[q] == n.seen[q-1] {
			return bad("its neighbour %d (numbered from 0) is there twice", n.seen[q])
		}
	}
	return nil
}

// inRange returns an error for the first neighbour that is not a row with a list.
func (n *nearReader) inRange(l nearList) error {
	for at, j := range n.g.Index {
		if int(j) >= n.g.N {
			return l.origin().BadAt(at/n.g.K, l.column, "its neighbour %d is %d, and there are lists of %d rows", at%n.g.K+1, j, n.g.N).
				Suggest("it needs a list for each row of the inputs, numbered from 0 to %d", n.g.N-1)
		}
	}
	return nil
}

// distances checks and adds the distances of a row's neighbours; i is the row within the table.
func (n *nearReader) distances(o table.Origin, column string, i, row int, far []float64) error {
	if row >= n.g.N {
		return nil // counted, and reported as an error at the end
	}
	for q, v := range far {
		switch j := n.g.Row(row)[q]; {
		case !(v >= 0) || math.IsInf(v, 1):
			return o.BadAt(i, column, "its distance %d is %v", q+1, v).Suggest("distances are finite and not below 0: leave out rows without enough neighbours")
		case v > math.MaxFloat32:
			return o.BadAt(i, column, "its distance %d is %v, beyond single precision", q+1, v).Suggest("measure in a larger unit: all distances together may have any")
		case q > 0 && v < far[q-1]:
			return o.BadAt(i, column, "its distance %d is %v, after %v", q+1, v, far[q-1]).Suggest("neighbours come nearest first: sort both arrays by distance")
		case int(j) == row && v > 0:
			return o.BadAt(i, column, "it is its own neighbour at the distance %v", v).Suggest("a row is at distance 0 from itself: are the two arrays of the same rows?")
		}
		n.g.Dist = append(n.g.Dist, float32(v))
	}
	return nil
}
