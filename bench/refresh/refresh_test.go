package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"unfold/bench/internal/harness"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/sparse/knn"
)

// TestSmall runs the whole program on toy data.
func TestSmall(t *testing.T) {
	tier.Full(t, "it runs a whole measurement on small data")
	dir := t.TempDir()
	var log bytes.Buffer
	product, err := harness.Product(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "unfold")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/unfold")
	build.Dir, build.Env = product, append(os.Environ(), "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if code := run(t.Context(), []string{"-small", "-out", dir, "-unfold", program}, io.Discard, &log); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, &log)
	}
	page, err := harness.ReadPage(filepath.Join(dir, "refresh.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## Stationary", "## Growth", "## Appears", "## Leaves", "## Gaussian", "| 0 of 20 |", "## Kdd", "## Serving", "## Restart", "## Young", "| toy | 150 |", "](refresh/young.png)", "| missing: peers are skipped |", "| novelty_local |", "| ordinary |", "| gentle |", "| major |", "toy data"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, no := range []string{"NaN", "Inf", harness.NotMeasured + " |", harness.Missed} {
		if strings.Contains(string(page), no) {
			t.Errorf("the page says %s:\n%s", no, page)
		}
	}
	plots, err := filepath.Glob(filepath.Join(dir, "refresh", "*.svg"))
	if err != nil || len(plots) != 21 {
		t.Fatalf("%d plots, %v", len(plots), err)
	}
	for _, p := range plots {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		d := xml.NewDecoder(bytes.NewReader(text))
		for err == nil {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) || bytes.Contains(text, []byte("NaN")) {
			t.Errorf("%s: %v", p, err)
		}
	}
}

// TestClusters runs the part about clusters on toy data, whose classes are clusters. The new one is
// born, and all keep their ids.
func TestClusters(t *testing.T) {
	tier.Full(t, "it runs a whole measurement on small data")
	dir := t.TempDir()
	var log bytes.Buffer
	if code := run(t.Context(), []string{"-small", "-clusters", "-out", dir}, io.Discard, &log); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, &log)
	}
	text, err := os.ReadFile(filepath.Join(dir, "clusters.md"))
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	for _, want := range []string{"# Clusters that keep their ids", "| the defaults | ", "| no favour | ", "| a memory of one map | ", "## Classes that appear", "## Classes that leave", "| toy data |"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, no := range []string{"NaN", "Inf", harness.Missed} {
		if strings.Contains(page, no) {
			t.Errorf("the page says %s", no)
		}
	}
	_, row, _ := strings.Cut(page, "\n| 4 | ")
	var sized, born, points int
	if _, err := fmt.Sscanf(row, "%d | yes | %d | %d | yes |", &sized, &born, &points); err != nil || born < sized || points < 10 {
		t.Errorf("the class that comes: %.40q, %v", row, err)
	}
	if t.Failed() {
		t.Log(page)
	}
}

// TestKept: the count of kept ids is over the points that stay, in clusters that persist.
func TestKept(t *testing.T) {
	groups := func(before *identity.Groups, x []float64, stayed []int32) *identity.Groups {
		g, _, err := identity.Follow(t.Context(), vec.Of(len(x), 1, x), before, stayed, clusters.Settings{MinSize: 3, MinSamples: 1}, identity.Settings{})
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	before := groups(nil, []float64{0, 1, 2, 3, 100, 101, 102, 103}, nil)
	// One leaves the first cluster for noise, one joins the second, one is another point.
	after := groups(before, []float64{0, 1, 2, 102.5, 100, 101, 102, 5000}, []int32{0, 1, 2, 3, 4, 5, 6, 7})
	if got, want := changeOf(before, after, []int32{0, 1, 2, 3, 4, 5, -1, 7}), (change{5. / 7, 1. / 7, 1. / 7}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	k := kept{maps: []lateMap{{points: 4}, {points: 10}, {points: 15, mostly: []identity.ID{3}}, {points: 20}}}
	if sized, born, points, lasts := k.appeared(10); sized != 1 || born != 2 || points != 15 || lasts {
		t.Errorf("it had its points at %d, was born at %d with %d, lasts: %v", sized, born, points, lasts)
	}
	k = kept{maps: []lateMap{{mostly: []identity.ID{1, 2}, alive: map[identity.ID]bool{1: true, 2: true}}, {alive: map[identity.ID]bool{2: true}}, {alive: map[identity.ID]bool{7: true}}}}
	if k.left() != 2 {
		t.Errorf("it left at %v", k.left())
	}
}

func TestUsage(t *testing.T) {
	t.Setenv("UNFOLD_DATA", "")
	for _, args := range [][]string{{"-nonsense"}, {"-small", "-only", "nothing"}, {}} {
		if code := run(t.Context(), args, io.Discard, io.Discard); code != 2 {
			t.Errorf("%q: exit code %d, want 2", args, code)
		}
	}
	if code := run(t.Context(), []string{"-data", t.TempDir(), "-out", t.TempDir()}, io.Discard, io.Discard); code != 1 {
		t.Errorf("without data: exit code %d, want 1", code)
	}
}

func TestVerdicts(t *testing.T) {
	b := target{known: true, bound: .002, format: "%.3f"}
	for v, want := range map[float64]string{-1: harness.Met, .002: harness.Met, .0024: harness.Met, .0026: harness.Missed} {
		b.value = v
		if got := b.verdict(); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	b.above = true
	b.value = .001
	if b.verdict() != harness.Missed {
		t.Errorf("%s", b.verdict())
	}
	if (target{}).verdict() != harness.NotMeasured {
		t.Error("a target that was not measured has a verdict")
	}
	for _, b := range targets(nil) {
		if b.verdict() != harness.NotMeasured || b.measured() != "" {
			t.Errorf("%s of nothing: %s", b.what, b.verdict())
		}
	}
}

// TestPieces: a class in two heaps, separated by other points, has two pieces.
func TestPieces(t *testing.T) {
	nb := knn.NewNeighbors(40, 10)
	class := make([]int32, 40)
	for i := range 40 {
		heap := i / 10 // neighbours are in the same heap, and one in the next
		class[i] = int32(heap % 2)
		index, _ := nb.Row(i)
		for m := range index {
			index[m] = int32(10*heap + (i+1+m)%10)
		}
		index[9] = int32((10*heap + 10) % 40)
	}
	var q quality
	q.classes(nb, class, 1)
	if q.Pieces != 2 || q.Recall != 1 || q.Others != 1 {
		t.Errorf("%+v", q)
	}
}

// TestReservoir: at the end, every event has the same probability to be a member.
func TestReservoir(t *testing.T) {
	const size, events, runs = 5, 40, 20000
	var hits [events]int
	r := rand.New(rand.NewPCG(1, 2))
	for range runs {
		var member [size]int
		for n := range events {
			if n < size {
				member[n] = n
			} else if o := algorithmR(r, n, size); o >= 0 {
				member[o] = n
			}
		}
		for _, n := range member {
			hits[n]++
		}
	}
	want := float64(runs) * size / events
	for n, h := range hits {
		if math.Abs(float64(h)-want) > 5*math.Sqrt(want) {
			t.Errorf("event %d is a member %d times, want about %.0f", n, h, want)
		}
	}
}

// TestEarlier: earlier measurements stay on the page, with the run that made them.
func TestEarlier(t *testing.T) {
	dir := t.TempDir()
	page := filepath.Join(dir, "refresh.md")
	const old = `# A map that follows its stream

Written from 4 run(s),
on 2 cores, an/architecture, with 3 threads. And so on.

2 of 29 targets are met.

| stream | what | target | measured | |
|---|---|---|---|---|
| growth | 1-NN accuracy at the end, below a fresh fit's | <= 0.0030 | 0.0004 | met |
| leaves | 9-NN accuracy when the class has gone, below a fresh fit's | <= 0.0020 | 0.0100 | **missed** |

## Growth

A story.

| a table |

## Restart

A run of its own.
`
	if err := os.WriteFile(page, []byte(old), 0o666); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time from its own page
		if code := run(t.Context(), []string{"-small", "-only", gaussian, "-out", filepath.Join(dir, "out"), "-o", page}, io.Discard, io.Discard); code != 1 { // a target is missed
			t.Fatalf("exit code %d", code)
		}
	}
	text, err := harness.ReadPage(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n## Growth\n\nRun before runs were named, on 2 cores, an/architecture, with 3 threads.\n\nA story.\n\n| a table |\n\n## Gaussian\n\nRun 2",
		"\n## Restart\n\nRun before runs were named, on 2 cores, an/architecture, with 3 threads.\n\nA run of its own.\n",
		"\n| growth | 1-NN accuracy at the end, below a fresh fit's | <= 0.0030 | 0.0004 | met |\n", "| <= 0.0020 | 0.0100 | **missed** |\n",
		"\n1 of 63 targets are met, 1 are missed, 42 are not measured. Those that are not met:\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the page has no %q:\n%s", want, text)
		}
	}
}

// TestYoung: the table has a line for young points and for old ones, for both kinds of edges, at
// both marks.
func TestYoung(t *testing.T) {
	var table strings.Builder
	if code := run(t.Context(), []string{"-small", "-young"}, &table, io.Discard); code != 0 {
		t.Fatalf("exit %d", code)
	}
	tables := strings.Split(strings.TrimSpace(table.String()), "\n\n")
	if len(tables) != 4 || strings.Contains(table.String(), "NaN") {
		t.Fatalf("%d tables:\n%s", len(tables), table.String())
	}
	for k, rows := range []int{8, 2, 5, 4} {
		if got := strings.Count(strings.TrimSpace(tables[k]), "\n") + 1 - 2; got != rows {
			t.Errorf("table %d has %d rows, want %d:\n%s", k+1, got, rows, tables[k])
		}
	}
	lines := strings.Split(tables[0], "\n")
	if len(lines) != 2+8 {
		t.Fatalf("%d lines: %s", len(lines), table.String())
	}
	for i, line := range lines[2:] {
		var points int
		var age string
		var live, fresh, trust, freshTrust, gain float64
		cells := strings.Split(line, "|")
		_, err := fmt.Sscanf(cells[3], "%d %s", &points, &age)
		for c, v := range []*float64{&live, &fresh, &trust, &freshTrust, &gain} {
			_, bad := fmt.Sscan(strings.TrimSpace(cells[4+c]), v)
			err = errors.Join(err, bad)
		}
		if err != nil || age != []string{"young", "old"}[i%2] || points < 50 || points > 250 || live < 0.8 || trust < 0.8 || fresh < 0.8 || freshTrust < 0.8 {
			t.Errorf("%s: %v", line, err)
		}
	}
}
