package cli

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/foreign"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/placing"
	"unfold/models/snapshot"
	"unfold/stream/embed"
)

//go:embed testdata/outputs.py
var readOutputs string

// Other programs read from every file what the model returned. The test covers all output columns,
// kinds of models and file formats. It varies the dimensions, the classes and the number of rows:
// none, one, a batch and several.
func TestOutputsOfEveryKind(t *testing.T) {
	tier.Full(t, "it runs Python libraries")
	t.Chdir(t.TempDir())
	sheet(t, "train.csv", 90, true)
	many, few := []int{0, 1, 4096, 4097, 10_000}, []int{1, 4097}
	for _, n := range many {
		sheet(t, fmt.Sprintf("in-%d.csv", n), n, false)
	}
	var cases []string
	for _, kind := range []struct {
		name, flags string
		rows        []int
	}{
		{"student", "--kind lvm --tails student", many}, {"gaussian", "--kind lvm --tails gaussian", few},
		{"lllvm", "--kind lllvm --steps 10", few}, {"gplvm", "--kind gplvm --steps 5 --active 20", few},
	} {
		for _, dims := range []int{2, 10} {
			model := fmt.Sprintf("%s-%d", kind.name, dims)
			must(t, words(fmt.Sprintf("-q fit train.csv --columns * --label kind --classify --seed 1 --dims %d -o %s.unfold %s", dims, model, kind.flags))...)
			for _, n := range kind.rows {
				cases = append(cases, placeEverywhere(t, model, n)...)
			}
		}
	}
	out := foreign.Run(t, readOutputs, cases...)
	var seen struct{ Files, Columns int }
	if err := json.Unmarshal(out, &seen); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if want := len(cases) * len(emit.Extensions); seen.Files != want || seen.Columns != 9*want {
		t.Errorf("%d columns of %d files were compared, there are %d files", seen.Columns, seen.Files, want)
	}
}

// period is the number of rows after which the rows of a sheet repeat.
const period = 128

// periodic is a placer for the rows of a sheet. Places depend only on the row, so it places one
// period and repeats the results.
type periodic struct{ models.Placer }

func (p periodic) Place(ctx context.Context, x vec.Matrix[float32]) (models.Placed, error) {
	at, err := p.Placer.Place(ctx, x.Slice(0, min(x.Rows, period)))
	if err != nil || x.Rows <= period {
		return at, err
	}
	again := func(v []float32) (all []float32) {
		for len(all) < x.Rows*len(v)/period {
			all = append(all, v[:min(len(v), x.Rows*len(v)/period-len(all))]...)
		}
		return all
	}
	at.Mu = vec.Matrix[float32]{Rows: x.Rows, Cols: at.Mu.Cols, Data: again(at.Mu.Data)}
	at.Seen = vec.Matrix[float32]{Rows: x.Rows, Cols: at.Seen.Cols, Data: again(at.Seen.Data)}
	at.Sigma, at.NoveltyLocal, at.NoveltyGlobal = again(at.Sigma), again(at.NoveltyLocal), again(at.NoveltyGlobal)
	return at, nil
}

// sheet writes rows of twelve numbers around three centres, with their number. If labels is set,
// every third row has a label.
func sheet(t *testing.T, path string, rows int, labels bool) {
	t.Helper()
	var rnd *rand.Rand
	var b strings.Builder
	b.WriteString("key,kind")
	for k := range 12 {
		fmt.Fprintf(&b, ",x%d", k)
	}
	for i := range rows {
		if i%period == 0 {
			rnd = rand.New(rand.NewPCG(3, 3))
		}
		c, label := rnd.IntN(3), ""
		if labels && i%3 == 0 {
			label = []string{"low", "élan", "odd"}[c]
		}
		fmt.Fprintf(&b, "\nkey %d,%s", i, label)
		for k := range 12 {
			fmt.Fprintf(&b, ",%.4f", rnd.NormFloat64()+4*float64((c+k)%3))
		}
	}
	write(t, path, b.String()+"\n")
}

