//go:build linux

package cli

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"unfold"
	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models/budget"
)

// beyondRows is the number of rows of the tests whose fits have no room for all of them.
const beyondRows = 12_000

// beyondData writes the same rows of twelve groups as text, Parquet and .npy, whose labels are in a
// file beside it.
func beyondData(t *testing.T) (group []string) {
	t.Helper()
	const dim, groups = 10, 12
	rnd := rand.New(rand.NewPCG(5, 8))
	centre := vec.New[float32](groups, dim)
	for k := range centre.Data {
		centre.Data[k] = float32(6 * rnd.NormFloat64())
	}
	x, rows, ids := vec.New[float32](beyondRows, dim), make(unfold.Rows, beyondRows), make([]string, beyondRows)
	var text strings.Builder
	text.WriteString("name,kind")
	for k := range dim {
		fmt.Fprintf(&text, ",x%d", k)
	}
	for i := range rows {
		g := rnd.IntN(groups)
		ids[i], group = "row "+strconv.Itoa(i), append(group, "group "+strconv.Itoa(g))
		fmt.Fprintf(&text, "\n%s,%s", ids[i], group[i])
		for k := range dim {
			x.Row(i)[k] = centre.Row(g)[k] + float32(rnd.NormFloat64())
			fmt.Fprintf(&text, ",%g", x.Row(i)[k])
		}
		rows[i] = x.Row(i)
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(text.String())); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	write(t, "rows.csv.gz", packed.String())
	npyOf(t, "rows.npy", rows)
	write(t, "kinds.csv", "kind\n"+strings.Join(group, "\n")+"\n")
	w, err := emit.Create("rows.parquet", emit.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	out := &emit.Output{ID: table.StringColumn("id", ids), Kept: []table.Column{table.StringColumn("kind", group)}, Embedding: x}
	if err := errors.Join(w.Write(out), w.Close()); err != nil {
		t.Fatal(err)
	}
	return group
}

// beyondRun runs the program in a process of its own, whose memory is known when it starts.
func beyondRun(t *testing.T, stdin string, environ []string, args ...string) (code int, stderr string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(append(os.Environ(), asProgram+"=1"), environ...)
	var said strings.Builder
	c.Stdin, c.Stderr = strings.NewReader(stdin), &said
	var ended *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), said.String()
}

// halfRoom returns a --memory that has room for about half of the rows that args name, or for more, but
// not for all. What a process takes when it starts differs by 2 MiB, so the most of several counts.
func halfRoom(t *testing.T, args []string) string {
	t.Helper()
	need := int64(0)
	for range 5 {
		_, said := beyondRun(t, "", nil, slices.Concat([]string{"-q", "fit", "--dry-run", "--memory", "1000"}, args)...)
		found := regexp.MustCompile(`give --memory (\d+)MiB`).FindStringSubmatch(said)
		if found == nil {
			t.Fatalf("a fit of 1000 bytes: %s", said)
		}
		one, _ := strconv.ParseInt(found[1], 10, 64)
		need = max(need, one)
	}
	bytes := func(rows int) int64 {
		p, err := budget.New(budget.Job{Rows: rows, Dim: 10, Kept: 48, Scored: slices.Contains(args, "--report")})
		if err != nil {
			t.Fatal(err)
		}
		return p.Bytes()
	}
	base := need<<20 - bytes(beyondRows)
	return strconv.FormatInt(base+bytes(beyondRows/2)*6/5, 10) // a sixth is left free
}

// A fit whose limit has no room for all rows learns some of them and places the others as embed does. All rows
// come back in order, with their ids and labels, and placed rows lie beside their groups as learnt ones do.
func TestFitBeyondMemory(t *testing.T) {
	t.Chdir(t.TempDir())
	group := beyondData(t)
	for _, c := range []struct{ name, args, out string }{
		{"gzipped CSV", "rows.csv.gz --columns x* --id name --label kind --report r.json", "map.parquet"},
		{"Parquet", "rows.parquet --vector embedding --id id --label kind", "map.csv"},
		{"npy", "rows.npy --label-file kinds.csv --report r.json --classify", "map.jsonl.gz"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "npy" {
				tier.Full(t, "it learns half of 12,000 rows once more")
			}
			args := strings.Fields(c.args)
			room := halfRoom(t, args)
			code, said := beyondRun(t, "", nil, slices.Concat([]string{"fit", "-o", "m.unfold", "--map", c.out, "--steps", "60", "--memory", room}, args)...)
			found := regexp.MustCompile(`note: --memory \d+ has room to learn from ([0-9,]+) of 12,000 rows, drawn uniformly by --seed 1; the others are placed on their map\n`).FindStringSubmatch(said)
			if code != 0 || found == nil {
				t.Fatalf("exit %d: %s", code, said)
			}
			learnt, _ := strconv.Atoi(strings.ReplaceAll(found[1], ",", ""))
			m := beyondMap(t, c.out)
			m.check(t, learnt, group, c.name != "npy")
			m.sameAsEmbed(t, args)
			if strings.Contains(c.args, "--report") {
				checkPlacedReport(t, learnt)
			}
		})
	}
}

// beyondPlaces is a map that was read.
type beyondPlaces struct {
	*ingest.Dataset
	unlearnt []bool
}

func beyondMap(t *testing.T, path string) *beyondPlaces {
	t.Helper()
	m := ingest.Mapping{Selection: ingest.Selection{ID: "id", Label: "kind", Keep: []string{UnlearntName}}}
	if path == "map.jsonl.gz" {
		m.Selection.Label = ingest.LabelName
	}
	d, err := ingest.ReadAll(t.Context(), []string{path}, ingest.ReadOptions{Mapping: ingest.Mapping{OfMap: true, Selection: m.Selection, AsIs: true}})
	if err != nil {
		t.Fatal(err)
	}
	out := &beyondPlaces{Dataset: d}
	for i := range d.Len() {
		for _, k := range d.Kept {
			if k.Name() == UnlearntName {
				out.unlearnt = append(out.unlearnt, k.Text(i) == "true")
			}
		}
	}
	return out
}

