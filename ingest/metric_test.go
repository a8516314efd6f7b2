package ingest_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/sparse/distance"
)

// tables contains files that other programs wrote; the script is in the same folder.
const tables = "../testdata/foreign/tables"

// metricTable returns a table with one column for each value of the rows.
func metricTable(t testing.TB, rows [][]float64) *table.Table {
	t.Helper()
	columns := make([]table.Column, len(rows[0]))
	for k := range columns {
		values := make([]float64, len(rows))
		for i := range rows {
			values[i] = rows[i][k]
		}
		columns[k] = table.Float64Column(fmt.Sprintf("c%d", k), values)
	}
	out, err := table.NewTable(ingesttest.Here(), columns...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// ofMetric encodes rows as plain columns with a metric.
func ofMetric(t testing.TB, m ingest.Metric, rows [][]float64) vec.Matrix[float32] {
	t.Helper()
	records := metricTable(t, rows)
	b, err := fit(t, ingest.Mapping{Columns: parse(t, "c*"), Metric: m}, records).Encode(records)
	if err != nil {
		t.Fatal(err)
	}
	return b.X
}

// The Euclidean distances of encoded rows equal scipy's distances, and for the earth those of the
// haversine formula.
func TestMetricsAreSciPys(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(tables, "metrics.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		Rows, Places                                           [][]float64
		Cosine, Correlation, Hellinger, Haversine, Mahalanobis [][]float64
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	const diameter = 2 * 6371.0088
	for _, c := range []struct {
		metric    ingest.Metric
		rows      [][]float64
		want      [][]float64
		of        func(d2 float64) float64
		tolerance float64
	}{
		{ingest.Cosine, want.Rows, want.Cosine, func(d2 float64) float64 { return d2 / 2 }, 1e-6},
		{ingest.Correlation, want.Rows, want.Correlation, func(d2 float64) float64 { return d2 / 2 }, 1e-6},
		{ingest.Hellinger, want.Rows, want.Hellinger, math.Sqrt, 1e-6},
		{ingest.Mahalanobis, want.Rows, want.Mahalanobis, math.Sqrt, 1e-5},
		{ingest.Haversine, want.Places, want.Haversine, func(d2 float64) float64 { return diameter * math.Asin(math.Sqrt(d2)/diameter) }, 2e-3},
	} {
		t.Run(string(c.metric), func(t *testing.T) {
			x := ofMetric(t, c.metric, c.rows)
			for i := range x.Rows {
				for j := range x.Rows {
					got := c.of(vec.SquaredDistance(x.Row(i), x.Row(j)))
					if math.Abs(got-c.want[i][j]) > c.tolerance*max(1, c.want[i][j]/1000) {
						t.Fatalf("rows %d and %d: %v, expected %v", i, j, got, c.want[i][j])
					}
				}
			}
		})
	}
}

// Twelve rows of 0 and 1, as numbers, booleans and text, have distances equal to scipy's shares of
// differing columns.
func TestHammingIsSciPys(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(tables, "metrics-bits.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want struct{ Rows, Hamming [][]float64 }
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	n, dim := len(want.Rows), len(want.Rows[0])
	numbers, booleans, words := make([]table.Column, dim), make([]table.Column, dim), make([]table.Column, dim)
	for k := range dim {
		v, on, word := make([]float64, n), make([]bool, n), make([]string, n)
		for i, row := range want.Rows {
			v[i], on[i], word[i] = row[k], row[k] == 1, fmt.Sprint("is ", row[k])
		}
		name := fmt.Sprintf("c%d", k)
		numbers[k], booleans[k], words[k] = table.Float64Column(name, v), table.BoolColumn(name, on), table.StringColumn(name, word)
	}
	mixed := append(slices.Clone(numbers[:dim-1]), words[dim-1])
	for _, c := range []struct {
		name    string
		columns []table.Column
		each    float64 // contribution of a differing column to the squared distance
	}{{"numbers", numbers, 1}, {"booleans", booleans, 1}, {"text", words, 2}, {"numbers and a text", mixed, 2}} {
		t.Run(c.name, func(t *testing.T) {
			records, err := table.NewTable(ingesttest.Here(), c.columns...)
			if err != nil {
				t.Fatal(err)
			}
			names := make([]string, dim)
			for k := range names {
				names[k] = fmt.Sprintf("c%d", k)
			}
			e := fit(t, ingest.Mapping{Columns: parse(t, strings.Join(names, ",")), Metric: ingest.Hamming}, records)
			written, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			var again ingest.Encoder
			if err := json.Unmarshal(written, &again); err != nil || again.Metric() != ingest.Hamming {
				t.Fatalf("it is read as %v, error %v", again.Metric(), err)
			}
			b, err := again.Encode(records)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				for j := range n {
					want := math.Round(want.Hamming[i][j] * float64(dim))
					if got := vec.SquaredDistance(b.X.Row(i), b.X.Row(j)); got != c.each*want {
						t.Fatalf("rows %d and %d: %v, expected %v times %v", i, j, got, c.each, want)
					}
				}
			}
		})
	}
}

// Rows for metrics with their own distance stay unchanged, and a stored encoder names the distance.
func TestDistancesKeepRows(t *testing.T) {
	rows := [][]float64{{0, 1, 1}, {1, 0, 0}, {0, 0, 0}}
	for metric, want := range map[ingest.Metric]distance.Distance{
		ingest.Jaccard: distance.Jaccard, ingest.Manhattan: distance.Manhattan, ingest.Chebyshev: distance.Chebyshev, ingest.Cosine: distance.Euclidean,
	} {
		if got := metric.Distance(); got != want {
			t.Errorf("%s has the distance %v, expected %v", metric, got, want)
		}
		if want == distance.Euclidean {
			continue
		}
		x := ofMetric(t, metric, rows)
		for i, row := range rows {
			for k, v := range row {
				if x.Row(i)[k] != float32(v) {
					t.Errorf("%s: row %d is %v", metric, i, x.Row(i))
				}
			}
		}
		e := fit(t, ingest.Mapping{Columns: parse(t, "c*"), Metric: metric}, metricTable(t, rows))
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var again ingest.Encoder
		if err := json.Unmarshal(text, &again); err != nil || again.Metric() != metric {
			t.Errorf("a file keeps %s of %s (%v)", again.Metric(), metric, err)
		}
		if err := e.CheckSparse(table.Origin{}); err == nil || !strings.Contains(err.Error(), string(metric)) {
			t.Errorf("sparse rows by %s: %v", metric, err)
		}
	}
}

// Options that lead to other values than 0 and 1 are errors with their names.
func TestHammingRefuses(t *testing.T) {
	columns := parse(t, "a,b")
	for _, c := range []struct {
		name    string
		mapping ingest.Mapping
		want    string
	}{
		{"log1p", ingest.Mapping{Columns: columns, Log1p: true}, "leave out log1p"},
		{"standardize", ingest.Mapping{Columns: columns, Standardize: true}, "leave out standardize"},
		{"mixed", ingest.Mapping{Columns: columns, Mixed: true}, "leave out mixed"},
		{"means", ingest.Mapping{Columns: columns, Fill: true}, "leave out the means of missing values"},
		{"a weight", ingest.Mapping{Columns: parse(t, "a,b:weight=2")}, `leave out the options of column "b"`},
		{"a circle", ingest.Mapping{Columns: parse(t, "a:cyclic=7,b")}, `leave out the options of column "a"`},
		{"holes", ingest.Mapping{Columns: columns, Missing: true}, "values may not be missing with the metric hamming"},
		{"times beside text", ingest.Mapping{Columns: parse(t, "a,at,word")}, `column "at": it holds times`},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema := table.Schema{
				{Name: "a", Kind: table.Number, Type: "float64"}, {Name: "b", Kind: table.Bool, Type: "bool"},
				{Name: "at", Kind: table.Time, Type: "timestamp"}, {Name: "word", Kind: table.Text, Type: "utf8"},
			}
			for _, metric := range []ingest.Metric{ingest.Hamming, ingest.Jaccard} {
				if c.mapping.Metric = metric; metric == ingest.Jaccard && strings.Contains(c.want, "times") {
					continue // this metric does not treat numbers as categories
				}
				want := strings.Replace(c.want, "hamming", string(metric), 1)
				if _, err := ingest.NewFitter(c.mapping, schema); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: error %v, expected %q", metric, err, want)
				}
			}
		})
	}
}

