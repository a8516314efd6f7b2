package ingest_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/internal/vec"
)

// heapsApart returns rows of two clusters at a distance of one.
func heapsApart(n int) [][2]float64 {
	r := rand.New(rand.NewPCG(3, 5))
	rows := make([][2]float64, n)
	for i := range rows {
		// Multiples of 2^-10 stay exact after adding any offset below.
		rows[i] = [2]float64{math.Round(1024*(float64(i%2)+0.05*r.NormFloat64())) / 1024, math.Round(51.2*r.NormFloat64()) / 1024}
	}
	return rows
}

// textOf returns rows as the text of a file.
func textOf(rows [][2]float64, format, between string) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, format+between, r[0], r[1])
	}
	return b.String()
}

// Numbers far from 0 are encoded like those near 0, except for a translation, in all file formats.
// The common part of all rows is subtracted before rounding to single precision.
func TestNumbersFarFromZero(t *testing.T) {
	const n = 200
	near := heapsApart(n)
	for _, off := range [][2]float64{{500_000, 4_649_776}, {1e8, 1e8}, {1e9, -1e9}} {
		far := make([][2]float64, n)
		for i, r := range near {
			far[i] = [2]float64{r[0] + off[0], r[1] + off[1]}
		}
		columns := ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "x"}, {Name: "y"}}}
		for _, c := range []struct {
			name    string
			text    string
			mapping ingest.Mapping
		}{
			{"a.csv", "x,y\n" + textOf(far, "%.10f,%.10f", "\n"), columns},
			{"a.ndjson", textOf(far, `{"x":%.10f,"y":%.10f}`, "\n"), columns},
			{"lists.ndjson", textOf(far, `{"v":[%.10f,%.10f]}`, "\n"), ingest.Mapping{}},
			{"manhattan.csv", "x,y\n" + textOf(far, "%.10f,%.10f", "\n"), ingest.Mapping{Columns: columns.Columns, Metric: ingest.Manhattan}},
			{"a.npy", npyRows(far), ingest.Mapping{}},
		} {
			t.Run(fmt.Sprint(off[0], " ", c.name), func(t *testing.T) {
				path := filepath.Join(t.TempDir(), c.name)
				if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
					t.Fatal(err)
				}
				d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: c.mapping, Double: ingest.Rounded})
				if err != nil {
					t.Fatal(err)
				}
				sameApart(t, d.X, near)
				for i, r := range far {
					if d.Wide.Row(i)[0] != r[0] || d.Wide.Row(i)[1] != r[1] {
						t.Fatalf("row %d in double precision is %v, want %v", i, d.Wide.Row(i), r)
					}
				}
				again := reopened(t, d.Encoder)
				if got := again.Decode(0, float64(d.X.Row(0)[0])); got != far[0][0] {
					t.Errorf("decoded as %.10f, want %.10f", got, far[0][0])
				}
				placed, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Encoder: again})
				if err != nil {
					t.Fatal(err)
				}
				sameApart(t, placed.X, near)
			})
		}
	}
}

// sameApart checks that the differences of rows to the first equal those of want.
func sameApart(t *testing.T, x vec.Matrix[float32], want [][2]float64) {
	t.Helper()
	for i, r := range want {
		for k := range r {
			if got := float64(x.Row(i)[k]) - float64(x.Row(0)[k]); got != r[k]-want[0][k] {
				t.Fatalf("row %d, element %d lies %v from that of row 0, want %v", i, k, got, r[k]-want[0][k])
			}
		}
	}
}

// reopened returns an encoder after writing it to JSON and reading it.
func reopened(t *testing.T, e *ingest.Encoder) *ingest.Encoder {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	out := &ingest.Encoder{}
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// npyRows returns a file of float64 rows.
func npyRows(rows [][2]float64) string {
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 2), }", len(rows))
	header += strings.Repeat(" ", 117-len(header)) + "\n"
	b := []byte("\x93NUMPY\x01\x00\x76\x00" + header)
	for _, r := range rows {
		for _, v := range r {
			bits := math.Float64bits(v)
			for s := 0; s < 64; s += 8 {
				b = append(b, byte(bits>>s))
			}
		}
	}
	return string(b)
}

