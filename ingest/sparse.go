package ingest

import (
	"context"
	"slices"

	"unfold/ingest/input"
	"unfold/ingest/matrix"
	"unfold/ingest/table"
	"unfold/sparse"
)

// SparseOf returns the sparse matrix of a source, if it is one.
func SparseOf(r table.Reader) (table.Sparse, bool) {
	if p, is := r.(*partition); is {
		r = p.Reader
	}
	s, is := r.(table.Sparse)
	return s, is
}

// CheckSparse returns an error with advice if rows of a sparse matrix cannot be encoded without
// filling them, because an option changes the value 0.
func (e *Encoder) CheckSparse(o table.Origin) error {
	problem := ""
	switch {
	case e.element != nil:
		problem = "standardized"
	case e.fill != nil:
		problem = "filled with means"
	case !e.Metric().keepsZeros():
		problem = "compared by the metric " + string(e.Metric())
	default:
		return nil
	}
	return o.Bad("its rows are sparse, and cannot be %s and stay sparse", problem).
		Suggest("leave that out, or choose the metric cosine, hellinger or euclidean; or write the rows in full, as by numpy.save of m.toarray()")
}

// EncodeSparse encodes rows of a sparse matrix in place, like Encode. Missing elements are 0, and
// the values have the same bits as those of full rows. o is the origin of row 0. It returns the
// rows and the number of rows without a direction, as in Batch.Blank. The rows are copies if rows
// without a direction get an additional element.
func (e *Encoder) EncodeSparse(a *sparse.Rows, o table.Origin) (rows *sparse.Rows, blank int, err error) {
	none, err := e.encodeSparse(a, o)
	if err != nil {
		return nil, 0, err
	}
	a.Tidy() // a share may round to 0 in single precision
	if e.blank {
		a = addElement(a, none)
	}
	return a, len(none), nil
}

// addElement returns the rows with an additional column, which is 1 in the given rows (ascending)
// and 0 in all others.
func addElement(a *sparse.Rows, rows []int) *sparse.Rows {
	index, data := make([]int, 0, a.NNZ()+len(rows)), make([]float64, 0, a.NNZ()+len(rows))
	start := make([]int, 1, a.N()+1)
	for i := range a.N() {
		j, v := a.Row(i)
		index, data = append(index, j...), append(data, v...)
		if len(rows) > 0 && rows[0] == i {
			index, data, rows = append(index, a.M()), append(data, 1), rows[1:]
		}
		start = append(start, len(index))
	}
	return sparse.NewRows(a.N(), a.M()+1, start, index, data)
}

// encodeSparse encodes everything except the element of rows without a direction. It returns these
// rows.
func (e *Encoder) encodeSparse(a *sparse.Rows, o table.Origin) (none []int, err error) {
	if err := e.CheckSparse(o); err != nil {
		return nil, err
	}
	if a.M() != e.inner {
		return nil, o.BadColumn(e.vector, "the vectors have %d elements, %d are expected", a.M(), e.inner).Suggest("every vector of a map has one length")
	}
	var row []float32
	for i := range a.N() {
		index, data := a.Row(i)
		row = row[:0]
		for p, v := range data {
			if e.log1p {
				v = log1p(v)
			}
			if e.metric == Hellinger && v < 0 {
				return nil, e.metric.refuse(o, i, e.vector, nil, index[p], belowZero(v))
			}
			row = append(row, float32(v))
		}
		if e.metric.warps() {
			at, problem := metricRow(e.metric.entry(), row, row)
			if problem != "" && e.metric.directs() {
				clear(row)
				none = append(none, i)
			} else if problem != "" {
				return nil, e.metric.refuse(o, i, e.vector, nil, at, problem)
			}
		}
		for p, v := range row {
			data[p] = float64(v)
		}
	}
	return none, nil
}

