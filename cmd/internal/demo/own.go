package demo

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"unfold/cmd/internal/humanize"
	"unfold/cmd/internal/progress"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream"
)

const (
	// least is the minimum number of events of a demo: half of them make the first map.
	least = 22
	// most is the maximum size of the vectors in bytes, because the broker keeps them in memory.
	most = 1 << 30
	// judged is the number of rows that are encoded at once to find bad ones.
	judged = 64
	// perMessage is the maximum number of events in a message of a long stream, and messageBytes
	// the maximum bytes of vectors.
	perMessage, messageBytes = 20, 256 << 10
	// playTime is the default duration of the first round, slowest the minimum number of events a
	// second.
	playTime = 15 * time.Second
	slowest  = 500
)

// Files are the files to play as a stream, with their options.
type Files struct {
	Paths   []string
	Options ingest.Options
	Mapping ingest.Mapping
	// Columns are the settings that Mapping was made from, by the paths of their keys.
	Columns map[string]string
	// Time is the column that the events are sorted by; "" keeps the order of the files.
	Time string
	// JSON creates messages of one event each in JSON, instead of Arrow IPC streams.
	JSON bool
	// Progress reports the number of rows read (may be nil).
	Progress *progress.Reporter
}

// Own returns the stream of the user's own files.
func Own(ctx context.Context, f Files) (*Stream, error) {
	c := &cutter{Files: f}
	if err := c.survey(ctx); err != nil {
		return nil, err
	}
	if err := c.cut(ctx); err != nil {
		return nil, err
	}
	return c.stream()
}

// cutter creates messages from files.
type cutter struct {
	Files
	encoder *ingest.Encoder
	left    []ingest.Left
	rows    int
	per     int // events in a message

	distinct [][]float32 // the first few

	messages [][]byte
	bad      int
	reason   error
}