// Numbers near 0, and whole numbers that single precision represents exactly, keep their vectors
// and their encoder's JSON.
func TestNumbersThatStay(t *testing.T) {
	for name, text := range map[string]string{
		"near zero": "x,y\n" + textOf(heapsApart(50), "%.7f,%.7f", "\n"),
		"years":     "x,y\n1990,7\n1991,8\n1992,9\n1993,1\n",
		"constant":  "x,y\n4649776.3,7.1\n4649776.3,8.1\n4649776.3,9.3\n",
	} {
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "*"}}}})
		if err != nil {
			t.Fatal(err)
		}
		if d.Encoder.Shift() != nil {
			t.Errorf("%s: shifted by %v", name, d.Encoder.Shift())
		}
		if written, _ := json.Marshal(d.Encoder); !strings.Contains(string(written), `"version":1`) {
			t.Errorf("%s: written as %s", name, written)
		}
	}
}

// Points on the earth that are decimetres apart stay different.
func TestPointsOfACity(t *testing.T) {
	near := heapsApart(100)
	var b strings.Builder
	b.WriteString("lat,lon\n")
	for _, r := range near {
		fmt.Fprintf(&b, "%.12f,%.12f\n", 52.5+r[0]*1e-5, 13.4+r[1]*1e-5)
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: ingest.Mapping{
		Columns: []ingest.ColumnSpec{{Name: "lat"}, {Name: "lon"}}, Metric: ingest.Haversine,
	}})
	if err != nil {
		t.Fatal(err)
	}
	const degree, pi180 = 6371.0088 * math.Pi / 180, math.Pi / 180
	for i, r := range near {
		lat, lon := (r[0]-near[0][0])*1e-5*degree, (r[1]-near[0][1])*1e-5*degree*math.Cos(52.5*pi180)
		want, got := math.Hypot(lat, lon), math.Sqrt(vec.SquaredDistance(d.X.Row(i), d.X.Row(0)))
		if math.Abs(got-want) > 1e-3*want+1e-8 {
			t.Fatalf("row %d lies %v km from row 0, want %v", i, got, want)
		}
	}
	if got := reopened(t, d.Encoder).Around(0, []float64{float64(d.X.Row(0)[0]), float64(d.X.Row(0)[1]), float64(d.X.Row(0)[2])}); got != "52.5,13.4" {
		t.Errorf("row 0 stands for %s", got)
	}
}

// Rows that single precision cannot distinguish after any subtraction are reported with the
// column's name. Rows count as distinct by their values as given.
func TestRowsThatSinglePrecisionLoses(t *testing.T) {
	var b strings.Builder
	b.WriteString("wide,y\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%.10f,%d\n", float64(i%2)*1e9+float64(i)*1e-3, i%2)
	}
	path := filepath.Join(t.TempDir(), "a.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "*"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if d.Duplicates() != 0 {
		t.Errorf("%v of the rows are duplicates", d.Duplicates())
	}
	if d.Lost == nil || d.Lost.Rows != 19 || fmt.Sprint(d.Lost.Columns) != "[wide]" {
		t.Errorf("lost: %+v", d.Lost)
	}
}

// Vectors in double precision are standardized in double precision.
func TestStandardizedVectorsOfDoubles(t *testing.T) {
	near := heapsApart(100)
	far := make([][2]float64, len(near))
	for i, r := range near {
		far[i] = [2]float64{r[0] + 1e9, r[1] - 1e9}
	}
	read := func(rows [][2]float64) vec.Matrix[float32] {
		path := filepath.Join(t.TempDir(), "a.npy")
		if err := os.WriteFile(path, []byte(npyRows(rows)), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: ingest.Mapping{Standardize: true}})
		if err != nil {
			t.Fatal(err)
		}
		return d.X
	}
	x, want := read(far), read(near)
	for i, v := range x.Data {
		if math.Abs(float64(v-want.Data[i])) > 1e-5 {
			t.Fatalf("element %d is %v, without the offset %v", i, v, want.Data[i])
		}
	}
}

// Rows of zeros have cosine distance 1 to all others, also if they first occur when rows are
// placed.
func TestRowsWithoutADirection(t *testing.T) {
	for _, metric := range []ingest.Metric{ingest.Cosine, ingest.Correlation} {
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte("a,b,c\n1,0,0\n0,0,0\n0,2,1\n0,0,0\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "*"}}, Metric: metric}})
		if err != nil {
			t.Fatal(err)
		}
		if d.Blank != 2 {
			t.Errorf("%s: %d rows without a direction", metric, d.Blank)
		}
		again := reopened(t, d.Encoder)
		placed, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Encoder: again})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []vec.Matrix[float32]{d.X, placed.X} {
			for i, want := range map[int]float64{0: 2, 2: 2, 3: 0} {
				if got := vec.SquaredDistance(x.Row(1), x.Row(i)); math.Abs(got-want) > 1e-6 {
					t.Errorf("%s: row 1 and row %d: squared distance %v, want %v", metric, i, got, want)
				}
			}
		}
	}
}
