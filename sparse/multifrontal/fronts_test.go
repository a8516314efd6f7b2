package multifrontal

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/simd/spd"
	"unfold/internal/vec"
)

// plane joins random points in the unit square that are closer than radius.
func plane(rnd *rand.Rand, n int, radius float64) [][]int32 {
	x := make([]float64, 2*n)
	for i := range x {
		x[i] = rnd.Float64()
	}
	lists := make([][]int32, n)
	for i := range n {
		for j := range n {
			if i != j && math.Hypot(x[2*i]-x[2*j], x[2*i+1]-x[2*j+1]) < radius {
				lists[i] = append(lists[i], int32(j))
			}
		}
	}
	return lists
}

// fill returns a positive definite matrix with random elements for the pairs of the graph, both
// dense and in fronts.
func fill(rnd *rand.Rand, t *Tree, lists [][]int32, d int) (*Matrix, vec.Matrix[float64]) {
	n := t.Len()
	m, dense := t.NewMatrix(d), vec.New[float64](n*d, n*d)
	number := func(f int, i int32) int {
		for k := range t.Fronts[f].Len() {
			if t.Fronts[f].At(k) == i {
				return k
			}
		}
		return -1
	}
	add := func(r int, i int32, s int, j int32, v float64) {
		f := min(t.Owner(int(i)), t.Owner(int(j)))
		a, b := m.Index(f, r, number(f, i)), m.Index(f, s, number(f, j))
		m.Fronts[f].Row(max(a, b))[min(a, b)] += v
		dense.Row(r*n + int(i))[s*n+int(j)] += v
		if r != s || i != j {
			dense.Row(s*n + int(j))[r*n+int(i)] += v
		}
	}
	for i := range int32(n) {
		for r := range d {
			add(r, i, r, i, float64(d*(len(lists[i])+1)))
			for s := range r {
				add(r, i, s, i, rnd.Float64()-.5)
			}
			for _, j := range lists[i] {
				for s := range d {
					if j < i {
						add(r, i, s, j, rnd.Float64()*2-1)
					}
				}
			}
		}
	}
	return m, dense
}

// Factor, log determinant, solutions and the selected inverse agree with the dense matrix, for any
// number of threads.
func TestAgainstDense(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		n, d := rapid.IntRange(1, 120).Draw(rt, "n"), rapid.IntRange(1, 3).Draw(rt, "d")
		lists := plane(rnd, n, rapid.SampledFrom([]float64{.05, .15, .3, 2}).Draw(rt, "radius"))
		tree := Dissect(lists, rapid.IntRange(1, n).Draw(rt, "most"))
		checkTree(rt, tree, lists)
		m, dense := fill(rnd, tree, lists, d)
		one := m.Clone()
		if err := m.Factor(2); err != nil {
			rt.Fatal(err)
		}
		l := dense.Clone()
		if err := spd.Factor(l, 1); err != nil {
			rt.Fatal(err)
		}
		if got, want := m.LogDet(), spd.LogDet(l); math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
			rt.Errorf("log determinant %g, want %g", got, want)
		}
		b := vec.New[float64](n*d, 2)
		for i := range b.Data {
			b.Data[i] = rnd.NormFloat64()
		}
		x := b.Clone()
		m.Solve(x, 2)
		spd.Solve(l, b, 1)
		if e := vec.SquaredDistance(x.Data, b.Data); !(e < 1e-20*(1+vec.SquaredNorm(b.Data))) {
			rt.Errorf("the solution is off by %g", math.Sqrt(e))
		}
		m.Invert(2)
		if err := one.Factor(1); err != nil {
			rt.Fatal(err)
		}
		one.Invert(1)
		spd.Invert(l, 1)
		product := rapid.Bool().Draw(rt, "product")
		if product {
			m.AddProduct(-2, x, x, 2)
			one.AddProduct(-2, x, x, 1)
		}
		for f, front := range tree.Fronts {
			if !slices.Equal(m.Fronts[f].Data, one.Fronts[f].Data) {
				rt.Fatalf("front %d depends on the number of threads", f)
			}
			for i := range front.Len() {
				for j := range front.Len() {
					for r := range d {
						for s := range d {
							a, b := r*n+int(front.At(i)), s*n+int(front.At(j))
							want := l.Row(a)[b]
							if product {
								want -= 2 * vec.Dot(x.Row(a), x.Row(b))
							}
							if got := m.Fronts[f].Row(m.Index(f, r, i))[m.Index(f, s, j)]; !(math.Abs(got-want) <= 1e-9) {
								rt.Fatalf("the inverse at %d, %d is %g, want %g", a, b, got, want)
							}
						}
					}
				}
			}
		}
	})
}

