package cli

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"slices"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/humanize"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/input"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/budget"
	"unfold/models/score"
	"unfold/stream/embed"
)

// leastLearnt is the least number of rows that a fit learns if --memory has no room for all of
// them. A stage waits for the same number before its first map.
const leastLearnt = 2000

// leastBase is assumed to be the memory of the process when it starts, if that is less and a quarter of
// the limit at most. It varies by some MiB, and the same command should learn the same rows.
const leastBase = 72 << 20

// most returns the number of rows to learn: all rows of the job, or as many as fit in --memory. The
// error is a refusal.
func (f *fitRun) most(job budget.Job) (int, error) {
	_, err := plan(job, f.limit)
	if !isRefusal(err) {
		return job.Rows, nil // the fit itself reports other errors
	}
	m := 0
	if job.Entries == 0 {
		job.Base = max(job.Base, min(leastBase, f.limit/4))
		m = budget.Most(job, f.limit)
	}
	if m < leastLearnt || m >= job.Rows {
		return 0, err
	}
	if why := f.undrawn(); why != "" {
		return 0, &refused{fmt.Sprintf("%v; %s", err, why)}
	}
	return m, nil
}

// undrawn returns the reason why all rows have to be learnt, or "" if a sample can be drawn.
func (f *fitRun) undrawn() string {
	for _, path := range f.inputs {
		if input.ReadOnce(path) {
			return fmt.Sprintf("%s can be read only once, and a fit of more rows than have room reads them twice: give a file", table.Origin{File: path})
		}
	}
	with := func(flag string) string {
		return "with " + flag + " all rows are learnt; without it as many as have room, and the others are placed"
	}
	switch {
	case f.frame != "":
		return with("--frame")
	case f.NeighborsFile != "":
		return with("--neighbors-file")
	case f.Numbers:
		return with("--numbers")
	case f.groups != nil:
		return with("--clusters") + ": unfold clusters takes their map"
	}
	if m := f.read.Mapping; f.Map != "" && (m.Label == UnlearntName || slices.Contains(m.Keep, UnlearntName)) {
		return fmt.Sprintf("column %q cannot be kept where rows are placed: the map has a column of that name itself; rename it in the input", UnlearntName)
	}
	return ""
}

// draw implements ingest.ReadOptions.Most.
func (f *fitRun) draw(rows, dim int) (int, error) {
	m, err := 0, error(nil)
	if f.rest != nil && f.rest.learnt.Of == rows {
		m = f.rest.learnt.Count
	} else {
		job := f.job
		job.Rows, job.Dim, job.Kept = rows, dim, keptBytes(f.read)
		m, err = f.most(job)
	}
	if err == nil && m < rows {
		others := "the others are placed on their map"
		if f.Map == "" {
			others = "without --map the others are not read again"
		}
		f.p.note("--memory %s has room to learn from %s of %s, drawn uniformly by --seed %d; %s",
			f.Memory, humanize.Count(m), humanize.Plural(rows, "row"), f.job.Spec.Seed, others)
	}
	return m, err
}

// beyond merges the map of the drawn rows with the places of the others.
type beyond struct {
	f     *fitRun
	drawn *ingest.Drawn
	// learnt are the drawn rows.
	learnt *emit.Output
	// ranked and classed are samples of the placed rows. The report compares them with the input
	// and with the labels. Their row numbers count placed rows only. They are nil without a report.
	ranked, classed *ingest.Drawn
	x, at           []float32 // vectors and places of the ranked rows
	labelled        []float32 // places of the classed rows
	labels          []string
}

// others returns the number of rows that are not drawn.
func (b *beyond) others() int { return b.drawn.Of - b.drawn.Count }

func newBeyond(f *fitRun) *beyond {
	b := &beyond{f: f, drawn: f.data.Drawn}
	if b.learnt = f.taken; b.learnt == nil {
		kept := f.data.Kept
		b.learnt = mapOf(f.data, f.snap, f.result, f.classes, nil, false)
		f.data.Kept = kept
	}
	if f.job.Scored {
		n := b.others()
		some := func(most int) *ingest.Drawn { return ingest.Draw(n, min(n, most), f.model.Seed) }
		b.ranked = some(mostRanked)
		if most := f.ranked(b.drawn.Count); most > 0 {
			b.ranked = some(most)
		}
		if f.data.Label != nil {
			b.classed = some(mostClassified)
		}
	}
	return b
}

