package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
	"unfold/models/fit"
)

// table is rows of named columns.
type table struct {
	names []string
	rows  [][]string
}

// readTable reads a CSV file, or rows of blank-separated words without names.
func readTable(path string, named bool) (t table, err error) {
	in, err := harness.Open(path)
	if err != nil {
		return t, err
	}
	defer in.Close()
	if named {
		rows, err := csv.NewReader(in).ReadAll()
		if err != nil || len(rows) < 2 {
			return t, fmt.Errorf("%s: %d rows (%w)", path, len(rows), err)
		}
		return table{rows[0], rows[1:]}, nil
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return t, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		if words := strings.Fields(line); len(words) > 0 {
			t.rows = append(t.rows, words)
		}
	}
	return t, nil
}

// sample returns n random rows.
func (t table) sample(n int, seed uint64) table {
	rows := slices.Clone(t.rows)
	rnd := rand.New(rand.NewPCG(seed, 1))
	rnd.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return table{t.names, rows[:min(n, len(rows))]}
}

func (t table) write(path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(f)
	if err := w.WriteAll(append([][]string{t.names}, t.rows...)); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// numbers returns columns as a matrix.
func (t table) numbers(names ...string) (vec.Matrix[float32], error) {
	out := vec.New[float32](len(t.rows), len(names))
	for c, name := range names {
		at := slices.Index(t.names, name)
		if at < 0 {
			return out, fmt.Errorf("there is no column %q", name)
		}
		for i, row := range t.rows {
			v, err := strconv.ParseFloat(row[at], 32)
			if err != nil {
				return out, err
			}
			out.Row(i)[c] = float32(v)
		}
	}
	return out, nil
}

// command runs the program.
func (b *bench) command(ctx context.Context, args ...string) error {
	c := exec.CommandContext(ctx, b.unfold, append([]string{"-q"}, args...)...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("unfold %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// fitted is the content of a report.
type fitted struct {
	Neighbors  int                `json:"neighbors"`
	Components int                `json:"components"`
	Iterations int                `json:"iterations"`
	Loglik     float64            `json:"loglik"`
	Seconds    map[string]float64 `json:"seconds"`
	Model      fit.LocallyLinear  `json:"model"`
}

// fit learns NAME.csv with a kind of model. columns are those of the vector. It writes
// NAME-KIND.unfold and the map NAME-KIND.csv, and reads the report.
func (b *bench) fit(ctx context.Context, name, kind, columns string, args ...string) (r fitted, err error) {
	to := name + "-" + kind
	all := []string{
		"fit", b.file(name + ".csv"), "--kind", kind, "--pca", "none", "--columns", columns, "-o", b.file(to + ".unfold"),
		"--map", b.file(to + ".csv"), "--report", b.file(to + ".json"),
	}
	if kind == "lllvm" {
		all = append(all, "--restarts", fmt.Sprint(b.starts)) // unless args say otherwise
	}
	if err := b.command(ctx, append(all, args...)...); err != nil {
		return r, err
	}
	raw, err := os.ReadFile(b.file(to + ".json"))
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(raw, &r)
}

// places returns the places of a kind's map.
func (b *bench) places(name, kind string) (vec.Matrix[float32], error) {
	t, err := readTable(b.file(name+"-"+kind+".csv"), true)
	if err != nil {
		return vec.Matrix[float32]{}, err
	}
	return t.numbers("embedding_0", "embedding_1")
}

// join lists names for --columns.
func join(names []string) string { return strings.Join(names, ",") }
