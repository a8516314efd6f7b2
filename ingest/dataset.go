package ingest

import (
	"context"
	"io"
	"runtime"
	"sync"

	"unfold/ingest/csv"
	"unfold/ingest/input"
	"unfold/ingest/jsonrec"
	"unfold/ingest/table"
	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse"
)

// Dataset is all rows of some files in memory, encoded, as a model is fitted on them.
type Dataset struct {
	// Batch contains all rows in the order of the files. If labels came from label files, Kept
	// contains the column "label".
	Batch
	// Sparse are the rows if they stay sparse (ReadOptions.Sparse); X is then empty.
	Sparse *sparse.Rows
	// Wide are the rows in double precision, before anything is subtracted, if ReadOptions.Double
	// asks for them. Otherwise it is empty.
	Wide vec.Matrix[float64]
	// Lost describes rows that differ only in double precision; nil if there are none.
	Lost *Lost
	// Encoder is the given encoder, or the one that was fitted on these rows.
	Encoder *Encoder
	// Files are the numbers of rows of each file.
	Files []FileRows
	// Left are the columns that "*" omitted when Encoder was fitted. Holes are those whose missing
	// values were filled in then.
	Left  []Left
	Holes []Hole
	// Guesses are sentences that describe uncertain guesses about the format of text files.
	Guesses []string
	// Dropped is the number of rows that were dropped because a value was missing.
	Dropped int
	// Drawn is the sample of the files' rows that the dataset has (ReadOptions.Most). It is nil if
	// the dataset has all rows. Blank and Dropped count all rows of the files.
	Drawn *Drawn

	// hashes are the hashes of the rows as given, if X may have rounded them.
	hashes []uint64
}

// FileRows is the number of rows of a file, including those that were not drawn.
type FileRows struct {
	Path string
	Rows int
}

// ReadOptions are the options of ReadAll.
type ReadOptions struct {
	Options
	// Mapping selects the columns to use. With Encoder only its Selection counts.
	Mapping Mapping
	// Encoder is an encoder that was fitted before, or nil to fit one on the data.
	Encoder *Encoder
	// Sparse is the number of elements above which sparse rows stay sparse; 0 turns all of them
	// into full rows. It applies to files with sparse matrices and to columns of sparse vectors.
	Sparse int
	// Double selects whether the rows are also returned in double precision.
	Double Double
	// LabelFiles are files with labels, one for each data file in order.
	LabelFiles []string
	// Most, if not nil, returns the largest number of rows to keep. Its arguments are the number of
	// rows of all files and the length of a vector. If there are more rows, that many are drawn
	// with Seed and stay in the order of the files. Sparse rows are never drawn. Drawn rows are
	// always in single precision.
	Most func(rows, dim int) (int, error)
	Seed uint64
	// Room, if not nil, allocates the matrix for the rows.
	Room func(rows, cols int) vec.Matrix[float32]
	// Progress, if not nil, is called with the number of rows read so far. In the stage "survey"
	// the total is unknown (0); the second stage is "read".
	Progress func(stage string, done, total int64)
}

// Double selects when rows are read in double precision.
type Double int

// The zero value is Never. Rounded means only if single precision changes a value.
const (
	Never Double = iota
	Rounded
	Always
)

// ReadAll reads files into memory. It reads them twice unless the number of rows is known and
// nothing has to be fitted. So it needs memory for one float32 matrix and no second copy; only
// standard input is kept as read.
//
// Errors about the data are *Error.
func ReadAll(ctx context.Context, paths []string, opts ReadOptions) (*Dataset, error) {
	if len(paths) == 0 {
		return nil, table.Origin{}.Bad("no input is named")
	}
	if len(opts.LabelFiles) > 0 && len(opts.LabelFiles) != len(paths) {
		return nil, table.Origin{}.Bad("there are %d label files for %d inputs", len(opts.LabelFiles), len(paths)).
			Suggest("name one label file for each input, in the same order")
	}
	opts.inferred, opts.looked = map[string]csv.Inferred{}, map[string]jsonrec.Columns{}
	l := &loader{ctx: ctx, opts: opts, paths: paths}
	if opts.Sparse > 0 {
		if d, are, err := l.sparse(); are || err != nil {
			return d, err
		}
	}
	if err := l.survey(); err != nil {
		return nil, err
	}
	return l.load()
}

// loader is the state of one ReadAll.
type loader struct {
	ctx     context.Context
	opts    ReadOptions
	paths   []string
	encoder *Encoder
	rows    []int64 // of each file, if known
	total   int64
	mu      sync.Mutex // guards done
	done    int64
	held    map[string]*heldReader // standard input
	entries bool                   // the first source has a column of sparse vectors
	thin    []*sparse.Rows         // rows of such a column, if they stay sparse; otherwise nil
	fitter  *Fitter                // nil if the encoder was given
	guesses []string
	double  *double // nil if single precision is known to change nothing
	drawn   *Drawn  // nil if all rows are held
}

func (l *loader) progress(stage string, n int, total int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.done += int64(n)
	if l.opts.Progress != nil {
		l.opts.Progress(stage, l.done, total)
	}
}