// sparse reads files that are all sparse matrices and concatenates their rows. It returns false
// without reading if the first is not sparse, or too narrow to stay sparse.
func (l *loader) sparse() (*Dataset, bool, error) {
	d := &Dataset{Encoder: l.opts.Encoder}
	var rows []*sparse.Rows
	parts := &parts{}
	for i, path := range l.paths {
		a, n, err := l.oneSparse(path, d)
		if err != nil {
			return nil, true, err
		}
		if a == nil && i == 0 {
			return nil, false, nil
		}
		if a == nil {
			return nil, true, table.Origin{File: path}.Bad("it holds no sparse matrix, as %s does", l.paths[0]).Suggest("learn from files of one kind")
		}
		labels, err := l.labels(i)
		if err != nil {
			return nil, true, err
		}
		if err := parts.label(labels, n, path, l.opts.LabelFiles, i); err != nil {
			return nil, true, err
		}
		rows = append(rows, a)
		d.Files = append(d.Files, FileRows{path, n})
		l.progress("read", n, 0)
	}
	if d.Encoder.metric == Cosine && l.opts.Encoder == nil && slices.ContainsFunc(rows, hasEmpty) {
		d.Encoder.blank = true
		d.Encoder.finish()
	}
	for i, a := range rows {
		encoded, blank, err := d.Encoder.EncodeSparse(a, table.Origin{File: l.paths[i]})
		if err != nil {
			return nil, true, err
		}
		rows[i] = encoded
		d.Blank += blank
	}
	if d.Sparse = sparse.StackRows(rows...); d.Sparse.N() == 0 {
		return nil, true, table.Origin{File: l.paths[0]}.Bad("there are no rows")
	}
	d.Origin = table.Origin{File: l.paths[0]}
	return d, true, parts.join(d)
}

// hasEmpty reports whether there is a row of zeros.
func hasEmpty(a *sparse.Rows) bool {
	for i := range a.N() {
		if _, data := a.Row(i); !slices.ContainsFunc(data, func(v float64) bool { return v != 0 }) {
			return true
		}
	}
	return false
}

// oneSparse reads the rows of a file, nil if there are none that stay sparse. The first file fits
// the encoder of d, if it has none.
func (l *loader) oneSparse(path string, d *Dataset) (*sparse.Rows, int, error) {
	if input.ReadOnce(path) {
		return nil, 0, nil
	}
	r, err := Open(l.ctx, path, l.opts.Options)
	if err != nil {
		return nil, 0, err
	}
	defer r.Close()
	s, is := SparseOf(r)
	if !is || s.Schema()[0].Dim <= l.opts.Sparse {
		return nil, 0, nil
	}
	o := table.Origin{File: path}
	if d.Encoder == nil {
		if d.Encoder, err = l.sparseEncoder(s, path); err != nil {
			return nil, 0, err
		}
	}
	for _, name := range d.Encoder.Selection().Passing() {
		if _, there := s.Schema().Find(name); !there {
			return nil, 0, table.UnknownColumn(o, name, s.Schema().Names())
		}
	}
	if err := d.Encoder.CheckSparse(o); err != nil {
		return nil, 0, err
	}
	a, err := s.Matrix(l.ctx)
	if err != nil {
		return nil, 0, err
	}
	return a, a.N(), nil
}

// sparseColumn reports whether the vectors of a source come from a column of sparse vectors.
func (l *loader) sparseColumn(s table.Schema) bool {
	if l.fitter != nil {
		return l.fitter.sparse != nil
	}
	f, _ := s.Find(l.encoder.vector)
	return f.Kind == table.SparseVector
}

// gather encodes a source of sparse vectors that stay sparse, and returns the row after its last,
// counted from at.
func (l *loader) gather(r table.Reader, at int, p *parts) (int, error) {
	for t, err := range table.All(l.ctx, r) {
		if err != nil {
			return at, err
		}
		a, blank, err := l.encoder.sparseRows(t)
		if err != nil {
			return at, t.Located(err)
		}
		p.blank += blank
		b, err := l.encoder.choice.pass(t)
		if err != nil {
			return at, t.Located(err)
		}
		if err := p.appendBatch(b, t.Origin); err != nil {
			return at, err
		}
		l.thin = append(l.thin, a)
		at += t.Len()
		l.progress("read", t.Len(), l.total)
	}
	return at, nil
}

// sparseRows returns the encoded rows of a table's column of sparse vectors, and the number of rows
// without a direction.
func (e *Encoder) sparseRows(t *table.Table) (a *sparse.Rows, blank int, err error) {
	c, err := t.Need(e.vector)
	if err != nil {
		return nil, 0, err
	}
	if c.Kind() != table.SparseVector {
		return nil, 0, t.Origin.BadColumn(c.Name(), "its type is %s, and before it came sparse vectors", c.DataType()).Suggest("learn from files of one kind")
	}
	start, index, data := make([]int, 1, c.Len()+1), []int(nil), []float64(nil)
	rows := table.NewSparseRows(c, t.Origin, false)
	for i := range c.Len() {
		if err := rows.ReadOf(i, e.inner); err != nil {
			return nil, 0, err
		}
		for p, j := range rows.Index {
			index, data = append(index, int(j)), append(data, float64(float32(rows.Value[p])))
		}
		start = append(start, len(index))
	}
	return e.EncodeSparse(sparse.NewRows(c.Len(), e.inner, start, index, data), t.Origin)
}

