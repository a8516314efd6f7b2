package cli

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"unfold/cmd/internal/plot"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// places writes a map of n points with ids, turned, scaled and shifted. The points in moved are
// then moved by (40, 0).
func places(t *testing.T, path string, n int, turn, scale float64, moved map[int]bool) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("id,kind,bytes,day,embedding_0,embedding_1\n")
	sin, cos := math.Sincos(turn)
	for i := range n {
		x, y := 100*r.Float64(), 60*r.Float64()
		if moved[i] {
			x += 40
		}
		fmt.Fprintf(&b, "p%d,k%d,%.6g,2026-05-%02d,%.9g,%.9g\n", i, i%3, math.Exp(14*r.Float64()), 1+i%28, scale*(cos*x-sin*y)+7, scale*(sin*x+cos*y)-3)
	}
	write(t, path, b.String())
}

// A turned, shifted and scaled map has not moved. The moved points appear in the figures and are
// drawn as arrows.
func TestPlotCompare(t *testing.T) {
	t.Chdir(t.TempDir())
	places(t, "before.csv", 400, 0, 1, nil)
	places(t, "turned.csv", 400, 2, 3, nil)
	moved := map[int]bool{}
	for i := range 12 {
		moved[30*i] = true
	}
	places(t, "moved.csv", 390, -1, 0.5, moved)
	if out := must(t, "-q", "plot", "--compare", "before.csv", "turned.csv", "-o", "same.svg"); !strings.Contains(out, "400 of 400 points also in before.csv: moved ") || strings.Contains(out, "gone") {
		t.Errorf("a turned map: %s", out)
	}
	var figures [3]float64
	out := must(t, "-q", "plot", "--compare", "before.csv", "moved.csv", "-o", "moved.svg")
	_, said, _ := strings.Cut(out, ": moved ")
	if _, err := fmt.Sscanf(said, "%f, %f, %f %% of the diameter (median, 90th, 99th percentile); 10 gone", &figures[0], &figures[1], &figures[2]); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	// They moved by 40, with a diameter of about 110, and are three in a hundred points.
	if figures[0] > 4 || figures[1] > 5 || figures[2] < 25 || figures[2] > 45 {
		t.Errorf("moved %v %% of the diameter", figures)
	}
	arrows := func(path string) int {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return bytes.Count(raw, []byte("stroke-width:2.2"))
	}
	if same, some := arrows("same.svg"), arrows("moved.svg"); same != 0 || some < 8 {
		t.Errorf("%d arrows where nothing moved, %d where 12 points did", same, some)
	}
}

func TestPlotCompareErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	places(t, "a.csv", 20, 0, 1, nil)
	write(t, "other.csv", "id,embedding_0,embedding_1\nq1,0,1\nq2,1,0\nq3,1,1\n")
	write(t, "flat.csv", "id,embedding_0,embedding_1,embedding_2\np1,0,1,2\n")
	write(t, "bare.csv", "embedding_0,embedding_1\n0,1\n")
	for name, c := range map[string]struct {
		before, want string
		code         int
	}{
		"other points":     {"other.csv", "0 ids in common", exitUsage},
		"other dimensions": {"flat.csv", "flat.csv has 3 dimensions, a.csv 2", exitUsage},
		"no ids":           {"bare.csv", "no ids by which their points could be matched", exitUsage},
		"no file":          {"none.csv", "none.csv", exitBadInput},
	} {
		if code, _, stderr := run(t, "-q", "plot", "--compare", c.before, "a.csv", "-o", "a.png"); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
	}
	if code, _, stderr := run(t, "plot", "--compare", "a.csv", "-o", "a.png"); code != exitUsage || !strings.Contains(stderr, "name either a map or") {
		t.Errorf("one map: exit %d, %s", code, stderr)
	}
}