// survey fits the encoder and counts the rows.
func (l *loader) survey() error {
	l.encoder = l.opts.Encoder
	l.rows = make([]int64, len(l.paths))
	dropped := int64(0)
	for i, path := range l.paths {
		r, err := l.open(path)
		if err != nil {
			return err
		}
		l.guesses = addGuesses(l.guesses, r, path)
		if i == 0 {
			l.opts.Mapping = l.opts.Mapping.ofMap(r.Schema())
		}
		if l.encoder == nil && l.fitter == nil {
			if l.fitter, err = FitterOf(l.ctx, r, l.opts.Mapping, path); err != nil {
				r.Close()
				return err
			}
		}
		if i == 0 {
			l.entries = l.sparseColumn(r.Schema())
		}
		if l.fitter != nil {
			table.Narrow(r, l.fitter.needs())
		}
		r = l.whole(r)
		l.rows[i], err = l.count(r, l.fitter)
		if w, is := r.(*Whole); is {
			dropped += int64(w.Dropped())
		}
		r.Close()
		if err != nil {
			return err
		}
		l.total += l.rows[i]
	}
	if l.total == 0 {
		return noRows(table.Origin{File: l.paths[0]}, dropped)
	}
	if l.encoder == nil {
		var err error
		l.encoder, err = l.fitter.Encoder()
		return err
	}
	l.encoder = l.encoder.With(l.opts.Mapping.Selection)
	return nil
}

// whole drops rows with missing values if the mapping demands it.
func (l *loader) whole(r table.Reader) table.Reader {
	if l.fitter != nil {
		return l.fitter.Reader(r)
	}
	if l.opts.Mapping.Drop {
		return OnlyWhole(r, l.encoder.Columns())
	}
	return r
}

// count returns the number of rows of a source. It reads the source only if necessary.
func (l *loader) count(r table.Reader, fitter *Fitter) (int64, error) {
	known, ok := int64(0), false
	if c, is := r.(table.Counted); is {
		known, ok = c.NumRows()
	}
	needs := fitter != nil && fitter.NeedsPass()
	var n int64
	for {
		if ok && !needs && (fitter == nil || fitter.Settled() || known == n) {
			return known, nil
		}
		t, err := r.Next(l.ctx)
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		if fitter != nil {
			if err := fitter.Add(t); err != nil {
				return 0, err
			}
		}
		n += int64(t.Len())
		l.progress("survey", t.Len(), 0)
	}
}

// load encodes every row into one matrix.
func (l *loader) load() (*Dataset, error) {
	x, err := l.room()
	if err != nil {
		return nil, err
	}
	d := &Dataset{Encoder: l.encoder, Guesses: l.guesses}
	if l.fitter != nil {
		d.Left, d.Holes = l.fitter.Left(), l.fitter.Holes()
	}
	d.Drawn = l.drawn
	l.double = l.doubles()
	parts := &parts{}
	at := 0
	l.done = 0
	for i, path := range l.paths {
		from := at
		labels, err := l.labels(i)
		if err != nil {
			return nil, err
		}
		r, err := l.open(path)
		if err != nil {
			return nil, err
		}
		if err := l.encoder.Check(r.Schema(), path); err != nil {
			r.Close()
			return nil, err
		}
		table.Narrow(r, l.encoder.Needs())
		r = l.whole(r)
		if l.thin != nil {
			at, err = l.gather(r, at, parts)
		} else {
			at, err = l.fillAll(r, path, x, from, parts)
		}
		r.Close()
		if err != nil {
			return nil, err
		}
		if w, is := r.(*Whole); is {
			d.Dropped += w.Dropped()
			if labels, err = w.Of(labels); err != nil {
				return nil, err
			}
		}
		if err := parts.label(labels, at-from, path, l.opts.LabelFiles, i); err != nil {
			return nil, err
		}
		if err := parts.draw(l.drawn, from); err != nil {
			return nil, err
		}
		d.Files = append(d.Files, FileRows{path, at - from})
	}
	if int64(at) != l.total {
		return nil, table.Origin{File: l.paths[0]}.Bad("the files changed while they were read: %d rows, then %d", l.total, at)
	}
	d.X, d.Sparse = x, sparse.StackRows(l.thin...)
	d.Origin = table.Origin{File: l.paths[0]}
	if l.double != nil {
		d.Wide, d.hashes = l.double.rows, l.double.hashes
		if d.Lost, err = l.lost(d); err != nil {
			return nil, err
		}
	}
	return d, parts.join(d)
}

