package embed

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/snapshot"
	"unfold/stream/embed/embedtest"
)

// flows returns records of plain columns: bytes from 12 to 40 in steps of one, a rate, a service.
func flows(t testing.TB, seed uint64, n int) *table.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	bytes, rate, service := make([]int64, n), make([]float64, n), make([]string, n)
	for i := range n {
		bytes[i], rate[i] = int64(12+r.IntN(29)), float64(r.IntN(1000))/1000
		service[i] = []string{"http", "http", "smtp"}[r.IntN(3)]
	}
	return flowTable(t, bytes, rate, service)
}

func flowTable(t testing.TB, bytes []int64, rate []float64, service []string) *table.Table {
	t.Helper()
	out, err := table.NewTable(table.Origin{}, table.Int64Column("bytes", bytes), table.Float64Column("rate", rate), table.StringColumn("service", service))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// flowMap returns a map of flows, after the given number of principal components.
func flowMap(t testing.TB, pca int) *snapshot.Snapshot {
	t.Helper()
	mapping := ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "bytes", Log1p: true, Standardize: true}, {Name: "rate", Standardize: true}, {Name: "service"}}}
	return embedtest.FitOf(t, flows(t, 1, 300), mapping, fit.Spec{Common: models.Common{Steps: 3, Seed: 1, Threads: 1}, PCA: pca})
}

// asked explains records of a file.
func asked(t testing.TB, s *snapshot.Snapshot, records *table.Table, how Explain) *Asked {
	t.Helper()
	m, err := Open(s, Settings{Files: true})
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.For(records.Schema(), "in"); err != nil {
		t.Fatal(err)
	}
	a, err := m.Ask(t.Context(), records)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Explain(t.Context(), how); err != nil {
		t.Fatal(err)
	}
	return a
}

// Reasons have the source's columns, directions, original values and the neighbours' values,
// exactly; after principal components to four digits.
func TestReasonsAreInTheWordsOfTheSource(t *testing.T) {
	odd := flowTable(t, []int64{51000, 0, 20, 25}, []float64{0.5, 0.25, 0.125, -9}, []string{"http", "http", "telnet", "smtp"})
	for _, c := range []struct {
		name string
		pca  int
	}{{"as they are", fit.PCANone}, {"after components", 4}} {
		t.Run(c.name, func(t *testing.T) {
			a := asked(t, flowMap(t, c.pca), odd, Explain{Columns: 9})
			for i, want := range []emit.Reason{
				{Column: "bytes", Direction: emit.Above, Value: 51000},
				{Column: "bytes", Direction: emit.Below, Value: 0},
				{Column: "service", Direction: emit.Other, Text: true, Category: "telnet"},
				{Column: "rate", Direction: emit.Below, Value: -9},
			} {
				why := a.Why()[i]
				got, sum := why.Reasons[0], 0.0
				for _, r := range why.Reasons {
					sum += r.Share
				}
				if got.Column != want.Column || got.Direction != want.Direction || got.Category != want.Category || !want.Text && got.Value != want.Value || got.Share < 0.5 {
					t.Errorf("event %d: %+v, want %+v", i, got, want)
				}
				if math.Abs(sum-1) > 1e-9 && c.pca == fit.PCANone {
					t.Errorf("event %d: shares sum to %v", i, sum)
				}
				switch {
				case want.Text:
					if got.Expected != "http" && got.Expected != "smtp" || !math.IsNaN(got.Value) {
						t.Errorf("event %d: %+v", i, got)
					}
				case want.Column == "bytes":
					if got.Low < 11.9 || got.High > 40.1 || got.Low > got.High || c.pca == fit.PCANone && (got.Low != math.Round(got.Low) || got.High != math.Round(got.High)) {
						t.Errorf("event %d: expected %v to %v", i, got.Low, got.High)
					}
				case got.Low < -0.01 || got.High > 1.01:
					t.Errorf("event %d: expected %v to %v", i, got.Low, got.High)
				}
				if len(why.Neighbors) != 10 || !slices.IsSortedFunc(why.Neighbors, func(a, b emit.Neighbor) int {
					return int(math.Copysign(1, float64(a.Distance-b.Distance)))
				}) {
					t.Errorf("event %d: neighbours %v", i, why.Neighbors)
				}
			}
		})
	}
}

