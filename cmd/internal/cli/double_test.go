package cli

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"unfold"
)

// Groups of points one unit apart, far from 0, are separate clusters in every file format. Added
// rows join their groups, and the map separates them.
func TestHeapsFarFromZero(t *testing.T) {
	t.Chdir(t.TempDir())
	var csv, lines strings.Builder
	csv.WriteString("east,north\n")
	for i := range 120 {
		turn := 2 * math.Pi * float64(i/2) / 60
		east, north := 500_000+float64(i%2)+0.1*math.Cos(turn), 4_649_776+0.1*math.Sin(turn+0.3)
		fmt.Fprintf(&csv, "%.6f,%.6f\n", east, north)
		fmt.Fprintf(&lines, "{\"at\":[%.6f,%.6f]}\n", east, north)
	}
	write(t, "utm.csv", csv.String())
	write(t, "utm.ndjson", lines.String())
	for _, args := range [][]string{{"utm.csv", "--columns", "east,north"}, {"utm.ndjson"}} {
		out := must(t, append([]string{"clusters", "--min-size", "20", "--new", args[0], "-o", "c.csv"}, args...)...)
		if !strings.Contains(out, "2 clusters of at least 20, 0.0% noise") {
			t.Errorf("%s: %s", args[0], out)
		}
		for i, line := range strings.Split(strings.TrimSpace(contentsOf(t, "c.csv")), "\n")[1:] {
			if !strings.HasPrefix(line, fmt.Sprintf("%d,%d,", i, i%2)) {
				t.Fatalf("%s: row %d joins %s", args[0], i, line)
			}
		}
		must(t, append([]string{"-q", "fit", "--steps", "5", "-o", "m.unfold", "--map", "map.csv"}, args...)...)
		must(t, "-q", "embed", args[0], "-m", "m.unfold", "-o", "places.csv")
		for _, file := range []string{"map.csv", "places.csv"} {
			places := map[string]bool{}
			for _, line := range strings.Split(strings.TrimSpace(contentsOf(t, file)), "\n")[1:] {
				f := strings.Split(line, ",")
				places[f[1]+","+f[2]] = true
			}
			if len(places) != 120 {
				t.Errorf("%s: %s has %d places", args[0], file, len(places))
			}
		}
	}
}

// Few rows, and few distinct ones, can be mapped with every kind. A note is written, and a warning
// if more neighbours are requested than exist.
func TestFewDistinctRows(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		name           string
		rows, distinct int
		most           bool // every kind, not only those that accept three rows
	}{
		{"four", 4, 4, true}, {"eight", 8, 8, true}, {"seven values", 700, 7, true}, {"three", 3, 3, false},
	} {
		var b strings.Builder
		b.WriteString("a,b,c\n")
		for i := range c.rows {
			v := float64(i % c.distinct)
			fmt.Fprintf(&b, "%g,%g,%g\n", v, v*v, math.Sin(3*v))
		}
		write(t, "few.csv", b.String())
		kinds := []string{"lvm", "pca", "isomap", "lle", "kpca", "mds", "sammon", "nmds"}
		if c.most {
			kinds = append(kinds, "eigenmaps", "ltsa", "gtm", "lllvm", "gplvm")
		}
		for _, kind := range kinds {
			for _, neighbors := range []string{"auto", "12"} {
				code, _, stderr := run(t, "fit", "few.csv", "--columns", "*", "--kind", kind, "--neighbors", neighbors, "-o", "m.unfold", "--map", "m.csv")
				if code != 0 {
					t.Errorf("%s rows, %s, neighbors %s: exit %d: %s", c.name, kind, neighbors, code, stderr)
					continue
				}
				want := fmt.Sprintf("warning: neighbors is 12, and %d are taken", c.distinct-1)
				if neighbors == "auto" {
					want = fmt.Sprintf("note: there are %d distinct rows", c.distinct)
				}
				if !strings.Contains(stderr, want) {
					t.Errorf("%s rows, %s, neighbors %s: no %q in %s", c.name, kind, neighbors, want, stderr)
				}
			}
		}
	}
}

// Zero rows work with the cosine metric in fit, embed, clusters and score. A note has their number.
func TestRowsOfZeros(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("a,b,c,d\n")
	for i := range 60 {
		if i%20 == 3 {
			b.WriteString("0,0,0,0\n")
			continue
		}
		v := float64(i)
		fmt.Fprintf(&b, "%.5f,%.5f,%.5f,%.5f\n", math.Sin(v), math.Cos(2*v), math.Sin(3*v), math.Cos(5*v))
	}
	write(t, "zeros.csv", b.String())
	const note = "3 rows without a direction"
	for _, metric := range []string{"cosine", "correlation"} {
		for _, args := range [][]string{
			{"fit", "zeros.csv", "--columns", "*", "--metric", metric, "-o", "m.unfold", "--map", "map.csv", "--steps", "5"},
			{"clusters", "zeros.csv", "--columns", "*", "--metric", metric, "--min-size", "5"},
		} {
			if code, _, stderr := run(t, args...); code != 0 || !strings.Contains(stderr, note) {
				t.Errorf("%v: exit %d: %s", args, code, stderr)
			}
		}
		must(t, "-q", "embed", "zeros.csv", "-m", "m.unfold", "-o", "places.csv")
	}
	// A model learnt without zero rows places them.
	write(t, "none.csv", strings.ReplaceAll(b.String(), "0,0,0,0\n", ""))
	must(t, "-q", "fit", "none.csv", "--columns", "*", "--metric", "cosine", "-o", "m.unfold", "--steps", "5")
	must(t, "-q", "embed", "zeros.csv", "-m", "m.unfold", "-o", "places.csv")
}

// A map that the Go package learnt from rows far from 0 places and decodes them by the command as by
// the package.
func TestLibraryMapFarFromZero(t *testing.T) {
	t.Chdir(t.TempDir())
	x := mat.NewDense(60, 2, nil)
	for i := range 60 {
		turn := 2 * math.Pi * float64(i) / 60
		x.SetRow(i, []float64{500_000 + 0.1*math.Cos(turn), 4_649_776 + 0.1*math.Sin(turn)})
	}
	header := "\x93NUMPY\x01\x00\x76\x00" + fmt.Sprintf("%-117s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (60, 2), }")
	values, err := binary.Append(nil, binary.LittleEndian, x.RawMatrix().Data)
	if err != nil {
		t.Fatal(err)
	}
	write(t, "utm.npy", header+string(values))
	m, err := unfold.Fit(t.Context(), x, unfold.Options{Steps: 5})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create("m.unfold")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(m.Save(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	must(t, "-q", "embed", "utm.npy", "-m", "m.unfold", "-o", "places.csv")
	for i, line := range strings.Split(strings.TrimSpace(contentsOf(t, "places.csv")), "\n")[1:] {
		f := strings.Split(line, ",")
		for d := range 2 {
			if got, err := strconv.ParseFloat(f[1+d], 64); err != nil || float32(got) != float32(m.Result().Embedding.At(i, d)) {
				t.Fatalf("row %d is placed at %s, by the package at %v, error %v", i, line, m.Result().Embedding.RawRowView(i), err)
			}
		}
	}
	must(t, "-q", "decode", "places.csv", "-m", "m.unfold", "-o", "vectors.csv")
	decoded := strings.Split(strings.TrimSpace(contentsOf(t, "vectors.csv")), "\n")
	if len(decoded) != 61 || !strings.Contains(decoded[1], "4.64977600") {
		t.Errorf("%d lines, %q, want 61 with about 4649776.00", len(decoded), decoded[:2])
	}
}
