package cli

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// columnsOfCSV returns the columns of a CSV file as text.
func columnsOfCSV(t *testing.T, path string) map[string][]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for c, name := range rows[0] {
		out[name] = []string{}
		for _, row := range rows[1:] {
			out[name] = append(out[name], row[c])
		}
	}
	return out
}

func floatsOf(t *testing.T, column []string) []float64 {
	t.Helper()
	out := make([]float64, len(column))
	for i, text := range column {
		var err error
		if out[i], err = strconv.ParseFloat(text, 64); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// servicesCSV returns rows of two groups of connections that differ in all columns.
func servicesCSV(n int) string {
	r := rand.New(rand.NewPCG(2, 2))
	var b strings.Builder
	b.WriteString("bytes,rate,service,north,a,b\n")
	for i := range n {
		group := float64(i % 2)
		fmt.Fprintf(&b, "%.0f,%.4f,%s,%.3f,%.3f,%.3f\n", math.Exp(3+6*group+0.2*r.NormFloat64()), 5*group+r.Float64(), []string{"http", "ftp"}[i%2], 4649776+20*group+r.Float64(), 3*group+r.Float64(), r.Float64()-3*group)
	}
	return b.String()
}

// A map of the default kind decodes places to the columns of its rows, in their units, for all
// tails and metrics. Empty areas get a larger error.
func TestDecodeEndToEnd(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a.csv", servicesCSV(300))
	in := columnsOfCSV(t, "a.csv")
	for _, flags := range []string{"", "--tails gaussian", "--metric manhattan", "--metric chebyshev"} {
		must(t, append(strings.Fields("-q fit a.csv --columns bytes:log1p:standardize,rate:standardize,service,north -o a.unfold --map a.parquet"), strings.Fields(flags)...)...)
		must(t, "-q", "decode", "a.parquet", "-m", "a.unfold", "-o", "back.csv")
		back := columnsOfCSV(t, "back.csv")
		for name, most := range map[string]float64{"bytes": 6000, "rate": 1, "north": 3} {
			got := floatsOf(t, back["vector."+name])
			for i, want := range floatsOf(t, in[name]) {
				if math.Abs(got[i]-want) > most {
					t.Fatalf("%q: %s of row %d is decoded as %v, want %v", flags, name, i, got[i], want)
				}
			}
		}
		for i, share := range floatsOf(t, back["vector.service=ftp"]) {
			if math.Abs(share-float64(i%2)) > 0.3 {
				t.Fatalf("%q: row %d of %s is ftp by %v", flags, i, in["service"][i], share)
			}
		}
		must(t, append(strings.Fields("-q fit a.csv --columns rate:standardize,a,b,service -o b.unfold --map b.parquet"), strings.Fields(flags)...)...)
		must(t, "-q", "decode", "b.parquet", "-m", "b.unfold", "-o", "back.csv")
		must(t, "-q", "decode", "--at", "1000,1000", "-m", "b.unfold", "-o", "far.csv")
		far, near := floatsOf(t, columnsOfCSV(t, "far.csv")["vector_sigma"])[0], floatsOf(t, columnsOfCSV(t, "back.csv")["vector_sigma"])
		if within := sum(near) / float64(len(near)); !(far > 3*within) {
			t.Errorf("%q: the error is %v far away, %v on the map", flags, far, within)
		}
	}
}

func sum(values []float64) (s float64) {
	for _, v := range values {
		s += v
	}
	return s
}

// With a metric that uses only a part of the rows, decode returns that part. Positions on the earth
// are restored.
func TestDecodeBehindMetrics(t *testing.T) {
	t.Chdir(t.TempDir())
	r := rand.New(rand.NewPCG(3, 3))
	var counts, bits, earth strings.Builder
	counts.WriteString("a,b,c\n")
	bits.WriteString("a,b,c,d,e,f\n")
	earth.WriteString("lat,lon\n")
	for i := range 200 {
		group := i % 2
		fmt.Fprintf(&counts, "%d,%d,%d\n", 1+90*group+r.IntN(9), 91-90*group+r.IntN(9), 20+r.IntN(5))
		fmt.Fprintf(&bits, "%d,%d,%d,%d,%d,%d\n", group, 1-group, group, 1-group, r.IntN(2), r.IntN(2))
		fmt.Fprintf(&earth, "%.4f,%.4f\n", 48+float64(group)+0.1*r.Float64(), 11+float64(group)+0.1*r.Float64())
	}
	write(t, "counts.csv", counts.String())
	write(t, "bits.csv", bits.String())
	write(t, "earth.csv", earth.String())
	for _, c := range []struct {
		metric, file string
		// want are the first columns of the two groups, within most.
		want [2]float64
		most float64
		note string
	}{
		{"cosine", "counts.csv", [2]float64{0.05, 0.97}, 0.2, "vectors are directions"},
		{"correlation", "counts.csv", [2]float64{-0.5, 0.8}, 0.2, "vectors are directions"},
		{"hellinger", "counts.csv", [2]float64{0.04, 0.76}, 0.2, "vectors are shares"},
		{"hamming", "bits.csv", [2]float64{0, 1}, 0.3, ""},
		{"jaccard", "bits.csv", [2]float64{0, 1}, 0.3, ""},
		{"haversine", "earth.csv", [2]float64{48.05, 49.05}, 0.2, ""},
	} {
		must(t, "-q", "fit", c.file, "--columns", "*", "--metric", c.metric, "-o", "m.unfold", "--map", "m.parquet")
		if status, _, said := run(t, "decode", "m.parquet", "-m", "m.unfold", "-o", "back.csv"); status != 0 || !strings.Contains(said, c.note) || strings.Contains(said, "note") != (c.note != "") {
			t.Errorf("%s: decode prints %q", c.metric, said)
		}
		first := "vector." + map[bool]string{true: "lat", false: "a"}[c.metric == "haversine"]
		for i, v := range floatsOf(t, columnsOfCSV(t, "back.csv")[first]) {
			if math.Abs(v-c.want[i%2]) > c.most {
				t.Errorf("%s: %s of row %d is %v, want about %v", c.metric, first, i, v, c.want[i%2])
				break
			}
		}
	}
}

// decode returns an error for the map of a graph, which has no vectors.
func TestDecodeRefusesGraphs(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("source,target\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d,%d\n%d,%d\n", i, (i+1)%40, i, (i+7)%40)
	}
	write(t, "links.csv", b.String())
	must(t, "-q", "fit", "--graph", "links.csv", "-o", "net.unfold", "--steps", "5")
	if status, _, said := run(t, "decode", "--at", "0,0", "-m", "net.unfold", "-o", "x.csv"); status != 3 || !strings.Contains(said, "no vectors") {
		t.Errorf("exit %d: %s", status, said)
	}
}
