package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models/lllvm"
	"unfold/models/modeltest"
)

// Places that are an affine picture of the land explain all of it, random ones nothing.
func TestExplained(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	land, x, noise := vec.New[float32](500, 2), vec.New[float32](500, 2), vec.New[float32](500, 2)
	for i := range land.Rows {
		a, b := rnd.Float32(), rnd.Float32()
		copy(land.Row(i), []float32{a, b})
		copy(x.Row(i), []float32{2*a - b + 3, a + b})
		copy(noise.Row(i), []float32{rnd.Float32(), rnd.Float32()})
	}
	for c := range 2 {
		if r := nearest(x, land, c); r < 0.9 {
			t.Errorf("column %d: the nearest places explain %g", c, r)
		}
		if r := nearest(noise, land, c); r > 0.1 {
			t.Errorf("column %d: the nearest of random places explain %g", c, r)
		}
		if r, err := explained(x, land, c); err != nil || math.Abs(r-1) > 1e-5 {
			t.Errorf("column %d: an affine picture explains %g, error %v", c, r, err)
		}
		if r, err := explained(noise, land, c); err != nil || r > 0.05 || r < 0 {
			t.Errorf("column %d: random places explain %g, error %v", c, r, err)
		}
	}
}

// Two far clouds of one label each have no errors, labels at random about half.
func TestFoldError(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	x := vec.New[float32](200, 2)
	right, random := make([]string, x.Rows), make([]string, x.Rows)
	for i := range x.Rows {
		copy(x.Row(i), []float32{float32(i%2)*10 + rnd.Float32(), rnd.Float32()})
		right[i], random[i] = string(rune('a'+i%2)), string(rune('a'+rnd.IntN(2)))
	}
	if e := foldError(x, right); e != 0 {
		t.Errorf("clouds apart: error %g", e)
	}
	if e := foldError(x, random); e < 0.35 || e > 0.65 {
		t.Errorf("labels at random: error %g", e)
	}
}

// Pixels that are the same in all digits are left out, and each class is there as often.
func TestChosenDigits(t *testing.T) {
	var all table
	for i := range 10 * perClass * 3 {
		digit := []string{"0.0000", "1.0000", "2.0000", "3.0000", "4.0000", "5.0000", "9.0000"}[i%7]
		all.rows = append(all.rows, []string{digit, "-1.0000", []string{"0.5", "0.25"}[i%2], "1"})
	}
	got, pixels := chosenDigits(all)
	if len(got.rows) != classes*perClass || len(pixels) != 1 || pixels[0] != "p2" || len(got.names) != 2 {
		t.Fatalf("%d rows, pixels %v, columns %v", len(got.rows), pixels, got.names)
	}
}

// In patches the bound is lower, and the table says by how much.
func TestPatchTable(t *testing.T) {
	lines, err := patchTable(t.Context(), modeltest.SwissRoll(150), []int{0, 40}, 5)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.Split(strings.TrimSpace(lines), "\n")
	if len(rows) != 2 || !strings.HasPrefix(rows[0], "| 150 | 1 | 150 |") || !strings.HasSuffix(rows[1], "% |") || strings.Contains(rows[1], "| -") {
		t.Errorf("the table is\n%s", lines)
	}
}

// The mean of bounds, their deviation and the highest are those of the starts of a number of neighbours.
func TestBoundTable(t *testing.T) {
	got := boundTable([]lllvm.Run{{Neighbors: 4, Bound: 1}, {Neighbors: 5, Bound: 7}, {Neighbors: 4, Bound: 3}})
	if want := "| 4 | 2.0 | 1.4 | 3.0 |\n| 5 | 7.0 | 0.0 | 7.0 |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("the table is\n%swant it to end with\n%s", got, want)
	}
}

// A pixel that is the same in all digits is empty, and the others are where their names say.
func TestPixels(t *testing.T) {
	got, err := table{[]string{"digit", "p1", "p18"}, [][]string{{"3", "1", "0"}}}.pixels(0)
	if err != nil || len(got) != side*side || got[0] != 1 || got[17] != 0.5 || got[1] != 0 {
		t.Errorf("pixels %v, error %v", got, err)
	}
}

// The highest bound of a number of dimensions is shown, the highest of all in bold.
func TestDimsRow(t *testing.T) {
	got := dimsRow("a roll", 3, []lllvm.Run{{Dims: 1, Bound: 4}, {Dims: 1, Bound: 5}, {Dims: 2, Bound: 7}, {Dims: 2, Bound: 1}})
	if want := "| a roll | 3 | 5 | **7** | | |\n"; got != want {
		t.Errorf("the row is %q, want %q", got, want)
	}
}