// room allocates the matrix for the rows, without rows if they stay sparse.
func (l *loader) room() (x vec.Matrix[float32], err error) {
	dim := l.encoder.Dim()
	if o := (table.Origin{File: l.paths[0]}); l.entries && l.opts.Sparse > 0 && dim > l.opts.Sparse {
		l.thin = []*sparse.Rows{}
		return x, l.encoder.CheckSparse(o)
	} else if l.entries {
		if err := checkRoom(o, l.total, dim); err != nil {
			return x, err
		}
	}
	rows := int(l.total)
	if l.opts.Most != nil {
		most, err := l.opts.Most(rows, dim)
		if err != nil {
			return x, err
		}
		if most < rows {
			l.drawn, rows = Draw(rows, most, l.opts.Seed), most
		}
	}
	if l.opts.Room != nil {
		return l.opts.Room(rows, dim), nil
	}
	return vec.New[float32](rows, dim), nil
}

// fillAll encodes one source. at is the number of its first row among the rows of all sources.
// fillAll returns the number after its last row. It encodes parts of the source concurrently if the
// format allows it. The result equals that of fill.
func (l *loader) fillAll(r table.Reader, path string, x vec.Matrix[float32], at int, p *parts) (int, error) {
	parted, ok := r.(table.Parted)
	if !ok {
		return l.fill(r, x, at, int(l.total), p)
	}
	readers, err := parted.Parts(runtime.GOMAXPROCS(0))
	if err != nil {
		return at, err
	}
	if len(readers) < 2 {
		return l.fill(r, x, at, int(l.total), p)
	}
	from, own, errs := make([]int, len(readers)+1), make([]parts, len(readers)), make([]error, len(readers))
	from[0] = at
	for i, part := range readers {
		n, _ := part.(table.Counted).NumRows()
		from[i+1] = from[i] + int(n)
	}
	if from[len(readers)] > int(l.total) {
		return at, table.Origin{File: path}.Bad("the file grew while it was read")
	}
	par.Do(len(readers), len(readers), func(i int) {
		_, errs[i] = l.fill(readers[i], x, from[i], from[i+1], &own[i])
	})
	for i := range own {
		if errs[i] != nil {
			return at, errs[i]
		}
		p.append(&own[i])
	}
	return from[len(readers)], nil
}

// fill encodes one source. at is the number of its first row among the rows of all sources. fill
// returns the number after its last row, which must not exceed end.
func (l *loader) fill(r table.Reader, x vec.Matrix[float32], at, end int, p *parts) (int, error) {
	var scratch vec.Matrix[float32]
	for t, err := range table.All(l.ctx, r) {
		if err != nil {
			return at, err
		}
		if at+t.Len() > end {
			return at, t.Origin.Bad("the file grew while it was read")
		}
		var b *Batch
		if l.drawn == nil {
			b, err = l.encode(t, x, at)
		} else {
			if scratch.Rows < t.Len() {
				scratch = vec.New[float32](t.Len(), x.Cols)
			}
			b, err = l.encodeDrawn(t, x, at, scratch.Slice(0, t.Len()))
		}
		if err != nil {
			return at, err
		}
		if err := p.appendBatch(b, t.Origin); err != nil {
			return at, err
		}
		at += t.Len()
		l.progress("read", t.Len(), l.total)
	}
	return at, nil
}

// encodeDrawn encodes a table into scratch and copies its drawn rows to x. at is the number of its
// first row among the rows of all sources.
func (l *loader) encodeDrawn(t *table.Table, x vec.Matrix[float32], at int, scratch vec.Matrix[float32]) (*Batch, error) {
	b, err := l.encoder.EncodeInto(t, scratch)
	if err != nil {
		return nil, err
	}
	out, err := l.drawn.take(b, at, x)
	return out, t.Located(err)
}

// open opens a source. A source that can be read only once is kept for the second pass.
func (l *loader) open(path string) (table.Reader, error) {
	if kept, ok := l.held[path]; ok {
		kept.next = 0
		return kept, nil
	}
	r, err := Open(l.ctx, path, l.opts.Options)
	if err != nil {
		return nil, err
	}
	if err := checkFull(r, path); err != nil {
		r.Close()
		return nil, err
	}
	if !input.ReadOnce(path) {
		return r, nil
	}
	tables, err := readTables(l.ctx, r)
	if err != nil {
		return nil, err
	}
	if len(tables) == 0 {
		return nil, table.Origin{File: path}.Bad("there are no rows")
	}
	h := &heldReader{schema: r.Schema(), tables: tables}
	l.held = map[string]*heldReader{path: h}
	return h, nil
}

func (l *loader) labels(i int) (table.Column, error) {
	if len(l.opts.LabelFiles) == 0 {
		return table.Column{}, nil
	}
	return OpenLabels(l.ctx, l.opts.LabelFiles[i], l.opts.Options)
}

func readTables(ctx context.Context, r table.Reader) ([]*table.Table, error) {
	defer r.Close()
	var out []*table.Table
	for t, err := range table.All(ctx, r) {
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// heldReader reads tables from memory.
type heldReader struct {
	schema table.Schema
	tables []*table.Table
	next   int
}

func (h *heldReader) Schema() table.Schema { return h.schema }
func (h *heldReader) Close() error         { return nil }

func (h *heldReader) Next(ctx context.Context) (*table.Table, error) {
	if h.next == len(h.tables) {
		return nil, io.EOF
	}
	h.next++
	return h.tables[h.next-1], ctx.Err()
}
