package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"gonum.org/v1/gonum/stat"

	"unfold/bench/internal/harness"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models/fit"
	"unfold/models/snapshot"
	"unfold/stream/embed"
)

//go:embed peers.py
var peersProgram []byte

//go:embed requirements.txt
var requirements []byte

// method is a method that names columns.
type method struct {
	Name string
	// Columns are the columns of each event, by descending contribution.
	Columns [][]string
	// Seconds is the time per event, Asked the number of evaluations of the score.
	Seconds, Asked float64
}

// outcome is the result on one data set.
type outcome struct {
	Key, Name               string
	Rows, Columns, Elements int
	Label                   []string
	Methods                 []method
	// Sum is the largest error of the sum of all shares, Score that of the peers' score.
	Sum, Score float64
	// Rate is the number of explained events per second, for Many events. Whole includes placing.
	Many        int
	Rate, Whole float64
	// Others is the share of the processors that other processes used while Rate was measured.
	Others       float64
	Shap, Python string
	Background   int
	Toy          bool
}

// measure applies all methods to one data set's attacks.
func (b *bench) measure(ctx context.Context, s set) (*outcome, error) {
	began := time.Now()
	in, err := s.open(filepath.Join(b.data, s.file))
	if err != nil {
		return nil, err
	}
	defer in.Close()
	normal, strange, err := draw(in, b.rows, b.each, 1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	names, err := columnNames()
	if err != nil {
		return nil, err
	}
	records, err := normal.table(names)
	if err != nil {
		return nil, err
	}
	asked, err := strange.table(names)
	if err != nil {
		return nil, err
	}
	o := &outcome{Key: s.key, Name: s.name, Rows: len(normal.label), Columns: len(names), Label: strange.label, Background: b.background, Toy: b.small}
	for _, way := range []struct {
		name string
		pca  int
	}{{"unfold", fit.PCANone}, {"unfold, after components", min(fit.DefaultPCA, len(names))}} {
		m, snap, err := mapOf(ctx, records, way.pca, b.threads)
		if err != nil {
			return nil, err
		}
		a, err := m.Ask(ctx, asked)
		if err != nil {
			return nil, err
		}
		if err := o.own(ctx, way.name, m, a, asked); err != nil {
			return nil, err
		}
		if way.pca == fit.PCANone {
			o.Elements = snap.Dim
			if err := o.rate(ctx, m, asked, b.many); err != nil {
				return nil, err
			}
			if err := b.peersOf(ctx, o, m, a, snap); err != nil {
				return nil, err
			}
		}
	}
	b.say("%s in %v", s.name, time.Since(began).Round(time.Second))
	return o, nil
}

// own applies package reasons, and measures its time per event, including its search.
func (o *outcome) own(ctx context.Context, name string, m *embed.Map, a *embed.Asked, events *table.Table) error {
	if err := a.Explain(ctx, embed.Explain{Columns: o.Columns}); err != nil {
		return err
	}
	w := method{Name: name, Columns: make([][]string, len(o.Label)), Asked: 1}
	for i, why := range a.Why() {
		sum := 0.0
		for _, r := range why.Reasons {
			w.Columns[i] = append(w.Columns[i], r.Column)
			sum += r.Share
		}
		if name == "unfold" { // all columns are listed, and none reduces the distance
			o.Sum = max(o.Sum, math.Abs(sum-1))
		}
	}
	whole, _, err := seconds(ctx, m, repeated(events, 2000))
	w.Seconds = whole
	o.Methods = append(o.Methods, w)
	return err
}

// repeated returns at least n events by repeating t.
func repeated(t *table.Table, n int) *table.Table {
	all := []*table.Table{t}
	for rows := t.Len(); rows < n; rows += t.Len() {
		all = append(all, t)
	}
	out, err := table.ConcatTables(all...)
	if err != nil {
		panic(err) // the schemas are equal
	}
	return out
}

// reasonsWanted is the number of columns to name in timings.
const reasonsWanted = 5

// seconds returns the times per event of placing and explaining, and of explaining alone: the best
// of three.
func seconds(ctx context.Context, m *embed.Map, events *table.Table) (whole, alone float64, err error) {
	whole, alone = math.Inf(1), math.Inf(1)
	for range 3 {
		clock := time.Now()
		a, err := m.Ask(ctx, events)
		if err != nil {
			return 0, 0, err
		}
		placed := time.Now()
		if err := a.Explain(ctx, embed.Explain{Columns: reasonsWanted}); err != nil {
			return 0, 0, err
		}
		whole, alone = min(whole, time.Since(clock).Seconds()), min(alone, time.Since(placed).Seconds())
	}
	n := float64(events.Len())
	return whole / n, alone / n, nil
}

// rate measures the number of explained events per second.
func (o *outcome) rate(ctx context.Context, m *embed.Map, events *table.Table, many int) error {
	all := repeated(events, many)
	others, cpu := harness.Others(), harness.CPUSeconds()
	whole, alone, err := seconds(ctx, m, all)
	o.Others = others(time.Duration((harness.CPUSeconds() - cpu) * float64(time.Second)))
	o.Many, o.Whole, o.Rate = all.Len(), 1/whole, 1/alone
	return err
}

// peersOf lets the peers explain the same score of the same events.
func (b *bench) peersOf(ctx context.Context, o *outcome, m *embed.Map, a *embed.Asked, s *snapshot.Snapshot) error {
	if b.noPeers() {
		return nil
	}
	sources := m.Encoder().Sources()
	groups := make([]int, len(sources)+1)
	for c, from := range sources {
		groups[c+1] = from.To
	}
	settings := map[string]any{"groups": groups, "neighbors": s.NoveltyK, "background": b.background, "seed": 1}
	program, reference, events, file := b.file("peers.py"), b.file("reference.npy"), b.file("events.npy"), b.file("settings.json")
	if err := os.WriteFile(program, peersProgram, 0o666); err != nil {
		return err
	}
	if err := harness.WriteJSON(file, settings); err != nil {
		return err
	}
	for path, x := range map[string]vec.Matrix[float32]{reference: s.Reference, events: a.Batch.X} {
		if err := writeArray(path, x); err != nil {
			return err
		}
	}
	text, err := command(ctx, harness.Interpreter(b.peers.Dir(b.out)), program, reference, events, file)
	if err != nil {
		return err
	}
	var got struct {
		Shap, Python string
		Score        []float64
		Explainers   map[string]struct {
			Seconds, Asked float64
			Columns        [][]int
		}
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return fmt.Errorf("peers.py printed %.300q: %w", text, err)
	}
	o.Shap, o.Python = got.Shap, got.Python
	for i, why := range a.Why() {
		o.Score = max(o.Score, math.Abs(got.Score[i]-why.Global)/why.Global)
	}
	for _, name := range []string{"permutation", "kernel"} {
		e := got.Explainers[name]
		w := method{Name: "SHAP, " + name, Seconds: e.Seconds, Asked: e.Asked}
		for _, order := range e.Columns {
			var columns []string
			for _, c := range order {
				columns = append(columns, sources[c].Name)
			}
			w.Columns = append(w.Columns, columns)
		}
		o.Methods = append(o.Methods, w)
	}
	return nil
}

func writeArray(path string, x vec.Matrix[float32]) error {
	w, err := emit.Create(path, emit.WriteOptions{})
	if err != nil {
		return err
	}
	defer w.Abort()
	if err := w.Write(&emit.Output{Embedding: x}); err != nil {
		return err
	}
	return w.Close()
}

func command(ctx context.Context, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%w\n%s", err, exit.Stderr)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(name), err)
	}
	return out, nil
}