// merge overwrites the drawn rows of a placed table with the learnt results. It adds the column
// UnlearntName, which marks rows that were not learnt.
func (b *beyond) merge(m *embed.Map, t *table.Table, o *emit.Output) error {
	first := int(o.FirstRow)
	if first+o.Len() > b.drawn.Of {
		return t.Origin.Bad("the file grew while it was read")
	}
	unlearnt := make([]bool, o.Len())
	for i := range unlearnt {
		row := first + i
		if !b.drawn.Has(row) {
			unlearnt[i] = true
			if err := b.see(m, t, o, i, row-b.drawn.Before(row)); err != nil {
				return err
			}
			continue
		}
		k := b.drawn.Before(row)
		unlearnt[i] = b.f.result.Unlearnt != nil && b.f.result.Unlearnt[k]
		from := b.learnt
		copy(o.Embedding.Row(i), from.Embedding.Row(k))
		for _, c := range []struct{ to, from []float32 }{
			{o.Sigma, from.Sigma}, {o.NoveltyLocal, from.NoveltyLocal}, {o.NoveltyGlobal, from.NoveltyGlobal},
			{o.Probability, from.Probability}, {o.ClassEntropy, from.ClassEntropy},
		} {
			if c.to != nil && c.from != nil {
				c.to[i] = c.from[k]
			}
		}
		if o.Class != nil && from.Class != nil {
			o.Class[i] = from.Class[k]
		}
		if o.ClassShares != nil && from.ClassShares != nil {
			o.ClassShares[i] = from.ClassShares[k]
		}
	}
	o.Kept = append(slices.Clone(o.Kept), table.BoolColumn(UnlearntName, unlearnt))
	return nil
}

// see records the values of row i of a table that the report needs. placed is the number of the row
// among the placed rows.
func (b *beyond) see(m *embed.Map, t *table.Table, o *emit.Output, i, placed int) error {
	if b.ranked != nil && b.ranked.Has(placed) {
		one, err := m.Encoder().Encode(t.Slice(i, i+1))
		if err != nil {
			return err
		}
		if vec.Finite(one.X.Data) { // rows with missing values have no distances
			b.x, b.at = append(b.x, one.X.Data...), append(b.at, o.Embedding.Row(i)...)
		}
	}
	if b.classed == nil || !b.classed.Has(placed) {
		return nil
	}
	name := ingest.LabelName
	if len(b.f.LabelFile) == 0 {
		name = b.f.read.Mapping.Label
	}
	for _, c := range o.Kept {
		if c.Name() == name {
			b.labels, b.labelled = append(b.labels, c.Text(i)), append(b.labelled, o.Embedding.Row(i)...)
			break
		}
	}
	return nil
}

// writeBoth writes the model, and the map of learnt and placed rows. It keeps its progress in the
// folder of unfinished work, from where the model goes to its place at the end.
func (f *fitRun) writeBoth(ctx context.Context, outputs *transaction) error {
	f.beyond = newBeyond(f)
	if f.rest == nil {
		f.rest = f.keep(f.beyond.learnt)
	}
	if f.rest == nil {
		if err := f.writeModel(outputs); err != nil {
			return err
		}
	}
	f.clock.lap("write")
	err := f.placeOthers(ctx, outputs)
	f.rest.close()
	if err != nil {
		f.rest.explain()
		return err
	}
	f.clock.lap("place")
	if f.rest != nil && f.Output != "" {
		// It comes after the map: should that fail, the model stays in the folder.
		outputs.outputs = append(outputs.outputs, pendingFile{f.Output, func() error { return os.Rename(f.rest.model(), f.Output) }, func() {}})
	}
	return nil
}

