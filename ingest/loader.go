package ingest

import (
	"context"
	"io"
	"iter"
	"runtime"
	"sync"

	"unfold/ingest/table"
	"unfold/internal/par"
	"unfold/internal/vec"
	"unfold/sparse"
)

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
	known, ok := table.RowsOf(r)
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
	d := &Dataset{Encoder: l.encoder, Guesses: l.guesses, Drawn: l.drawn}
	if l.fitter != nil {
		d.Left, d.Holes = l.fitter.Left(), l.fitter.Holes()
	}
	l.double = l.doubles()
	parts := &parts{}
	at := 0
	l.done = 0
	for i, path := range l.paths {
		n, err := l.file(i, x, at, d, parts)
		if err != nil {
			return nil, err
		}
		d.Files = append(d.Files, FileRows{path, n})
		at += n
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

// file encodes the rows of file i into x from row at on, and adds its labels. It returns the number
// of its rows.
func (l *loader) file(i int, x vec.Matrix[float32], at int, d *Dataset, parts *parts) (int, error) {
	path := l.paths[i]
	labels, err := l.labels(i)
	if err != nil {
		return 0, err
	}
	r, err := l.open(path)
	if err != nil {
		return 0, err
	}
	if err := l.encoder.Check(r.Schema(), path); err != nil {
		r.Close()
		return 0, err
	}
	table.Narrow(r, l.encoder.Needs())
	r = l.whole(r)
	var end int
	if l.thin != nil {
		end, err = l.gather(r, at, parts)
	} else {
		end, err = l.fillAll(r, path, x, at, parts)
	}
	r.Close()
	if err != nil {
		return 0, err
	}
	if w, is := r.(*Whole); is {
		d.Dropped += w.Dropped()
		if labels, err = w.Of(labels); err != nil {
			return 0, err
		}
	}
	if err := parts.label(labels, end-at, path, l.opts.LabelFiles, i); err != nil {
		return 0, err
	}
	return end - at, parts.draw(l.drawn, at)
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
		return l.fillFrom(table.Ahead(l.ctx, r), x, at, int(l.total), p)
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
	return l.fillFrom(table.All(l.ctx, r), x, at, end, p)
}

func (l *loader) fillFrom(tables iter.Seq2[*table.Table, error], x vec.Matrix[float32], at, end int, p *parts) (int, error) {
	var scratch vec.Matrix[float32]
	for t, err := range tables {
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

func (l *loader) labels(i int) (table.Column, error) {
	if len(l.opts.LabelFiles) == 0 {
		return table.Column{}, nil
	}
	return OpenLabels(l.ctx, l.opts.LabelFiles[i], l.opts.Options)
}