// precision returns the share of the first columns that identify an attack, relative to the
// possible number.
func precision(columns []string, known map[string]bool, first int) float64 {
	hits, possible := 0, min(first, len(known))
	for _, c := range columns[:min(first, len(columns))] {
		if known[c] {
			hits++
		}
	}
	return float64(min(hits, possible)) / float64(possible)
}

// precisions returns the means over each attack's events, in the order of attacks, NaN for one
// without events, and the mean of these.
func (o *outcome) precisions(m method, first int) (each []float64, mean float64) {
	count := 0.0
	for _, a := range attacks {
		of, _ := known(a.name)
		sum, n := 0.0, 0.0
		for i, label := range o.Label {
			if label == a.name {
				sum, n = sum+precision(m.Columns[i], of, first), n+1
			}
		}
		each = append(each, sum/n)
		if n > 0 {
			mean, count = mean+sum/n, count+1
		}
	}
	return each, mean / count
}

// ahead returns the difference of the precisions of the first method and another, as the mean over
// attacks with its standard error.
func (o *outcome) ahead(of method, first int) (mean, deviation float64) {
	own, _ := o.precisions(o.Methods[0], first)
	theirs, _ := o.precisions(of, first)
	var diff []float64
	for i, v := range own {
		if d := v - theirs[i]; !math.IsNaN(d) {
			diff = append(diff, d)
		}
	}
	mean, deviation = stat.MeanStdDev(diff, nil)
	return mean, stat.StdErr(deviation, float64(len(diff)))
}
