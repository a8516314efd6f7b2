package ingest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/sparse"
	"unfold/sparse/graph"
)

// Edges are the edges of a graph in a file.
type Edges struct {
	// Weights are the weights of the edges from the node of the row to the node of the column. None
	// is 0.
	Weights *sparse.CSR
	// ID are the names of the rows. It has no values if rows are numbered from 0.
	ID table.Column
}

// The names of the columns of an edge list. The first name that exists is used.
var (
	sourceNames     = []string{"source", "src", "from"}
	targetNames     = []string{"target", "dst", "to"}
	similarityNames = []string{"weight", "similarity"}
	distanceNames   = []string{"distance", "weight"}
)

// ReadGraph reads a graph from a square sparse matrix or an edge list. An edge list is a table with
// the columns source and target and optionally weight, similarity or distance. Its nodes are whole
// numbers or text, numbered in ascending order. Repeated edges of the same pair and direction are
// merged: similarities are added, and the shortest distance is kept. Errors are *table.Error.
func ReadGraph(ctx context.Context, path string, o Options, w graph.Weights) (*Edges, error) {
	g := edgeReader{path: path, weights: w}
	if are, err := g.open(ctx, o); err != nil {
		return nil, err
	} else if are {
		if g.matrix.N != g.matrix.M {
			return nil, g.origin().Bad("it is a matrix of %d x %d, and a graph has as many rows as columns", g.matrix.N, g.matrix.M)
		}
		return &Edges{Weights: g.matrix}, g.checkMatrix()
	}
	names, whole := nodesOf(g.source, g.target)
	return g.edges(names, whole, numbersOf(names))
}

// ReadNewNodes reads the edges of new nodes to the n nodes of a graph. The graph's nodes have names
// in their order, or numbers if names is nil. The file is a sparse matrix with a row for each new
// node and n columns, or an edge list from new nodes to nodes of the graph.
func ReadNewNodes(ctx context.Context, path string, o Options, w graph.Weights, names []string, n int) (*Edges, error) {
	g := edgeReader{path: path, weights: w}
	are, err := g.open(ctx, o)
	if err != nil {
		return nil, err
	}
	if are {
		if g.matrix.M != n {
			return nil, g.origin().Bad("it is a matrix of %d columns, and the graph has %d nodes", g.matrix.M, n).
				Suggest("give a row for each new node, and a column for each node of the graph, in its order")
		}
		for i := range g.matrix.N {
			if g.matrix.Start[i] == g.matrix.Start[i+1] {
				return nil, g.origin().BadAt(i, "", "it has no edge to a node of the graph").Suggest("leave such rows out")
			}
		}
		return &Edges{Weights: g.matrix}, g.checkMatrix()
	}
	if names == nil {
		for i := range n {
			names = append(names, strconv.Itoa(i))
		}
	}
	known := numbersOf(names)
	for i, target := range g.target.names {
		if _, is := known[target]; !is {
			return nil, g.origin().BadAt(i, g.target.column, "there is no node %q in the graph", table.Clip(target)).
				Suggest("sources are the new nodes, targets those of the graph: leave edges between new nodes out")
		}
	}
	fresh, whole := nodesOf(g.source)
	return g.edges(fresh, whole, known)
}

// ends are the nodes on one side of the edges of a list.
type ends struct {
	column string
	names  []string
	whole  bool // all are whole numbers
}

// edgeReader reads one file.
type edgeReader struct {
	path           string
	weights        graph.Weights
	matrix         *sparse.CSR
	source, target ends
	weight         []float64
}

func (g *edgeReader) origin() table.Origin { return table.Origin{File: g.path} }

// open reads the file and reports whether it is a matrix.
func (g *edgeReader) open(ctx context.Context, o Options) (matrix bool, err error) {
	r, err := openPlain(ctx, g.path, o)
	if err != nil {
		return false, err
	}
	defer r.Close()
	if s, is := SparseOf(r); is {
		rows, err := s.Matrix(ctx)
		if err != nil {
			return true, err
		}
		g.matrix = rows.Own()
		return true, nil
	}
	weight, err := g.columns(r.Schema())
	if err != nil {
		return false, err
	}
	g.source.whole, g.target.whole = true, true
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return false, err
		}
		if err := g.add(t, weight); err != nil {
			return false, err
		}
	}
	if len(g.source.names) == 0 {
		return false, g.origin().Bad("there are no edges")
	}
	return false, nil
}

