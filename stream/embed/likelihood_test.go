package embed

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/models"
	"unfold/models/fit"
	"unfold/stream/embed/embedtest"
)

// Rows have a column of likelihoods if that is asked for: rows like those that were learnt higher ones
// than others, and the same in any batch. The name is reserved then, and only then.
func TestLogLik(t *testing.T) {
	ctx, s := context.Background(), flowMap(t, 0)
	in := flowTable(t, []int64{20, 30, 5_000_000}, []float64{0.5, 0.25, 900}, []string{"http", "smtp", "http"})
	open := func(set Settings) (*Map, error) {
		set.Files = true
		m, err := Open(s, set)
		if err != nil {
			t.Fatal(err)
		}
		return m.For(in.Schema(), "in")
	}
	m, err := open(Settings{LogLik: true})
	if err != nil {
		t.Fatal(err)
	}
	o, err := m.Table(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	if len(o.LogLik) != 3 || !(o.LogLik[2] < o.LogLik[0]-10 && o.LogLik[2] < o.LogLik[1]-10) {
		t.Errorf("the log-likelihoods are %v: that of the last is to be far below", o.LogLik)
	}
	a, err := m.Ask(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	if part := a.Output(a.Batch, 1, 3).LogLik; !slices.Equal(part, o.LogLik[1:]) {
		t.Errorf("a part has %v of %v", part, o.LogLik)
	}
	if m, err = open(Settings{}); err != nil {
		t.Fatal(err)
	}
	if o, err := m.Table(ctx, in); err != nil || o.LogLik != nil {
		t.Errorf("without being asked for: %v, %v", o.LogLik, err)
	}
	named := Settings{Mapping: ingest.Mapping{Selection: ingest.Selection{Keep: []string{emit.LogLikName}}}}
	if err := named.Check(); err != nil {
		t.Error(err)
	}
	if named.LogLik = true; named.Check() == nil {
		t.Error("a kept column has the name of the likelihoods")
	}
}

// A kind without a likelihood is refused when the map is opened.
func TestNoLogLik(t *testing.T) {
	mapping := ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "bytes"}, {Name: "rate"}}}
	s := embedtest.FitOf(t, flows(t, 1, 60), mapping, fit.Spec{Kind: "isomap", Common: models.Common{Seed: 1, Threads: 1}})
	_, err := Open(s, Settings{Files: true, LogLik: true})
	var setting *models.SettingError
	if !errors.As(err, &setting) || setting.Name != "loglik" || !strings.Contains(setting.Problem, "isomap") {
		t.Errorf("got %v", err)
	}
}
