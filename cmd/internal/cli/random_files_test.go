package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"unfold/internal/testkit/tier"
)

// A drawnFile is a table that is drawn at random, with flags of fit for it.
type drawnFile struct {
	r       *rand.Rand
	columns []drawnColumn
	vector  bool // the list column v is the vector
	flags   []string
}

// A drawnColumn returns the value of a row; nil is a missing value.
type drawnColumn struct {
	name string
	draw func(row, group int) any
}

func (f *drawnFile) maybe(n int) bool { return f.r.IntN(n) == 0 }

func (f *drawnFile) add(name string, draw func(row, group int) any) {
	f.columns = append(f.columns, drawnColumn{name, draw})
}

func (f *drawnFile) flag(words ...string) { f.flags = append(f.flags, words...) }

// drawFile draws columns as tables of other people have them, and flags that can be combined freely.
func drawFile(r *rand.Rand) *drawnFile {
	f := &drawnFile{r: r}
	if f.maybe(2) {
		f.add("the id", func(row, _ int) any { return fmt.Sprint("r", row) })
		if f.maybe(2) {
			f.flag("--id", "the id")
		}
	}
	if f.vector = f.maybe(4); f.vector {
		n := one(r, 1, 3, 12)
		f.add("v", func(_, group int) any {
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(3*group*(i%2)) + r.NormFloat64()
			}
			return v
		})
	}
	holes := f.maybe(3)
	for k := range r.IntN(6) {
		f.number(k, holes)
	}
	if f.maybe(2) {
		f.add("größe, 価格", func(_, group int) any { return group })
	}
	if f.maybe(3) {
		f.add("word", func(_, group int) any { return one(r, "a", "b", fmt.Sprint("w", group)) })
	}
	if f.maybe(3) {
		f.add("at", func(row, _ int) any { return fmt.Sprintf("2024-03-%02dT10:00:00Z", 1+row%28) })
	}
	f.add("kind", func(_, group int) any { return fmt.Sprint("k", group) })
	if f.maybe(2) {
		f.flag("--label", "kind")
		if f.maybe(3) {
			f.flag(one(r, "--classify", "--supervision=0.5"))
		}
	}
	if !f.vector && f.maybe(2) {
		f.flag("--columns=" + one(r, "*", "*,kind", "n*", "-kind,*", "*:log1p", "*:weight=2"))
	}
	f.drawFlags(holes)
	return f
}

// number adds a column of numbers: plain, constant, repeated, large, small, whole, or of 0 and 1.
func (f *drawnFile) number(k int, holes bool) {
	r, shape := f.r, f.r.IntN(8)
	f.add(fmt.Sprint("n", k), func(row, group int) any {
		x := float64(4*group*(k%2)) + r.NormFloat64()
		switch {
		case holes && r.IntN(6) == 0:
			return nil
		case shape == 0:
			return 7
		case shape == 1:
			return group
		case shape == 2:
			return x * 1e30
		case shape == 3:
			return x * 1e-30
		case shape == 4:
			return int(10 * x)
		case shape == 5:
			return r.IntN(2)
		}
		return x
	})
}

func (f *drawnFile) drawFlags(holes bool) {
	r := f.r
	if holes {
		f.flag("--missing", one(r, "mean", "drop", "auto"))
	}
	for _, of := range []struct {
		odds  int
		flags []string
	}{
		{3, []string{"--standardize"}}, {5, []string{"--log1p"}}, {4, []string{"--clusters", "--cluster-min-size=2"}}, {5, []string{"--density=0.5"}},
		{3, []string{"--metric", one(r, "cosine", "correlation", "manhattan", "chebyshev", "hamming", "hellinger", "jaccard", "canberra", "braycurtis", "dice")}},
		{2, []string{"--kind", one(r, "lvm", "lllvm", "gplvm", "pca", "isomap", "lle", "kpca", "mds", "eigenmaps", "ltsa", "sammon", "nmds", "gtm")}},
		{2, []string{"--dims", one(r, "1", "2", "3", "5")}}, {3, []string{"--neighbors", one(r, "1", "3", "20")}},
		{4, []string{"--tails", "gaussian"}}, {4, []string{"--frame", one(r, "none", "pca", "mds", "geodesic")}},
		{5, []string{"--coarse", one(r, "map", "shared", "all", "input")}}, {5, []string{"--search", one(r, "exact", "hnsw", "descent")}},
		{6, []string{"--scales", "unit"}}, {6, []string{"--pca", one(r, "2", "none")}}, {6, []string{"--reach", one(r, "1", "30")}},
	} {
		if f.maybe(of.odds) {
			f.flag(of.flags...)
		}
	}
	f.flag("--steps=10")
}