// placeEverywhere places the rows of a file and writes them in every format, with and without
// classes. It returns the two folders, which also contain the expected values.
func placeEverywhere(t *testing.T, model string, rows int) []string {
	t.Helper()
	s, err := readModel(t.Context(), model+".unfold")
	if err != nil {
		t.Fatal(err)
	}
	m, err := embed.Open(s, embed.Settings{
		Open: func(s *snapshot.Snapshot) (models.Placer, error) {
			p, err := fit.Open(s, placing.Options{})
			return periodic{p}, err
		},
		Mapping: ingest.Mapping{Selection: ingest.Selection{ID: "key", Keep: []string{"x3"}}}, Files: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	e := &embedder{maps: m}
	w := &manyFiles{}
	for _, with := range []bool{false, true} {
		b := beside{dir: fmt.Sprintf("%s-%d-%v", model, rows, with), classes: with, values: map[string]*bytes.Buffer{}}
		if err := os.Mkdir(b.dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, ext := range emit.Extensions {
			file, err := emit.Create(filepath.Join(b.dir, "map"+ext), emit.WriteOptions{})
			if err != nil {
				t.Fatal(err)
			}
			b.files = append(b.files, file)
		}
		w.folders = append(w.folders, b)
	}
	p := &program{System: System{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}}
	if err := e.file(t.Context(), p, fmt.Sprintf("in-%d.csv", rows), ingest.Options{}, table.Column{}, w); err != nil {
		t.Fatalf("%s, %d rows: %v", model, rows, err)
	}
	if err := w.Close(); err != nil {
		t.Fatalf("%s, %d rows: %v", model, rows, err)
	}
	return []string{w.folders[0].dir, w.folders[1].dir}
}

// manyFiles is a Writer to all formats at once.
type manyFiles struct{ folders []beside }

// beside is a folder of files with the same content, and that content as plain numbers.
type beside struct {
	dir     string
	classes bool
	files   []emit.Writer
	values  map[string]*bytes.Buffer
}

func (e *manyFiles) Write(o *emit.Output) error {
	for _, b := range e.folders {
		out := *o
		if !b.classes {
			out.Class, out.Probability = nil, nil
		}
		for _, f := range b.files {
			if err := f.Write(&out); err != nil {
				return err
			}
		}
		b.note(&out)
	}
	return nil
}

// note stores what was written: numbers in little-endian order, text in lines.
func (b *beside) note(o *emit.Output) {
	add := func(name string, values any) {
		if b.values[name] == nil {
			b.values[name] = &bytes.Buffer{}
		}
		if lines, ok := values.([]string); ok {
			for _, l := range lines {
				b.values[name].WriteString(l + "\n")
			}
			return
		}
		_ = binary.Write(b.values[name], binary.LittleEndian, values) // writes to memory
	}
	add("id.text", o.ID.Strings())
	kept, _ := o.Kept[0].Floats()
	add(o.Kept[0].Name()+".float64", kept)
	add("embedding.float32", o.Embedding.Data)
	add("sigma.float32", o.Sigma)
	add("novelty_local.float32", o.NoveltyLocal)
	add("novelty_global.float32", o.NoveltyGlobal)
	if o.Class != nil {
		add("class.text", o.Class)
		add("class_probability.float32", o.Probability)
	}
	for range o.Len() {
		add("map_epoch.uint32", o.Epoch)
		add("model_version.uint64", o.Version)
	}
	add("map_epoch.uint32", []uint32{})
	add("model_version.uint64", []uint64{})
	b.values["dims"] = bytes.NewBufferString(fmt.Sprint(o.Embedding.Cols))
}

func (e *manyFiles) Close() error {
	for _, b := range e.folders {
		for _, f := range b.files {
			if err := f.Close(); err != nil {
				return err
			}
		}
		for name, values := range b.values {
			if err := os.WriteFile(filepath.Join(b.dir, name), values.Bytes(), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *manyFiles) Abort() {}
