package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Neighbours written by numpy and pyarrow give the same model as the search, to the byte.
func TestNeighborsAreThoseOfTheSearch(t *testing.T) {
	atTables(t)
	for _, tails := range []string{"student", "gaussian"} {
		fit := func(flags ...string) []byte {
			must(t, append([]string{"-q", "fit", "arrays.npz:x", "-o", "m.unfold", "--steps", "20", "--tails", tails, "--report", "r.json"}, flags...)...)
			model, err := os.ReadFile("m.unfold")
			if err != nil {
				t.Fatal(err)
			}
			return model
		}
		want := fit()
		for _, file := range []string{"neighbors.npz", "neighbors.parquet", "neighbors.npz:arr_0"} {
			if got := fit("--neighbors-file", file); !bytes.Equal(got, want) {
				t.Errorf("%s tails: the model by %s is another than by the search", tails, file)
			}
			var report struct {
				Search string
				Recall float64 `json:"search_recall"`
			}
			text, err := os.ReadFile("r.json")
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(text, &report); err != nil || report.Search != "given" || report.Recall != 1 {
				t.Errorf("the report says %+v, error %v", report, err)
			}
		}
	}
}

// A note is written for neighbours of other rows. Unusable files are rejected.
func TestNeighborsThatDoNotFit(t *testing.T) {
	atTables(t)
	// The neighbours of each row are the next rows in the file, which are no nearer than others.
	for file, k := range map[string]int{"moved.npy": 12, "few.npy": 9} {
		rows := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), 64)
		rows = fmt.Appendf(rows, "%-63s\n", fmt.Sprintf("{'descr': '<i4', 'fortran_order': False, 'shape': (96, %d)}", k))
		for i := range 96 {
			for j := range k {
				rows = binary.LittleEndian.AppendUint32(rows, uint32((i+1+j)%96))
			}
		}
		write(t, file, string(rows))
	}
	counts, err := os.ReadFile("counts.csv")
	if err != nil {
		t.Fatal(err)
	}
	write(t, "fewer.csv", strings.Join(strings.SplitAfter(string(counts), "\n")[:21], ""))
	code, _, stderr := run(t, "fit", "arrays.npz:x", "-o", "m.unfold", "--steps", "5", "--neighbors-file", "moved.npy")
	if code != exitDone || !strings.Contains(stderr, "note: moved.npy holds ") || !strings.Contains(stderr, "are its rows in the order of the inputs?") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	for _, c := range []struct {
		name, in string
		flags    []string
		code     int
		want     string
	}{
		{"too few", "arrays.npz:x", []string{"--neighbors-file", "few.npy"}, exitBadInput, "9 different neighbours are given for row 0, and 10 are needed"},
		{"other rows", "fewer.csv", []string{"--columns", "*", "--neighbors-file", "neighbors.npz"}, exitBadInput, "it has the neighbours of 96 rows, and there are 20 to be learnt from"},
		{"another kind", "arrays.npz:x", []string{"--kind", "gplvm", "--neighbors-file", "neighbors.npz"}, exitUsage, "a model of kind gplvm searches for neighbours itself"},
		{"rows left out", "arrays.npz:x", []string{"--missing", "drop", "--neighbors-file", "neighbors.npz"}, exitUsage, "none of which may be left out"},
		{"standard input", "arrays.npz:x", []string{"--neighbors-file", "-"}, exitUsage, "not from standard input"},
		{"no file", "arrays.npz:x", []string{"--neighbors-file", "none.npz"}, exitBadInput, "none.npz"},
		{"no lists", "arrays.npz:x", []string{"--neighbors-file", "counts.csv"}, exitBadInput, "it holds 0 columns or arrays of lists"},
		{"the output", "arrays.npz:x", []string{"--neighbors-file", "n.unfold"}, exitUsage, "n.unfold is an input; it would be replaced"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, _, stderr := run(t, append([]string{"fit", c.in, "-o", "n.unfold", "--steps", "5"}, c.flags...)...)
			if code != c.code || !strings.Contains(stderr, c.want) {
				t.Errorf("exit %d: %s, expected %q", code, stderr, c.want)
			}
		})
	}
}
