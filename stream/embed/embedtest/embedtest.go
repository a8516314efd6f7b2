// Package embedtest has a small data set and a small model of it, for tests of placing.
package embedtest

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/snapshot"
)

// Dim is the length of the vectors.
const Dim = 4

// Sample makes a table of events: ids in column "event", counted from first on, one of three
// classes each in "class", and vectors in "v" near the centre of their class.
func Sample(t testing.TB, rng *rand.Rand, first int64, rows int) *table.Table {
	t.Helper()
	x := vec.New[float32](rows, Dim)
	ids, class := make([]int64, rows), make([]string, rows)
	for i := range rows {
		c := rng.IntN(3)
		ids[i], class[i] = first+int64(i), strings.Repeat("c", c+1)
		for k := range Dim {
			x.Row(i)[k] = float32(rng.NormFloat64()) + 6*float32(c*(k%2))
		}
	}
	out, err := table.NewTable(table.Origin{}, table.Int64Column("event", ids), table.StringColumn("class", class), table.VectorColumn("v", x))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Fit learns a small map, version 3, of such a table in the given number of steps: "event" is the
// id, "class" is kept.
func Fit(t testing.TB, records *table.Table, steps int) *snapshot.Snapshot {
	t.Helper()
	mapping := ingest.Mapping{Selection: ingest.Selection{ID: "event", Keep: []string{"class"}}}
	return FitOf(t, records, mapping, fit.Spec{Common: models.Common{Steps: steps, Seed: 1, Threads: 1}})
}

// FitOf is Fit for any table, with its columns mapped by mapping.
func FitOf(t testing.TB, records *table.Table, mapping ingest.Mapping, spec fit.Spec) *snapshot.Snapshot {
	t.Helper()
	f, err := ingest.NewFitter(mapping, records.Schema())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Add(records); err != nil {
		t.Fatal(err)
	}
	e, err := f.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	b, err := e.Encode(records)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := fit.Fit(t.Context(), b.X, spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.Encoder, err = json.Marshal(e); err != nil {
		t.Fatal(err)
	}
	s.Version, s.MapID = 3, snapshot.NewMapID()
	return s
}