// sparseEncoder returns the encoder for a matrix's rows.
func (l *loader) sparseEncoder(s table.Sparse, path string) (*Encoder, error) {
	m := l.opts.Mapping
	m.AsIs = true // subtraction would fill the rows; sparse handles empty rows
	f, err := FitterOf(l.ctx, s, m, path)
	if err != nil {
		return nil, err
	}
	e := &Encoder{metric: m.Metric} // refused options, before anything is learnt from the rows
	switch {
	case m.Fill:
		e.fill = make([]float32, 1)
	case m.Standardize:
		e.element = make([]scale, 1)
	}
	if err := e.CheckSparse(table.Origin{File: path}); err != nil {
		return nil, err
	}
	return f.Encoder()
}

// Len returns the number of rows.
func (d *Dataset) Len() int {
	if d.Sparse != nil {
		return d.Sparse.N()
	}
	return d.X.Rows
}

// ofSparse returns the profile of a sparse matrix. Only its first rows are passed to see in full.
func (p *Profile) ofSparse(ctx context.Context, s table.Sparse, see func(*table.Table)) (*Profile, error) {
	a, err := s.Matrix(ctx)
	if err != nil {
		return nil, err
	}
	entries, c := a.NNZ(), &p.Columns[0]
	for _, v := range a.Values() {
		c.widen(v)
	}
	if entries < a.N()*a.M() {
		c.widen(0)
	}
	p.Rows, p.Entries, p.Vector = int64(a.N()), &entries, c.Name
	if a.N() == 0 || see == nil {
		return p, nil
	}
	t, err := s.Next(ctx)
	if err == nil {
		see(t)
	}
	return p, err
}

// ofEntries sets the profile's entries if the vector column is sparse.
func (p *Profile) ofEntries() {
	for i := range p.Columns {
		if c := &p.Columns[i]; c.Name == p.Vector && c.Kind == table.SparseVector {
			p.Entries = &c.Entries
			if c.Zeros() > 0 {
				c.widen(0)
			}
		}
	}
}

// seeSparse adds sparse vectors, and stores the first error.
func (c *ColumnProfile) seeSparse(col table.Column, o table.Origin) {
	rows := table.NewSparseRows(col, o, true)
	for i := range col.Len() {
		if rows.Lacks(i) {
			c.Missing++
		}
		if rows.IsNull(i) {
			continue
		}
		if err := rows.Read(i, maxDim); err != nil {
			if c.Problem == nil {
				c.Problem = err
			}
			continue
		}
		c.read++
		c.Width = max(c.Width, rows.Width())
		for _, v := range rows.Value {
			if c.widen(v); v != 0 {
				c.Entries++
			}
		}
	}
}

// Zeros returns the share of zeros among the values of sparse vectors; 0 for other columns.
func (c *ColumnProfile) Zeros() float64 {
	if c.Width == 0 {
		return 0
	}
	return 1 - float64(c.Entries)/(float64(c.read)*float64(c.Width))
}

// mostFull is the memory limit in bytes of sparse rows that are filled, for commands that cannot
// use sparse rows.
const mostFull = 16 << 30

// checkFull returns an error if sparse rows would take too much memory in full.
func checkFull(r table.Reader, path string) error {
	s, is := SparseOf(r)
	if !is {
		return nil
	}
	rows, _ := s.NumRows()
	return checkRoom(table.Origin{File: path}, rows, s.Schema()[0].Dim)
}

// checkRoom returns an error if this number of sparse rows would take too much memory in full.
func checkRoom(o table.Origin, rows int64, dim int) error {
	row := 4 * int64(dim)
	if most := mostFull / row; rows > most {
		return o.Bad("its rows are sparse, and take %d MiB in full, as they are taken here", rows*row>>20).
			Suggest("fit, embed and inspect take them as they are; of others give at most %d rows", most)
	}
	return nil
}

var _ table.Sparse = (*matrix.Reader)(nil)