// table writes rows as JSON lines or as CSV and returns the name of the file.
func (f *drawnFile) table(t *testing.T, name string, rows, first int) string {
	t.Helper()
	var text strings.Builder
	w := csv.NewWriter(&text)
	var header []string
	for _, c := range f.columns {
		header = append(header, c.name)
	}
	if name += ".jsonl"; !f.vector && f.r.IntN(2) == 0 {
		name = strings.TrimSuffix(name, ".jsonl") + ".csv"
		w.Write(header)
	}
	for row := range rows {
		group := f.r.IntN(3)
		object, fields := map[string]any{}, []string(nil)
		for _, c := range f.columns {
			x := c.draw(first+row, group)
			object[c.name] = x
			if x == nil {
				x = ""
			}
			fields = append(fields, fmt.Sprint(x))
		}
		if strings.HasSuffix(name, ".csv") {
			w.Write(fields)
			continue
		}
		line, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
	}
	w.Flush()
	write(t, name, text.String())
	return name
}

// finitePlaces checks that a table of places has rows rows, whose coordinates and errors are finite numbers.
func finitePlaces(t *testing.T, path string, rows int) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if rows >= 0 && len(records) != rows+1 {
		t.Errorf("%s has %d rows of %d", path, len(records)-1, rows)
	}
	for j, name := range records[0] {
		if !strings.HasPrefix(name, "embedding_") && name != "sigma" && !strings.HasPrefix(name, "novelty") {
			continue
		}
		for i, record := range records[1:] {
			if x, err := strconv.ParseFloat(record[j], 64); err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s: row %d: %s is %q", path, i, name, record[j])
				return
			}
		}
	}
}

// works reports whether a command succeeds. It may refuse in words, with exit code 2 or 3.
func works(t *testing.T, args ...string) bool {
	t.Helper()
	code, _, refusal := run(t, append([]string{"-q"}, args...)...)
	if code != exitDone && (code != exitUsage && code != exitBadInput || !strings.Contains(refusal, "unfold: ")) {
		t.Errorf("%s: exit %d, %s", strings.Join(args, " "), code, refusal)
	}
	if code != exitDone && os.Getenv("UNFOLD_REFUSALS") != "" {
		t.Logf("%s: refused: %s", strings.Join(args, " "), refusal)
	}
	return code == exitDone
}

// TestRandomFiles: whatever a table and the flags of fit are, commands on files work or refuse in
// words, and all places are finite. Tables and flags are drawn at random; the quick tier draws few.
func TestRandomFiles(t *testing.T) {
	draws := 8
	if tier.All() {
		draws = 60
	}
	for seed := range uint64(draws) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Chdir(t.TempDir())
			r := rand.New(rand.NewPCG(seed, 34))
			var f *drawnFile
			var rows int
			var data string
			for fitted := false; !fitted; {
				f, rows = drawFile(r), 1+r.IntN(one(r, 12, 60))
				data = f.table(t, "data", rows, 0)
				fitted = works(t, append([]string{"fit", data, "-o", "m.unfold", "--map", "map.csv"}, f.flags...)...)
				if t.Failed() {
					break
				}
			}
			verbsOf(t, f, data, rows)
			if t.Failed() {
				begin, _ := os.ReadFile(data)
				t.Logf("flags: %s\n%d rows of %s:\n%.1500s", strings.Join(f.flags, " "), rows, data, begin)
			}
		})
	}
}

// verbsOf runs the commands that follow a fit.
func verbsOf(t *testing.T, f *drawnFile, data string, rows int) {
	t.Helper()
	if t.Failed() {
		return
	}
	embed := []string{"embed", data, "-m", "m.unfold", "-o", "own.csv"}
	if slices.Contains(f.flags, "drop") { // a model does not keep that
		embed, rows = append(embed, "--missing", "drop"), -1
	}
	finitePlaces(t, "map.csv", rows)
	if works(t, embed...) {
		finitePlaces(t, "own.csv", rows)
	} else {
		t.Error("the rows that were learnt cannot be placed")
	}
	fresh := f.table(t, "fresh", 5, rows)
	if works(t, "embed", fresh, "-m", "m.unfold", "-o", "new.csv") {
		finitePlaces(t, "new.csv", -1)
	}
	if works(t, "update", "m.unfold", fresh, "-o", "n.unfold", "--map", "came.csv", "--points", "points.csv") {
		finitePlaces(t, "came.csv", -1)
		finitePlaces(t, "points.csv", -1)
		works(t, "embed", data, "-m", "n.unfold", "-o", "later.csv")
	}
	works(t, "score", "map.csv", "--data", data, "-m", "m.unfold")
	works(t, "explain", "m.unfold", fresh)
	works(t, "clusters", "map.csv", "-o", "clusters.csv", "--min-size", "2")
	works(t, "plot", "map.csv", "-o", "map.png")
	works(t, "export", "map.csv", "-o", "map.html")
	works(t, "inspect", "m.unfold")
	if works(t, "decode", "map.csv", "-m", "m.unfold", "-o", "back.csv") {
		finitePlaces(t, "back.csv", rows)
	}
	works(t, append([]string{"fit", data, "-o", "second.unfold", "--map", "second.csv", "--frame", "m.unfold"}, f.flags...)...)
}
