package main

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"unfold/internal/vec"
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
		if r := explained(x, land, c); math.Abs(r-1) > 1e-5 {
			t.Errorf("column %d: an affine picture explains %g", c, r)
		}
		if r := explained(noise, land, c); r > 0.05 || r < 0 {
			t.Errorf("column %d: random places explain %g", c, r)
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

// Points on a line have a place along it, and none across; other columns do not count.
func TestPrincipal(t *testing.T) {
	rows := table{names: []string{"x", "other", "y"}}
	for i := range 20 {
		v := strconv.Itoa(i)
		rows.rows = append(rows.rows, []string{v, strconv.Itoa(i * i % 7), v})
	}
	at, err := rows.principal(t.Context(), "x", "y")
	if err != nil {
		t.Fatal(err)
	}
	for i := range at.Rows {
		along, across := math.Abs(float64(at.Row(i)[0])), math.Abs(float64(at.Row(i)[1]))
		if want := math.Sqrt2 * math.Abs(float64(i)-9.5); math.Abs(along-want) > 1e-4 || across > 1e-4 {
			t.Errorf("point %d is at %v, want %g along", i, at.Row(i), want)
		}
	}
	if _, err := rows.principal(t.Context(), "z"); err == nil {
		t.Error("a column that is not there has places")
	}
}