func (m *beyondPlaces) check(t *testing.T, learnt int, group []string, named bool) {
	t.Helper()
	if m.Len() != beyondRows || !slices.Equal(m.Label, group) {
		t.Fatalf("%d rows; the labels are those of the rows: %v", m.Len(), slices.Equal(m.Label, group))
	}
	right, count := [2]float64{}, [2]float64{}
	for i := range m.Len() {
		want := strconv.Itoa(i)
		if named {
			want = "row " + want
		}
		if m.ID.Text(i) != want {
			t.Fatalf("row %d has id %q", i, m.ID.Text(i))
		}
		placed := 0
		if m.unlearnt[i] {
			placed = 1
		}
		count[placed]++
		if (i+placed)%3 == 0 && m.Label[m.nearestLearnt(i)] == group[i] {
			right[placed]++
		}
	}
	if int(count[0]) != learnt || learnt < leastLearnt || learnt > beyondRows-500 {
		t.Errorf("%g rows are learnt, %d were to be", count[0], learnt)
	}
	if a, b := 3*right[0]/count[0], 3*right[1]/count[1]; a < 0.97 || math.Abs(a-b) > 0.03 {
		t.Errorf("1-NN of the group: %.4f of learnt rows, %.4f of placed ones", a, b)
	}
}

// nearestLearnt returns the learnt row nearest to row i on the map, other than itself.
func (m *beyondPlaces) nearestLearnt(i int) int {
	best, least := -1, math.Inf(1)
	for j := range m.Len() {
		if m.unlearnt[j] || j == i {
			continue
		}
		dx, dy := m.X.Row(i)[0]-m.X.Row(j)[0], m.X.Row(i)[1]-m.X.Row(j)[1]
		if d := float64(dx*dx + dy*dy); d < least {
			best, least = j, d
		}
	}
	return best
}

// sameAsEmbed compares the placed rows with the output of embed with the same model.
func (m *beyondPlaces) sameAsEmbed(t *testing.T, args []string) {
	t.Helper()
	must(t, "-q", "embed", args[0], "-m", "m.unfold", "-o", "embed.parquet")
	e, err := ingest.ReadAll(t.Context(), []string{"embed.parquet"}, ingest.ReadOptions{Mapping: ingest.Mapping{OfMap: true, AsIs: true}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Len() {
		if m.unlearnt[i] && !slices.Equal(m.X.Row(i), e.X.Row(i)) {
			t.Fatalf("row %d is at %v, embed places it at %v", i, m.X.Row(i), e.X.Row(i))
		}
	}
}

func checkPlacedReport(t *testing.T, learnt int) {
	t.Helper()
	var r report
	text, err := os.ReadFile("r.json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil || r.N != learnt || r.Placed == nil || r.Placed.Rows != beyondRows-learnt {
		t.Fatalf("%v: %d rows learnt, placed %+v", err, r.N, r.Placed)
	}
	p := r.Placed
	if p.RankedRows != 1000 || p.Trustworthiness == nil || math.Abs(*p.Trustworthiness-*r.Trustworthiness) > 0.01 {
		t.Errorf("trustworthiness %v of placed rows, of %d, %v of learnt ones", p.Trustworthiness, p.RankedRows, r.Trustworthiness)
	}
	if p.LabelledRows != p.Rows || p.NN1 == nil || math.Abs(*p.NN1-*r.LOO1) > 0.01 {
		t.Errorf("1-NN %v of placed rows, of %d, %v of learnt ones", p.NN1, p.LabelledRows, r.LOO1)
	}
}

// Where all rows have to be learnt, the limit is an error that gives the reason.
func TestFitBeyondMemoryRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	beyondData(t)
	npy, err := os.ReadFile("rows.npy")
	if err != nil {
		t.Fatal(err)
	}
	room := halfRoom(t, []string{"rows.npy"})
	for args, want := range map[string]string{
		"-":                             "standard input can be read only once, and a fit of more rows than have room reads them twice: give a file",
		"rows.npy --numbers":            "with --numbers all rows are learnt; without it as many as have room",
		"rows.npy --clusters":           "unfold clusters takes their map",
		"rows.npy --frame rows.parquet": "with --frame all rows are learnt",
	} {
		code, said := beyondRun(t, string(npy), nil, slices.Concat([]string{"-q", "fit", "-o", "m.unfold", "--map", "map.csv", "--memory", room}, strings.Fields(args))...)
		if code != exitFailed || !strings.Contains(said, want) || !strings.Contains(said, "is too little") {
			t.Errorf("%s: exit %d: %s", args, code, said)
		}
	}
	if left, _ := filepath.Glob("m*"); len(left) > 0 {
		t.Errorf("it leaves %q", left)
	}
}

// The memory of the process that started the program does not count: a Python process has its own data.
func TestMemoryOfTheParent(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of the program alone is known on Linux only")
	}
	t.Chdir(workspace(t))
	const large = 600 << 20
	data := make([]byte, large)
	for i := 0; i < large; i += 4096 {
		data[i] = 1
	}
	code, said := beyondRun(t, "", nil, "fit", "small.csv", "--columns", "x,y,z", "--steps", "5", "-o", "m.unfold", "--memory", "300MiB")
	runtime.KeepAlive(data)
	if code != exitDone {
		t.Errorf("a fit in 300 MiB, started by a process of 600: exit %d, %s", code, said)
	}
}