// survey counts the rows and learns the encoding of vectors.
func (c *cutter) survey(ctx context.Context) error {
	c.Progress.Stage("survey", "rows", 0)
	var fitter *ingest.Fitter
	err := c.each(ctx, func(path string, r table.Reader) (err error) {
		if _, there := r.Schema().Find(c.Time); c.Time != "" && !there {
			return table.UnknownColumn(table.Origin{File: path}, c.Time, r.Schema().Names())
		}
		if fitter == nil {
			fitter, err = ingest.FitterOf(ctx, r, c.Mapping, path)
		}
		return err
	}, func(t *table.Table) error {
		c.rows += t.Len()
		c.Progress.Set(int64(c.rows))
		if err := fitter.Add(t); !rowIsBad(err) {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	if c.rows == 0 {
		return table.Origin{File: c.Paths[0]}.Bad("there are no rows")
	}
	if c.encoder, err = fitter.Encoder(); err != nil {
		return err
	}
	c.left = fitter.Left()
	row := 4 * c.encoder.Dim()
	if c.rows > most/row {
		return table.Origin{File: c.from()}.Bad("%s of %s are more than the demo plays: it keeps all in memory, %s at most",
			humanize.Plural(c.rows, "row"), humanize.Plural(c.encoder.Dim(), "value"), humanize.Bytes(most)).
			Suggest("give it fewer rows, or learn the map from the files: unfold fit")
	}
	if c.JSON {
		c.per = 1
		return nil
	}
	c.per = max(1, min(c.rows/100, perMessage, messageBytes/row))
	return nil
}

// rowIsBad reports whether an error concerns a single row only.
func rowIsBad(err error) bool {
	var e *table.Error
	return errors.As(err, &e) && e.Row >= 0
}

// each reads all files; open is called with every reader, and next with every table.
func (c *cutter) each(ctx context.Context, open func(path string, r table.Reader) error, next func(*table.Table) error) error {
	for _, path := range c.Paths {
		if err := c.read(ctx, path, open, next); err != nil {
			return table.InFile(path, err)
		}
	}
	return nil
}

func (c *cutter) read(ctx context.Context, path string, open func(path string, r table.Reader) error, next func(*table.Table) error) error {
	r, err := ingest.Open(ctx, path, c.Options)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := open(path, r); err != nil {
		return err
	}
	for t, err := range table.All(ctx, r) {
		if err == nil {
			err = next(t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cut creates the messages, in the order of the files or of the events' times.
func (c *cutter) cut(ctx context.Context) error {
	c.Progress.Stage("read", "rows", int64(c.rows))
	var tables []*table.Table
	var bad []bool // rows of tables
	done := 0
	err := c.each(ctx, func(path string, r table.Reader) error { return c.encoder.Check(r.Schema(), path) }, func(t *table.Table) error {
		wrong, err := c.judge(t)
		if err != nil {
			return err
		}
		done += t.Len()
		c.Progress.Set(int64(done))
		if c.Time == "" {
			return c.add(t, wrong)
		}
		column, err := t.Need(c.Time)
		if err == nil {
			_, err = table.TimeOrder(column, t.Origin)
		}
		tables, bad = append(tables, t), append(bad, wrong...)
		return err
	})
	if err != nil || c.Time == "" {
		return err
	}
	return c.addInTime(tables, bad)
}

// addInTime divides tables into messages in the order of the events' times; bad marks rows of all
// of them.
func (c *cutter) addInTime(tables []*table.Table, bad []bool) error {
	all, err := table.ConcatTables(tables...)
	if err != nil {
		return err
	}
	column, err := all.Need(c.Time)
	if err != nil {
		return err
	}
	order, err := table.TimeOrder(column, all.Origin)
	if err != nil {
		return err
	}
	rows := make([]int, all.Len())
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(order[a], order[b]) })
	// Rows are taken in chunks, because taking text needs time quadratic in its length.
	for some := range slices.Chunk(rows, c.per*100) {
		t, err := take(all, some)
		if err != nil {
			return err
		}
		wrong := make([]bool, len(some))
		for i, row := range some {
			wrong[i] = bad[row]
		}
		if err := c.add(t, wrong); err != nil {
			return err
		}
	}
	return nil
}

// judge finds the rows of a table that cannot be encoded.
func (c *cutter) judge(t *table.Table) ([]bool, error) {
	bad := make([]bool, t.Len())
	for from := 0; from < t.Len(); from += judged {
		to := min(from+judged, t.Len())
		if err := c.judgeFew(t.Slice(from, to), bad[from:to]); err != nil {
			return nil, err
		}
	}
	return bad, nil
}

// judgeFew tests some rows, and if one is bad, the rows on either side of it.
func (c *cutter) judgeFew(t *table.Table, bad []bool) error {
	if t.Len() == 0 {
		return nil
	}
	b, err := c.encoder.Encode(t)
	if err == nil {
		c.compare(b.X)
		return nil
	}
	var e *table.Error
	if !errors.As(err, &e) || e.Row < t.Origin.Row || e.Row >= t.Origin.Row+int64(t.Len()) {
		return err
	}
	at := int(e.Row - t.Origin.Row)
	bad[at] = true
	if c.bad++; c.reason == nil {
		c.reason = err
	}
	if err := c.judgeFew(t.Slice(0, at), bad[:at]); err != nil {
		return err
	}
	if at+1 == t.Len() {
		return nil
	}
	return c.judgeFew(t.Slice(at+1, t.Len()), bad[at+1:])
}

// compare counts distinct vectors, until there are enough.
func (c *cutter) compare(x vec.Matrix[float32]) {
	for i := 0; i < x.Rows && len(c.distinct) < least/2; i++ {
		if row := x.Row(i); !slices.ContainsFunc(c.distinct, func(seen []float32) bool { return slices.Equal(seen, row) }) {
			c.distinct = append(c.distinct, slices.Clone(row))
		}
	}
}

// add divides a table into messages. A bad row gets a message of its own, so that only this row
// becomes a dead letter.
func (c *cutter) add(t *table.Table, bad []bool) error {
	for from := 0; from < t.Len(); {
		to := from + 1
		for !bad[from] && to < t.Len() && !bad[to] && to-from < c.per {
			to++
		}
		part := t.Slice(from, to)
		from = to
		if c.JSON {
			c.messages = append(c.messages, emit.EncodeRowsJSON(part)...)
			continue
		}
		m, err := emit.EncodeTable(part)
		if err != nil {
			return err
		}
		c.messages = append(c.messages, m)
	}
	return nil
}

// from names the files.
func (c *cutter) from() string {
	if len(c.Paths) == 1 {
		return filepath.Base(c.Paths[0])
	}
	return humanize.Plural(len(c.Paths), "file")
}

// stream returns the stream of all messages, with suitable settings.
func (c *cutter) stream() (*Stream, error) {
	good := c.rows - c.bad
	o := table.Origin{File: c.from()}
	switch {
	case good == 0:
		return nil, c.reason
	case good < least:
		e := o.Bad("%s that can be placed: too few for a stream that becomes a map, which takes %d", humanize.Plural(good, "row"), least)
		if c.reason != nil {
			e = e.Because(fmt.Errorf("%s cannot; the first: %w", humanize.Plural(c.bad, "row"), c.reason))
		}
		return nil, e
	case len(c.distinct) < least/2:
		return nil, o.Bad("%s, but only %s: too few for a map", humanize.Plural(good, "row"), humanize.Plural(len(c.distinct), "distinct vector")).
			Suggest("name more of the columns in which events differ")
	}
	s := &Stream{
		Topic: "events", From: c.from(), Event: "event", By: c.Mapping.Label, Events: c.rows, Unplaceable: c.bad, Reason: c.reason, Left: c.left,
		title: "Events on the map that unfold learnt from their stream", alike: humanize.Plural(c.encoder.Dim(), "value"),
		columns: c.yaml(), messages: c.messages, contentType: stream.ContentType,
	}
	if c.JSON {
		s.contentType = emit.JSONType
	}
	s.Rate = max(slowest, int(float64(c.rows)/playTime.Seconds()))
	s.min = max(least/2, min(good/2, max(50, min(good/10, 1000))))
	s.size = max(s.min, min(good, 8000))
	return s, nil
}

// yaml returns the configuration of the columns.
func (c *cutter) yaml() string {
	var b strings.Builder
	for _, path := range slices.Sorted(maps.Keys(c.Columns)) {
		fmt.Fprintf(&b, "  %s: %s\n", strings.TrimPrefix(path, "source."), quote(c.Columns[path]))
	}
	return b.String()
}