// Every option works in every format, and the picture has a legend for it.
func TestPlotOptions(t *testing.T) {
	t.Chdir(t.TempDir())
	places(t, "m.csv", 200, 0, 1, nil)
	for name, c := range map[string]struct {
		args []string
		want []string // expected text in the picture
	}{
		"dark":      {[]string{"--color", "kind", "--dark"}, []string{">k0<", "#12141A"}},
		"palette":   {[]string{"--color", "kind", "--palette", "#102030,#405060,#708090"}, []string{"#102030", "#708090"}},
		"logarithm": {[]string{"--color", "bytes", "--scale", "log"}, []string{">100<", ">10,000<"}},
		"automatic": {[]string{"--color", "bytes"}, []string{">100<", ">10,000<"}},
		"even":      {[]string{"--color", "bytes", "--scale", "linear"}, []string{">500,000<"}},
		"days":      {[]string{"--color", "day"}, []string{">2026-05-01<", ">2026-05-28<"}},
		"panels":    {[]string{"--color", "bytes", "--facet", "kind"}, []string{">k0  (67)<", ">k2  (66)<"}},
		"highlight": {[]string{"--color", "kind", "--highlight", "k1"}, []string{">200 points, 67 of them highlighted<"}},
		"an id":     {[]string{"--highlight", "id=p17"}, []string{">p17<", ">200 points, 1 of them highlighted<"}},
		"size":      {[]string{"--size", "bytes"}, []string{">bytes<"}},
		"names":     {[]string{"--color", "bytes", "--names", "kind"}, []string{">k0<", ">k1<", ">k2<"}},
	} {
		for _, format := range []string{"svg", "pdf", "png"} {
			must(t, append([]string{"-q", "plot", "m.csv", "-o", "m." + format}, c.args...)...)
		}
		picture, err := os.ReadFile("m.svg")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(picture), want) {
				t.Errorf("%s: the picture lacks %s", name, want)
			}
		}
		page, err := os.ReadFile("m.pdf")
		if err != nil || !bytes.HasPrefix(page, []byte("%PDF-1.4\n")) || !bytes.HasSuffix(page, []byte("%%EOF\n")) {
			t.Errorf("%s: this is no PDF: %v", name, err)
		}
	}
	for name, c := range map[string]struct {
		args []string
		want string
		code int
	}{
		"no such palette": {[]string{"--palette", "rainbow"}, `there is no palette "rainbow"; known are okabe-ito, tol, position, `, exitUsage},
		"no such class":   {[]string{"--color", "kind", "--highlight", "k9"}, `no point has "k9" in column "kind"; it has k0, k1, k2`, exitBadInput},
		"no classes":      {[]string{"--highlight", "k9"}, "name a column, as in id=17", exitUsage},
		"no such column":  {[]string{"--facet", "knd"}, `did you mean "kind"?`, exitBadInput},
		"size of text":    {[]string{"--size", "kind"}, "holds no numbers", exitBadInput},
	} {
		if code, _, stderr := run(t, append([]string{"-q", "plot", "m.csv", "-o", "m.png"}, c.args...)...); code != c.code || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
	}
}

// Noise of a clustering, also of another program's, is no class; -1 among other numbers is.
func TestNoiseIsNoClass(t *testing.T) {
	m := &emit.Map{Output: emit.Output{Embedding: vec.New[float32](4, 2)}}
	values := []int64{-1, 0, 1, 1}
	for name, noise := range map[string]bool{"cluster": true, "hdbscan": true, "my_clusters": true, "sentiment": false} {
		m.Kept = []table.Column{table.Int64Column(name, values)}
		var out plot.Map
		if err := (&plotCmd{Color: name}).color(t.Context(), &out, m); err != nil {
			t.Fatal(err)
		}
		if unnamed := out.Class[0] == ""; unnamed != noise || noise != (out.Unknown == noiseName) {
			t.Errorf("%s: -1 is called %q, what has no class %q", name, out.Class[0], out.Unknown)
		}
	}
}

// A missing number is unknown, not 0.
func TestMissingNumbersAreUnknown(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "m.csv", "embedding_0,embedding_1,v\n0,0,0.5\n1,1,\n2,0,1.5\n")
	must(t, "-q", "plot", "m.csv", "-o", "m.svg", "--color", "v")
	picture, err := os.ReadFile("m.svg")
	if err != nil || !strings.Contains(string(picture), ">unknown<") || !strings.Contains(string(picture), ">0.5<") {
		t.Errorf("the legend is wrong: %v", err)
	}
}