// placeOthers reads the inputs again, places the rows that were not drawn, and writes the map of all
// rows.
func (f *fitRun) placeOthers(ctx context.Context, outputs *transaction) error {
	f.room.release()
	debug.FreeOSMemory() // placing needs less memory than learning
	settings := *f.settings
	search := config.Defaults(f.p.Kinds...).Model // as embed places without options
	settings.Model.Search, settings.Model.Recall = search.Search, search.Recall
	e, err := embedderOf(f.snap, f.written(), f.Map, &settings, embed.Explain{})
	if err != nil {
		return err
	}
	e.noted, e.merge, e.rest = true, f.beyond.merge, f.rest
	w, err := createMap(f.Map, f.p.Stdout, len(f.inputs) == 1)
	if err != nil {
		return err
	}
	w = emit.Behind(w)
	outputs.outputs = append(outputs.outputs, pendingFile{f.Map, w.Close, w.Abort})
	f.p.progress.Stage("place", "rows", int64(f.beyond.drawn.Of))
	if err := e.files(ctx, f.p, f.inputs, f.read.Options, f.LabelFile, w); err != nil {
		return err
	}
	if of := int64(f.beyond.drawn.Of); e.rows != of {
		return table.Origin{File: f.inputs[0]}.Bad("the files changed while they were read: %d rows, then %d", of, e.rows)
	}
	f.p.progress.End()
	return nil
}

// placedReport describes the rows that were placed because --memory has no room to learn them.
type placedReport struct {
	// Rows is the number of placed rows.
	Rows int `json:"rows"`
	// NN1 and NN9 are the shares of LabelledRows placed rows whose label equals the label of the
	// nearest learnt row, and the vote of the 9 nearest.
	NN1          *float64 `json:"nn1,omitempty"`
	NN9          *float64 `json:"nn9,omitempty"`
	LabelledRows int      `json:"labelled_rows,omitempty"`
	// Trustworthiness is estimated from RankedRows placed rows, each ranked among the learnt rows.
	Trustworthiness *float64      `json:"trustworthiness,omitempty"`
	RankedRows      int           `json:"ranked_rows,omitempty"`
	Errors          *placedErrors `json:"standard_errors,omitempty"`
}

type placedErrors struct {
	NN1             *float64 `json:"nn1,omitempty"`
	NN9             *float64 `json:"nn9,omitempty"`
	Trustworthiness *float64 `json:"trustworthiness,omitempty"`
}

// report measures the trustworthiness and the accuracy of the placed rows among the learnt rows. It
// returns nil for a nil b.
func (b *beyond) report(ctx context.Context) (*placedReport, error) {
	if b == nil {
		return nil, nil
	}
	f, out := b.f, &placedReport{Rows: b.others(), Errors: &placedErrors{}}
	at, dims := f.result.Placed.Mu, f.result.Placed.Mu.Cols
	s := score.Settings{Distance: f.snap.Distance, Seed: f.model.Seed, Threads: f.model.Threads, K: min(12, (f.data.X.Rows-1)/2)}
	if rows := len(b.at) / dims; rows > 0 && s.K >= 1 {
		f.p.progress.Stage("structure of placed rows", "", 0)
		t, e, err := score.Placed(ctx, f.data.X, at, vec.Of(rows, f.data.X.Cols, b.x), vec.Of(rows, dims, b.at), b.others(), s)
		if err != nil {
			return nil, err
		}
		out.Trustworthiness, out.RankedRows, out.Errors.Trustworthiness = &t, rows, &e
	}
	class, names := score.Classes(append(slices.Clone(f.data.Label), b.labels...))
	train, test := class[:len(f.data.Label)], class[len(f.data.Label):]
	has := func(class []int32) bool {
		return slices.ContainsFunc(class, func(c int32) bool { return c != score.Missing })
	}
	if len(names) == 0 || !has(train) || !has(test) {
		return out, nil
	}
	f.p.progress.Stage("accuracy of placed rows", "", 0)
	wrong, err := score.HeldOutError(ctx, at, train, vec.Of(len(test), dims, b.labelled), test, []int{1, 9}, s)
	if models.IsBadInput(err) { // fewer than nine labelled rows
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for _, c := range test {
		if c != score.Missing {
			out.LabelledRows++
		}
	}
	one, nine := 1-wrong[0], 1-wrong[1]
	out.NN1, out.NN9 = &one, &nine
	out.Errors.NN1, out.Errors.NN9 = shareError(one, out.LabelledRows), shareError(nine, out.LabelledRows)
	return out, nil
}