// checkTree checks that every point has one owner, that edges stay within the fronts from an owner
// to the root, and that the border is in the front above.
func checkTree(t *rapid.T, tree *Tree, lists [][]int32) {
	own := 0
	for f, front := range tree.Fronts {
		own += len(front.Own)
		if front.Parent >= 0 && front.Parent <= f || front.Parent < 0 && (f != len(tree.Fronts)-1 || len(front.Border) > 0) {
			t.Fatalf("front %d of %d has the parent %d and a border of %d", f, len(tree.Fronts), front.Parent, len(front.Border))
		}
		for _, i := range front.Own {
			if tree.Owner(int(i)) != f {
				t.Fatalf("point %d of front %d is owned by %d", i, f, tree.Owner(int(i)))
			}
			for _, j := range lists[i] {
				if tree.Owner(int(j)) > f && !slices.Contains(front.Border, j) {
					t.Fatalf("%d, which %d of front %d is joined to, is not in its border", j, i, f)
				}
			}
		}
		for k, j := range front.Border {
			if p := tree.Fronts[front.Parent]; p.At(int(tree.up[f][k])) != j {
				t.Fatalf("point %d of the border of %d is not number %d above", j, f, tree.up[f][k])
			}
		}
	}
	if own != len(lists) {
		t.Fatalf("%d points of %d", own, len(lists))
	}
}

// In the plane separators are short: the fronts of 3000 points are a small part of the dense
// matrix.
func TestSeparatorsAreShort(t *testing.T) {
	lists := plane(rand.New(rand.NewPCG(1, 2)), 3000, .034) // 11 neighbours
	tree := Dissect(lists, 200)
	held, _ := tree.Numbers(1)
	longest := 0
	for _, f := range tree.Fronts {
		longest = max(longest, f.Len())
	}
	if held > 3000*3000/5 || longest > 400 {
		t.Errorf("%d numbers in %d fronts, the longest of %d points", held, len(tree.Fronts), longest)
	}
	if whole := Whole(10); whole.Len() != 10 || whole.Fronts[0].Len() != 10 || whole.Owner(9) != 0 {
		t.Errorf("the whole of 10 points is %+v", whole)
	}
}

func TestIndefinite(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 3))
	lists := plane(rnd, 90, .2)
	tree := Dissect(lists, 20)
	m, _ := fill(rnd, tree, lists, 2)
	f := tree.Owner(33)
	k := slices.Index(tree.Fronts[f].Own, 33)
	m.Fronts[f].Row(m.Index(f, 1, k))[m.Index(f, 1, k)] = -1
	var bad *IndefiniteError
	if err := m.Factor(1); !errors.As(err, &bad) || bad.Point != 33 || bad.Variable != 1 || !(bad.Pivot < 0) {
		t.Errorf("%v, want coordinate 1 of point 33", err)
	}
	m.Clear()
	m.AddDiagonal(4)
	if err := m.Factor(1); err != nil || math.Abs(m.LogDet()-180*math.Log(4)) > 1e-9 {
		t.Errorf("the diagonal 4: %v, log determinant %g", err, m.LogDet())
	}
}

func BenchmarkInverse(b *testing.B) {
	lists := plane(rand.New(rand.NewPCG(1, 2)), 3000, .034)
	tree := Dissect(lists, 300)
	m := tree.NewMatrix(2)
	_, operations := tree.Numbers(2)
	for b.Loop() {
		m.Clear()
		m.AddDiagonal(4)
		if err := m.Factor(0); err != nil {
			b.Fatal(err)
		}
		m.Invert(0)
	}
	b.ReportMetric(float64(operations)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
