package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A roll is curved and a flat sheet is not, also where columns are projected.
func TestCurved(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, rest int, f func(u, v float64) [3]float64) string {
		rng := rand.New(rand.NewPCG(1, 2))
		var text strings.Builder
		text.WriteString("x,y,z")
		for c := range rest {
			fmt.Fprintf(&text, ",c%d", c)
		}
		for range 1200 {
			p := f(rng.Float64(), rng.Float64())
			fmt.Fprintf(&text, "\n%g,%g,%g%s", p[0], p[1], p[2], strings.Repeat(",0", rest))
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text.String()+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	roll := write("roll.csv", 60, func(u, v float64) [3]float64 {
		a := 3 + 8*u
		return [3]float64{a * math.Cos(a), 12 * v, a * math.Sin(a)}
	})
	flat := write("flat.csv", 0, func(u, v float64) [3]float64 { return [3]float64{u, v, u + v} })
	var out, complaint strings.Builder
	if code := run(t.Context(), []string{"-seeds", "2", "-columns", "*", roll, flat}, &out, &complaint); code != 0 {
		t.Fatalf("exit code %d: %s", code, complaint.String())
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 || !strings.HasSuffix(lines[2], "| 2 of 2 |") || !strings.HasSuffix(lines[3], "| 0 of 2 |") {
		t.Errorf("printed\n%s", out.String())
	}
	if code := run(t.Context(), nil, &out, &complaint); code != 2 {
		t.Errorf("no files: exit code %d", code)
	}
}