// Changes that a metric ignores leave distances unchanged: the length of a row, its level, its sum,
// whole turns of longitude.
func TestMetricsDoNotSee(t *testing.T) {
	same := map[ingest.Metric]func(row []float64, a, b float64){
		ingest.Cosine: func(row []float64, a, _ float64) {
			for k := range row {
				row[k] *= a
			}
		},
		ingest.Correlation: func(row []float64, a, b float64) {
			for k := range row {
				row[k] = a*row[k] + b
			}
		},
		ingest.Hellinger: func(row []float64, a, _ float64) {
			for k := range row {
				row[k] *= a
			}
		},
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "values")
		row := make([]float64, n)
		for k := range row {
			row[k] = rapid.Float64Range(0, 100).Draw(t, "value")
		}
		row[0], row[1] = 1, 101 // different values above 0
		a, b := rapid.Float64Range(0.01, 100).Draw(t, "factor"), rapid.Float64Range(-50, 50).Draw(t, "shift")
		for m, change := range same {
			moved := append([]float64(nil), row...)
			change(moved, a, b)
			x := ofMetricOf(t, m, [][]float64{row, moved})
			if d := vec.SquaredDistance(x.Row(0), x.Row(1)); d > 1e-9 {
				t.Fatalf("%s: %v and %v are %v apart", m, row, moved, math.Sqrt(d))
			}
		}
	})
}

