package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"unfold/internal/vec"
	"unfold/models/classic/lllvm"
	"unfold/models/modeltest"
)

// Places that are an affine transform of the land explain all of it, random ones nothing.
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

// A map that is turned, mirrored, shifted and scaled counts as similar. A stretched map is less
// similar, and random places are not.
func TestAlike(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 2))
	land := vec.New[float32](500, 2)
	turned, stretched, noise := vec.New[float32](500, 2), vec.New[float32](500, 2), vec.New[float32](500, 2)
	for i := range land.Rows {
		a, b := rnd.Float32(), rnd.Float32()
		copy(land.Row(i), []float32{a, b})
		copy(turned.Row(i), []float32{3*b + 1, 3*a - 7})
		copy(stretched.Row(i), []float32{a, 5 * b})
		copy(noise.Row(i), []float32{rnd.Float32(), rnd.Float32()})
	}
	for _, c := range []struct {
		name      string
		x         vec.Matrix[float32]
		low, high float64
	}{{"turned", turned, 0.9999, 1.0001}, {"stretched", stretched, 0.6, 0.8}, {"noise", noise, 0, 0.05}} {
		if r, err := alike(c.x, land); err != nil || r < c.low || r > c.high {
			t.Errorf("%s: %g, error %v", c.name, r, err)
		}
	}
}

// The highest value of each column is bold, also where two share it.
func TestKeptRow(t *testing.T) {
	a := kept{Affine: [2]float64{0.5, 0.25}, Nearest: [2]float64{0.75, 0.5}, Alike: 0.125}
	b := kept{Affine: [2]float64{0.25, 0.25}, Nearest: [2]float64{0.5, 0.75}, Alike: 0.25}
	top := highest([]kept{a, b})
	if got, want := a.row("a", top), "| a | **0.50** | **0.25** | **0.75** | 0.50 | 0.12 |\n"; got != want {
		t.Errorf("the row is %q, want %q", got, want)
	}
	b.Alike = math.NaN()
	if got, want := b.row("b", nil), "| b | 0.25 | 0.25 | 0.50 | 0.75 | |\n"; got != want {
		t.Errorf("the row is %q, want %q", got, want)
	}
}

// Neighbours on the sheet have nearly the same distance in space. The edge of nearButFar is the only
// short circuit.
func TestCircuits(t *testing.T) {
	x, truth, err := rollTable(400).parts()
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Rows {
		for j := range i {
			if d, far := distance(x, i, j), distance(truth, i, j); d > far*1.0001 || far < 0.5 && d < far*0.95 {
				t.Fatalf("points %d and %d are %g apart, and %g on the sheet", i, j, d, far)
			}
		}
	}
	lists, err := neighbours(t.Context(), x, 12)
	if err != nil {
		t.Fatal(err)
	}
	if circuits(lists, x, truth) == 0 {
		t.Error("no edge is a short circuit")
	}
	lists = withoutCircuits(lists, x, truth)
	a, b := nearButFar(x, truth)
	lists[a] = append(lists[a], int32(b))
	if got := circuits(lists, x, truth); got != 1 {
		t.Errorf("%d edges are short circuits", got)
	}
	lists[b] = append(lists[b], int32(a))
	if got := circuits(lists, x, truth); got != 1 {
		t.Errorf("%d edges are short circuits if both points have one", got)
	}
}

// The squares of the roll lie in the planes spanned by their maps, and are drawn from back to
// front.
func TestSquares(t *testing.T) {
	x := vec.Of(2, 3, []float32{0, 0, 0, 5, 9, 5})
	maps := vec.Of(4, 3, []float64{2, 0, 0, 0, 0, 3, 0, 0, 1, 1, 0, 1}) // both in the plane y = 0
	p := squares(x, maps, []int32{3, 7})
	if p.X.Rows != len(p.Class) || p.Class[0] != 7 || p.Class[len(p.Class)-1] != 3 {
		t.Fatalf("%d points, colours %v", p.X.Rows, p.Class)
	}
	low, high := p.X.Row(p.X.Rows - 1)[0], float32(0)
	for i := p.X.Rows / 2; i < p.X.Rows; i++ {
		low, high = min(low, p.X.Row(i)[0]), max(high, p.X.Row(i)[0])
	}
	if math.Abs(float64(low+0.4)) > 1e-6 || math.Abs(float64(high-0.4)) > 1e-6 {
		t.Errorf("the square goes from %g to %g", low, high)
	}
	if got := rolled(x, []int32{3, 7}, 0); got.Class[0] != 7 || len(got.Marked) != 1 || got.Marked[0] != 1 {
		t.Errorf("points of the colours %v, marked %v", got.Class, got.Marked)
	}
}