// columns finds the columns of an edge list. weight is "" if all edges have the same weight.
func (g *edgeReader) columns(s table.Schema) (weight string, err error) {
	find := func(names []string) string {
		for _, name := range names {
			if _, there := s.Find(name); there {
				return name
			}
		}
		return ""
	}
	g.source.column, g.target.column = find(sourceNames), find(targetNames)
	if g.source.column == "" || g.target.column == "" {
		return "", g.origin().Bad("it is no sparse matrix, and has no columns source and target, but %s", table.List(s.Names())).
			Suggest("rename the columns that hold the two ends of an edge to source and target")
	}
	own, other := similarityNames, distanceNames
	if g.weights == graph.Distance {
		own, other = other, own
	}
	weight = find(own)
	if foreign := find(other); weight == "" && foreign != "" {
		return "", g.origin().BadColumn(foreign, "its name says other weights than %v", g.weights).
			Suggest("give --graph-weights %s, or rename the column to weight", strings.Replace(foreign, "weight", "similarity", 1))
	}
	return weight, nil
}

// add adds the edges of a table.
func (g *edgeReader) add(t *table.Table, weight string) error {
	for _, e := range []*ends{&g.source, &g.target} {
		c, err := t.Need(e.column)
		if err != nil {
			return err
		}
		whole := strings.Contains(c.DataType(), "int")
		if c.Kind() != table.Text && !(c.Kind() == table.Number && whole) {
			return t.Origin.BadColumn(e.column, "its type is %s, and nodes are whole numbers or text", c.DataType())
		}
		e.whole = e.whole && whole && c.DataType() != "uint64" // because its numbers may exceed int64
		for i := range t.Len() {
			if c.IsNull(i) {
				return table.Null(t.Origin, i, e.column)
			}
			e.names = append(e.names, c.Text(i))
		}
	}
	if weight == "" {
		for range t.Len() {
			g.weight = append(g.weight, 1)
		}
		return nil
	}
	c, err := t.Need(weight)
	if err != nil {
		return err
	}
	number, err := table.NumbersOf(c, t.Origin, false)
	if err != nil {
		return err
	}
	for i := range t.Len() {
		v, err := number(i)
		if err != nil {
			return err
		}
		v = float64(float32(v)) // the precision of matrices and of new nodes
		if err := g.weights.Check(v); err != nil {
			return t.Origin.BadAt(i, weight, "%v", err).Suggest("leave such edges out")
		}
		g.weight = append(g.weight, v)
	}
	return nil
}

// checkMatrix returns an error for the first invalid weight of a matrix.
func (g *edgeReader) checkMatrix() error {
	for i := range g.matrix.N {
		index, data := g.matrix.Row(i)
		for p, v := range data {
			if err := g.weights.Check(v); err != nil {
				return g.origin().BadAt(i, "", "of element %d %v", index[p], err).Suggest("leave such entries out")
			}
		}
	}
	return nil
}

// nodesOf returns the nodes in ascending order, numerically if all are whole numbers.
func nodesOf(sides ...ends) (names []string, whole bool) {
	whole = true
	for _, e := range sides {
		names = append(names, e.names...)
		whole = whole && e.whole
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if whole {
		slices.SortFunc(names, func(a, b string) int { return cmp.Compare(wholeOf(a), wholeOf(b)) })
	}
	return names, whole
}

// wholeOf parses a whole number of a column.
func wholeOf(text string) int64 {
	v, _ := strconv.ParseInt(text, 10, 64)
	return v
}

func numbersOf(names []string) map[string]int32 {
	out := make(map[string]int32, len(names))
	for i, name := range names {
		out[name] = int32(i)
	}
	return out
}

// edges builds a matrix from the list. Its rows are the named nodes, and column numbers its
// columns.
func (g *edgeReader) edges(rows []string, whole bool, column map[string]int32) (*Edges, error) {
	if len(rows) > math.MaxInt32 || len(column) > math.MaxInt32 {
		return nil, g.origin().Bad("it has %d nodes, more than are read", len(rows))
	}
	row := numbersOf(rows)
	from, to, weight := make([]int32, len(g.weight)), make([]int32, len(g.weight)), g.weight
	for e, name := range g.source.names {
		from[e], to[e] = row[name], column[g.target.names[e]]
	}
	if g.weights == graph.Distance {
		from, to, weight = shortest(from, to, weight)
	}
	out := &Edges{Weights: sparse.FromTriplets(len(rows), len(column), from, to, weight), ID: table.StringColumn(emit.IDName, rows)}
	if !whole {
		return out, nil
	}
	numbers := make([]int64, len(rows))
	for i, name := range rows {
		numbers[i] = wholeOf(name)
	}
	out.ID = table.Int64Column(emit.IDName, numbers)
	return out, nil
}

// shortest keeps the shortest of the edges from one node to another.
func shortest(from, to []int32, length []float64) ([]int32, []int32, []float64) {
	type pair struct{ from, to int32 }
	at := make(map[pair]int, len(from))
	n := 0
	for e := range from {
		p := pair{from[e], to[e]}
		if q, there := at[p]; there {
			length[q] = min(length[q], length[e])
			continue
		}
		at[p] = n
		from[n], to[n], length[n] = from[e], to[e], length[e]
		n++
	}
	return from[:n], to[:n], length[:n]
}