// ofMetricOf is ofMetric for property tests.
func ofMetricOf(t *rapid.T, m ingest.Metric, rows [][]float64) vec.Matrix[float32] {
	values := make([]float32, 0, len(rows)*len(rows[0]))
	for _, row := range rows {
		for _, v := range row {
			values = append(values, float32(v))
		}
	}
	x := vec.Of(len(rows), len(rows[0]), values)
	records, err := table.NewTable(ingesttest.Here(), table.VectorColumn("v", x))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ingest.NewFitter(ingest.Mapping{Metric: m}, records.Schema())
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
	return b.X
}

// Rows for which a metric is not defined are errors with their row.
func TestMetricRefusals(t *testing.T) {
	for _, c := range []struct {
		name   string
		metric ingest.Metric
		rows   [][]float64
		want   string
	}{
		{"no shares", ingest.Hellinger, [][]float64{{0, 0}, {3, 3}}, "row 1: all its values are 0, and so they have no shares"},
		{"below zero", ingest.Hellinger, [][]float64{{4, 1}, {3, -1}}, "row 2, column \"c1\": the value is -1, below 0"},
		{"no place", ingest.Haversine, [][]float64{{4, 1}, {91, 1}}, "row 2: latitude 91 and longitude 1 are no point of the earth"},
		{"neither 0 nor 1", ingest.Hamming, [][]float64{{0, 1}, {1, 0.5}}, "row 2, column \"c1\": the value is 0.5, and the metric hamming takes 0 and 1; drop such rows"},
		{"no set", ingest.Jaccard, [][]float64{{0, 1}, {1, 2}}, "row 2, column \"c1\": the value is 2, and the metric jaccard takes 0 and 1; drop such rows"},
		{"three values", ingest.Haversine, [][]float64{{4, 1, 2}}, "takes two plain columns"},
		{"too few for a covariance", ingest.Mahalanobis, [][]float64{{0, 1}, {1, 2}}, "needs more rows than values of a row; there are 2 rows of 2 values"},
		{"unknown", "taxicab", [][]float64{{4, 1, 2}}, `the metric "taxicab" is not known; metrics are euclidean, cosine, `},
		{"no power", "minkowski", [][]float64{{4, 1, 2}}, "minkowski needs a power as a number"},
		{"a power below 1", "minkowski:0.5", [][]float64{{4, 1, 2}}, "a number from 1 to 100"},
	} {
		t.Run(c.name, func(t *testing.T) {
			records := metricTable(t, c.rows)
			f, err := ingest.NewFitter(ingest.Mapping{Columns: parse(t, "c*"), Metric: c.metric}, records.Schema())
			if err == nil {
				err = f.Add(records)
			}
			var e *ingest.Encoder
			if err == nil {
				e, err = f.Encoder()
			}
			if err == nil {
				_, err = e.Encode(records)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, expected %q", err, c.want)
			}
		})
	}
}

// An encoder with all features of version 2 is unchanged after writing and reading. A stored one
// stays readable. One without these features is written as version 1.
func TestEncoderFileVersion2(t *testing.T) {
	records := flows(t)
	m := ingest.Mapping{Columns: parse(t, "bytes:log1p:standardize,rate:cyclic=2.5,proto:tokens=3,land"), Metric: ingest.Cosine, Fill: true}
	e := fit(t, m, records)
	written, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var again ingest.Encoder
	if err := json.Unmarshal(written, &again); err != nil {
		t.Fatal(err)
	}
	want, err := e.Encode(records)
	if err != nil {
		t.Fatal(err)
	}
	got, err := again.Encode(records)
	if err != nil || !slices.Equal(want.X.Data, got.X.Data) {
		t.Errorf("it encodes %v, error %v, expected %v", got, err, want.X)
	}
	if !again.Fills() || again.Metric() != ingest.Cosine || again.Shape() != e.Shape() {
		t.Errorf("it is %s", written)
	}
	frozen, err := os.ReadFile("testdata/encoder-v2.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(frozen, &again); err != nil {
		t.Fatal(err)
	}
	if got, err := again.Encode(records); err != nil || !slices.Equal(want.X.Data, got.X.Data) {
		t.Errorf("the frozen one encodes %v, error %v", got, err)
	}
	plain, err := json.Marshal(fit(t, ingest.Mapping{Columns: parse(t, "bytes,proto")}, records))
	if err != nil || !strings.Contains(string(plain), `"version":1`) {
		t.Errorf("a plain encoder is %s, error %v", plain, err)
	}
}