// Two distant clouds of one label each have no errors. Random labels give about half.
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

// Pixels that are constant over all digits are dropped, and every class has the same count.
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

// With patches the bound is lower, and the table gives the difference.
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

// The mean of the bounds, their deviation and their maximum are over the starts for each number of
// neighbours.
func TestBoundTable(t *testing.T) {
	got := boundTable([]lllvm.Run{{Neighbors: 4, Bound: 1}, {Neighbors: 5, Bound: 7}, {Neighbors: 4, Bound: 3}})
	if want := "| 4 | 2.0 | 1.4 | 3.0 |\n| 5 | 7.0 | 0.0 | 7.0 |\n"; !strings.HasSuffix(got, want) {
		t.Errorf("the table is\n%swant it to end with\n%s", got, want)
	}
}

// The number of neighbours with the best mean differs from that of the best start.
func TestBestMean(t *testing.T) {
	if got := bestMean([]lllvm.Run{{Neighbors: 4, Bound: 1}, {Neighbors: 5, Bound: 7}, {Neighbors: 4, Bound: 15}, {Neighbors: 5, Bound: 8.5}}); got != 4 {
		t.Errorf("the best mean is that of %d", got)
	}
	if got := bestMean([]lllvm.Run{{Neighbors: 4, Bound: 9}, {Neighbors: 5, Bound: 7}, {Neighbors: 4, Bound: 1}, {Neighbors: 5, Bound: 7.5}}); got != 5 {
		t.Errorf("the best mean is that of %d", got)
	}
}

// All starts on a small roll learn, and the best is the one with the highest bound.
func TestLearnAll(t *testing.T) {
	x, _, err := rollTable(60).parts()
	if err != nil {
		t.Fatal(err)
	}
	lists, err := neighbours(t.Context(), x, 6)
	if err != nil {
		t.Fatal(err)
	}
	all, err := learnAll(t.Context(), lists, scaled(x), 3, 4, lllvm.Settings{}, byChance)
	if err != nil {
		t.Fatal(err)
	}
	top := best(all)
	for _, one := range all {
		if one.places.Rows != 60 || one.bound > top.bound {
			t.Errorf("bound %g of %d places, best %g", one.bound, one.places.Rows, top.bound)
		}
	}
	on, err := learnAll(t.Context(), lists, scaled(x), 3, 1, lllvm.Settings{}, from(all))
	if err != nil {
		t.Fatal(err)
	}
	for start, one := range on {
		if one.bound < all[start].bound {
			t.Errorf("start %d goes on from %g to %g", start, all[start].bound, one.bound)
		}
	}
	if _, err := learnAll(t.Context(), make([][]int32, 60), scaled(x), 1, 1, lllvm.Settings{}, byChance); err == nil {
		t.Error("a graph without edges is learnt")
	}
}

// A constant pixel is empty, and the others are at the positions in their names.
func TestPixels(t *testing.T) {
	for _, prefix := range []string{"", "vector."} {
		got, err := table{[]string{"digit", prefix + "p1", prefix + "p18"}, [][]string{{"3", "1", "0"}}}.pixels(0)
		if err != nil || len(got) != side*side || got[0] != 1 || got[17] != 0.5 || got[1] != 0 {
			t.Errorf("pixels %v, error %v", got, err)
		}
	}
	if _, err := (table{[]string{"digit"}, [][]string{{"3"}}}).pixels(0); err == nil {
		t.Error("a table without pixels has some")
	}
}

// The page shows the highest bound for a number of dimensions, and the highest of all in bold.
func TestDimsRow(t *testing.T) {
	got := dimsRow("a roll", 3, []lllvm.Run{{Dims: 1, Bound: 4}, {Dims: 1, Bound: 5}, {Dims: 2, Bound: 7}, {Dims: 2, Bound: 1}})
	if want := "| a roll | 3 | 5 | **7** | | |\n"; got != want {
		t.Errorf("the row is %q, want %q", got, want)
	}
}
