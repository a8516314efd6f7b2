package ingest_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"unfold/ingest"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// undone encodes columns and decodes the result, with an error of 0.01 in each row.
func undone(t *testing.T, m ingest.Mapping, columns ...table.Column) (u *ingest.Undone, as map[string]table.Column) {
	t.Helper()
	rows, err := table.NewTable(table.Origin{}, columns...)
	if err != nil {
		t.Fatal(err)
	}
	e := fit(t, m, rows)
	b, err := e.Encode(rows)
	if err != nil {
		t.Fatal(err)
	}
	u, as = e.Undo(b.X, slices.Repeat([]float32{0.01}, b.X.Rows)), map[string]table.Column{}
	for _, c := range u.Columns("vector") {
		as[c.Name()] = c
	}
	return u, as
}

// same reports whether numbers are equal in single precision.
func same(got, want float64) bool { return math.Abs(got-want) <= 2e-5*(1+math.Abs(want)) }

// Undo restores scaled and logarithmic numbers, shares of categories, times, and numbers that
// single precision cannot represent.
func TestUndoColumns(t *testing.T) {
	at := []time.Time{time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), time.Date(2024, 5, 2, 12, 0, 0, 0, time.UTC), time.Date(2024, 5, 4, 0, 0, 0, 0, time.UTC)}
	bytes, rate, north := []float64{0, 51000, -20}, []float64{0.5, 1.5, -2}, []float64{4649776.25, 4649777.5, 4649775.75}
	_, as := undone(t,
		ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "bytes", Log1p: true, Standardize: true}, {Name: "rate", Standardize: true, Weight: 3}, {Name: "service"}, {Name: "at"}, {Name: "north"}}},
		table.Float64Column("bytes", bytes), table.Float64Column("rate", rate), table.StringColumn("service", []string{"http", "ftp", "http"}),
		table.TimeColumn("at", at), table.Float64Column("north", north))
	for name, want := range map[string][]float64{"bytes": bytes, "rate": rate, "north": north, "service=http": {1, 0, 1}, "service=ftp": {0, 1, 0}, "service=?": {0, 0, 0}} {
		for i, v := range want {
			got, ok := as["vector."+name].Float(i)
			if !ok || !same(got, v) || name == "north" && got != v {
				t.Errorf("%s of row %d comes back as %v, want %v", name, i, got, v)
			}
		}
	}
	for i, v := range at {
		if got := as["vector.at"].Text(i); got != v.Format("2006-01-02 15:04:05Z") {
			t.Errorf("%v comes back as %s", v, got)
		}
	}
}

// Errors are transformed with the values: in a standardized column by its deviation.
func TestUndoErrors(t *testing.T) {
	u, _ := undone(t, ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "a", Standardize: true}, {Name: "b"}}},
		table.Float64Column("a", []float64{0, 200}), table.Float64Column("b", []float64{5, 6}))
	if want := 0.01 * math.Sqrt((100*100+1)/2.); !same(float64(u.Sigma[0]), want) {
		t.Errorf("an error of 0.01 becomes %g, want %g", u.Sigma[0], want)
	}
}

// Rows are restored for every metric, as far as the metric uses them.
func TestUndoMetrics(t *testing.T) {
	columns := []table.Column{table.Float64Column("a", []float64{1, 1, 0, 0}), table.Float64Column("b", []float64{0, 1, 1, 1}), table.Float64Column("c", []float64{0, 0, 0, 1})}
	third, half := math.Sqrt(1./3), math.Sqrt(0.5)
	want := map[ingest.Metric][][]float64{
		"": {{1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 1, 1}}, ingest.Hellinger: {{1, 0, 0}, {.5, .5, 0}, {0, 1, 0}, {0, .5, .5}},
		ingest.Cosine:      {{1, 0, 0}, {half, half, 0}, {0, 1, 0}, {0, half, half}},
		ingest.Correlation: {{2 * half * third, -half * third, -half * third}},
	}
	for _, m := range ingest.Metrics() {
		own := columns
		if m == ingest.Haversine {
			own = columns[:2]
		}
		mapping := ingest.Mapping{Metric: m, Columns: []ingest.ColumnSpec{{Name: "a"}, {Name: "b"}, {Name: "c"}}[:len(own)]}
		u, as := undone(t, mapping, own...)
		rows := want[m]
		if rows == nil {
			rows = want[""]
		}
		if u.X.Cols != len(own) || len(as) != len(own) {
			t.Fatalf("%s: %d values, %d columns", m, u.X.Cols, len(as))
		}
		for i, row := range rows {
			for k := range own {
				if got := u.X.Row(i)[k]; math.Abs(got-row[k]) > 1e-5 {
					t.Errorf("%s: row %d is %v, want %v", m, i, u.X.Row(i), row)
				}
			}
		}
	}
}

// The element for rows without a direction is omitted from decoded rows.
func TestUndoLeavesOutNoDirection(t *testing.T) {
	x := vec.Of(3, 2, []float32{3, 4, 0, 0, 1, 0})
	u, as := undone(t, ingest.Mapping{Metric: ingest.Cosine}, table.VectorColumn("v", x))
	if u.X.Cols != 2 || len(as) != 1 || !same(u.X.Row(0)[1], 0.8) || u.X.Row(1)[0] != 0 {
		t.Errorf("%d values: %v", u.X.Cols, u.X.Data)
	}
}

// A vector column is restored as one, also without rows.
func TestUndoVectors(t *testing.T) {
	x := vec.Of(3, 2, []float32{0, 10, 5, -3, 1000, 2})
	u, as := undone(t, ingest.Mapping{Log1p: true, Standardize: true}, table.VectorColumn("v", x))
	for i, v := range x.Data {
		if !same(u.X.Data[i], float64(v)) {
			t.Errorf("value %d comes back as %v, want %v", i, u.X.Data[i], v)
		}
	}
	if c := as["vector"]; len(as) != 1 || c.Len() != 3 {
		t.Errorf("columns %v", as)
	}
	rows, err := table.NewTable(table.Origin{}, table.VectorColumn("v", x))
	if err != nil {
		t.Fatal(err)
	}
	if u := fit(t, ingest.Mapping{}, rows).Undo(vec.New[float32](0, 2), nil); u.X.Rows != 0 || u.Columns("vector")[0].Len() != 0 {
		t.Errorf("no rows become %d", u.X.Rows)
	}
}