// Events above the percentile are explained, and the others have nulls.
func TestWhichAreExplained(t *testing.T) {
	s := flowMap(t, fit.PCANone)
	records := flows(t, 7, 200)
	a := asked(t, s, records, Explain{Columns: 2, Above: 0.9})
	out := a.All()
	explained := 0
	for i, why := range a.Why() {
		above := max(out.NoveltyLocal[i], out.NoveltyGlobal[i]) > 0.9
		if (why != nil) != above || (out.Reasons[i] != nil) != above || len(out.Reasons[i]) > 2 {
			t.Errorf("event %d of novelties %v and %v: %v", i, out.NoveltyLocal[i], out.NoveltyGlobal[i], why)
		}
		if above {
			explained++
		}
	}
	if explained < 5 || explained > 100 {
		t.Errorf("%d of %d events are explained", explained, records.Len())
	}
	if none := asked(t, s, records, Explain{}); none.Why() != nil || none.All().Reasons != nil {
		t.Error("nobody asked, and there are reasons")
	}
	m, err := Open(s, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if got := asked(t, s, records, Explain{Columns: 1}).Why()[0].Neighbors[0].ID; strings.Trim(got, "0123456789") != "" {
		t.Errorf("a point without an id is %q", got)
	}
	ids := make([]string, s.Reference.Rows)
	for i := range ids {
		ids[i] = fmt.Sprint("e", i)
	}
	named := *s
	named.IDs = ids
	if m := opened(t, &named, Settings{}); m.PointID(4) != "e4" {
		t.Error("points of a snapshot with ids are not named by them")
	}
	m = m.WithPointIDs(ids)
	if m.PointID(3) != "e3" || m.WithPointIDs(make([]string, len(ids))).PointID(3) != "3" {
		t.Error("points are not named by their ids")
	}
}

// Events get the same explanations in a message, in one among others and in a part of one as in a
// table.
func TestExplainedMessages(t *testing.T) {
	s := flowMap(t, 3)
	m, err := Open(s, Settings{Explain: Explain{Columns: 2, Above: 0.5}})
	if err != nil {
		t.Fatal(err)
	}
	tables := []*table.Table{flows(t, 11, 5), flows(t, 12, 1), flows(t, 13, 70)}
	out := agree(t, m, m, tables)
	for i, records := range tables {
		back, err := arrowfmt.DecodeMessage(out[i].Value, table.Origin{}, arrowfmt.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := back.Column(emit.ReasonsName); !ok || c.Len() != records.Len() {
			t.Errorf("message %d has %s", i, back.Schema())
		}
	}
}

// alone is a placer without neighbours.
type alone struct{ models.Placer }

func (a alone) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	out, err := a.Placer.Place(ctx, x)
	out.Near = nil
	return out, err
}

func TestNotExplained(t *testing.T) {
	s := learnt(t)
	for _, c := range []struct {
		name string
		x    Explain
		keep []string
		want string
	}{
		{"fewer than none", Explain{Columns: -1}, nil, "positive"},
		{"no percentile", Explain{Columns: 1, Above: 1.5}, nil, "percentile"},
		{"not a number", Explain{Columns: 1, Above: math.NaN()}, nil, "percentile"},
		{"a kept column", Explain{Columns: 1}, []string{"reasons"}, `"reasons" cannot be kept`},
	} {
		t.Run(c.name, func(t *testing.T) {
			set := Settings{Explain: c.x, Mapping: ingest.Mapping{Selection: ingest.Selection{Keep: c.keep}}}
			if err := set.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
		})
	}
	m := opened(t, s, Settings{Explain: Explain{Columns: 1}})
	m.placer = alone{m.placer}
	if _, err := m.Table(t.Context(), sample(t, rand.New(rand.NewPCG(1, 2)), 3)); !models.IsBadInput(err) || !strings.Contains(err.Error(), "no neighbours") {
		t.Errorf("a model without neighbours: %v", err)
	}
}

// A fleet that explains events, in each format, satisfies the pipeline's promises.
func TestExplainedFormats(t *testing.T) {
	testFormats(t, Settings{Explain: Explain{Columns: 2, Above: 0.3}})
}

func BenchmarkExplain(b *testing.B) {
	for _, c := range []struct {
		name string
		pca  int
	}{{"plain", fit.PCANone}, {"components", 4}} {
		b.Run(c.name, func(b *testing.B) {
			a := asked(b, flowMap(b, c.pca), flows(b, 5, 5000), Explain{})
			for b.Loop() {
				if err := a.Explain(b.Context(), Explain{Columns: 5}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*5000)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
