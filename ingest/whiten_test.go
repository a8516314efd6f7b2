package ingest_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// leaning returns a table whose columns a to c correlate, on scales of 1e-3 to 1e6. Column d is the
// sum of two of them, e is constant and number counts the rows.
func leaning(t *testing.T, n int) *table.Table {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 1))
	var columns [5][]float64
	numbers := make([]int64, n)
	for i := range n {
		u, v, w := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		a, b, c := 1e6+1e3*u, 1e-3*(u+v/2), 7+w-u
		for k, x := range []float64{a, b, c, 2*a + c, 4} {
			columns[k] = append(columns[k], x)
		}
		numbers[i] = int64(i + 1)
	}
	out := make([]table.Column, 6)
	for k, name := range []string{"a", "b", "c", "d", "e"} {
		out[k] = table.Float64Column(name, columns[k])
	}
	out[5] = table.Int64Column("number", numbers)
	rows, err := table.NewTable(ingesttest.Here(), out...)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Whitened rows have variance 1 in all directions that the columns span, in units of the columns
// they belong to, whatever scale the columns have.
func TestWhitenedRows(t *testing.T) {
	records := leaning(t, 500)
	e := fit(t, ingest.Mapping{Columns: parse(t, "a,b,c,d,e"), Metric: ingest.Mahalanobis}, records)
	b, err := e.Encode(records)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(e.Names(), ","), "a,b,c,d,e"; got != want {
		t.Errorf("elements are %s, want %s", got, want)
	}
	sum := 0.0
	for i := range b.X.Rows {
		sum += vec.SquaredNorm(b.X.Row(i))
	}
	// a to d span three directions.
	if got := sum / float64(b.X.Rows-1); math.Abs(got-3) > 1e-4 {
		t.Errorf("the squared length of a row is %v on average, want 3", got)
	}
	for i := range b.X.Rows {
		if b.X.Row(i)[4] != 0 {
			t.Fatalf("the constant column has the element %v", b.X.Row(i)[4])
		}
	}
}

// Rows come back from their whitened form, and an error of it is in units of the deviations.
func TestUndoWhitened(t *testing.T) {
	records := leaning(t, 300)
	columns := make([]table.Column, 3)
	for k, name := range []string{"a", "b", "c"} {
		columns[k], _ = records.Column(name)
	}
	u, as := undone(t, ingest.Mapping{Columns: parse(t, "a,b,c"), Metric: ingest.Mahalanobis}, columns...)
	for k, name := range []string{"a", "b", "c"} {
		for i := range records.Len() {
			want, _ := columns[k].Float(i)
			if got, ok := as["vector."+name].Float(i); !ok || math.Abs(got-want) > 1e-5*math.Abs(want)+1e-7 {
				t.Fatalf("%s of row %d comes back as %v, want %v", name, i, got, want)
			}
		}
	}
	if want := 0.01 * 1e3 / math.Sqrt(3); math.Abs(float64(u.Sigma[0])-want) > 0.1*want { // a's deviation outweighs the others
		t.Errorf("error %v, want about %v", u.Sigma[0], want)
	}
}

// A written encoder encodes the same bits. Columns that identify rows are no part of the covariance.
func TestWhiteningIsKept(t *testing.T) {
	records := leaning(t, 200)
	all := fit(t, ingest.Mapping{Columns: parse(t, "*"), Metric: ingest.Mahalanobis}, records)
	some := fit(t, ingest.Mapping{Columns: parse(t, "a,b,c,d,e"), Metric: ingest.Mahalanobis}, records)
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var again ingest.Encoder
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	want, err := some.Encode(records)
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]*ingest.Encoder{"as read": &again, "of all columns": all} {
		if got, err := e.Encode(records); err != nil || !slices.Equal(got.X.Data, want.X.Data) {
			t.Errorf("%s: other rows, error %v", name, err)
		}
	}
	if !strings.HasPrefix(string(text), `{"version":4,`) {
		t.Errorf("it is written as %.20s", text)
	}
	for bad, said := range map[string]string{
		`{"version":4,"vector":"v","dim":2,"metric":"mahalanobis"}`:                                                    "a matrix goes with the metric mahalanobis",
		`{"version":4,"vector":"v","dim":2,"metric":"mahalanobis","whiten":{"mean":[1],"deviation":[1],"root":[1]}}`:   "is not one of 2 elements",
		`{"version":4,"vector":"v","dim":1,"metric":"cosine","whiten":{"mean":[1],"deviation":[1],"root":[1]}}`:        "and this is cosine",
		`{"version":4,"vector":"v","dim":1,"metric":"mahalanobis","whiten":{"mean":[1],"deviation":[1],"root":[1,2]}}`: "is not one of 1 elements",
	} {
		if err := json.Unmarshal([]byte(bad), new(ingest.Encoder)); err == nil || !strings.Contains(err.Error(), said) {
			t.Errorf("%s: error %v, want one with %q", bad, err, said)
		}
	}
}

// A missing value becomes the mean of its column, and its row is no part of the covariance.
func TestWhitenedRowsWithMissingValues(t *testing.T) {
	records := leaning(t, 300)
	a, _ := records.Column("a")
	b, _ := records.Column("b")
	holes := make([]float64, records.Len())
	for i := range holes {
		if holes[i], _ = b.Float(i); i == 7 {
			holes[i] = math.NaN()
		}
	}
	with, err := table.NewTable(ingesttest.Here(), a, table.Float64Column("b", holes))
	if err != nil {
		t.Fatal(err)
	}
	complete, err := table.NewTable(ingesttest.Here(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	m := ingest.Mapping{Columns: parse(t, "a,b"), Metric: ingest.Mahalanobis, Fill: true}
	got, err := fit(t, m, with).Encode(with)
	if err != nil {
		t.Fatal(err)
	}
	want, err := fit(t, m, complete).Encode(complete)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.X.Rows {
		if d := math.Sqrt(vec.SquaredDistance(got.X.Row(i), want.X.Row(i))); !(d < 0.1) && i != 7 || i == 7 && (!(d < 4) || d == 0) {
			t.Errorf("row %d is %v from its place without a missing value", i, d)
		}
	}
}

// Options that the metric makes meaningless are refused, as are columns without a covariance.
func TestWhiteningRefuses(t *testing.T) {
	records := flows(t)
	for columns, want := range map[string]string{
		"rate,bytes:standardize": `leave out the options of column "bytes"`,
		"rate:weight=2":          `leave out the options of column "rate"`,
		"rate,proto":             `column "proto": the metric mahalanobis takes numbers and booleans; leave the column out`,
	} {
		_, err := ingest.NewFitter(ingest.Mapping{Columns: parse(t, columns), Metric: ingest.Mahalanobis}, records.Schema())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", columns, err, want)
		}
	}
	for name, m := range map[string]ingest.Mapping{"standardize": {Standardize: true}, "mixed": {Mixed: true}} {
		m.Metric = ingest.Mahalanobis
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), "leave out "+name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
