package landmark_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"unfold/coarse/landmark"
	"unfold/internal/vec"
	"unfold/sparse/graph"
	"unfold/sparse/knn"
)

func cloud(n, dim int, seed uint64) vec.Matrix[float64] {
	r := rand.New(rand.NewPCG(seed, 3))
	x := vec.New[float64](n, dim)
	for k := range x.Data {
		x.Data[k] = r.NormFloat64() * math.Exp(r.NormFloat64())
	}
	return x
}

func build(t interface{ Fatal(...any) }, x vec.Matrix[float64], k, core int) *graph.Graph {
	nb, err := knn.Graph(context.Background(), x, k, knn.Settings{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	g, err := graph.Build(context.Background(), x, nb, graph.Settings{Core: core, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// listed implements the definition of coarse-graining with every ordered pair in a map: eq 25 and
// 26 as printed, without separation.
type listed struct {
	x     vec.Matrix[float64]
	d     map[[2]int32]float64 // D
	delta map[[2]int32]float64 // Delta
	c     map[[2]int32]float64 // similarity node -> landmark
}

// set is a block: its nodes, the number of examples that each represents, and Delta of all its
// pairs, similar ones included (eq 26 takes the maximum over all).
type set struct {
	nodes     []int32
	w         map[int32]float64
	delta     map[[2]int32]float64
	landmark  int32
	landmarks bool
}

// coarsen applies one round to a block; choose returns its landmarks.
func (l *listed) coarsen(b set, level int, choose func(landmark.Group) []int32) []set {
	want := landmark.Landmarks(len(b.nodes))
	if want < 2 {
		return []set{b}
	}
	marks := choose(landmark.Group{Level: level, Landmark: b.landmark, Landmarks: b.landmarks, Nodes: b.nodes, Want: want})
	dist := func(i, j int32) float64 {
		return math.Sqrt(vec.SquaredDistance(l.x.Row(int(i)), l.x.Row(int(j))) / (2 * math.Ln2))
	}
	omega := map[int32][]int32{}
	of := map[int32]int32{}
	for _, v := range b.nodes {
		best := marks[0]
		for _, a := range marks {
			if dist(v, a) < dist(v, best) {
				best = a
			}
		}
		of[v] = best
		omega[best] = append(omega[best], v)
	}
	top := set{nodes: marks, w: map[int32]float64{}, delta: map[[2]int32]float64{}, landmark: b.landmark, landmarks: true}
	var out []set
	for _, a := range marks {
		group := set{nodes: omega[a], w: map[int32]float64{}, delta: map[[2]int32]float64{}, landmark: a, landmarks: b.landmarks}
		for _, v := range omega[a] {
			group.w[v] = b.w[v]
			top.w[a] += b.w[v]
			if v != a {
				l.c[[2]int32{v, a}] += b.w[v] // (i)
			}
			for _, u := range omega[a] {
				group.delta[[2]int32{u, v}] = b.delta[[2]int32{u, v}]
			}
		}
		out = append(out, group)
	}
	for _, u := range b.nodes {
		for _, v := range b.nodes {
			if of[u] != of[v] {
				delete(l.d, [2]int32{u, v}) // (ii)
			}
		}
	}
	for _, i := range marks { // (iii)
		for _, j := range marks {
			if i == j {
				continue
			}
			l.d[[2]int32{i, j}] = top.w[i] * top.w[j] // eq 25
			var most float64
			for _, alpha := range omega[i] {
				for _, beta := range omega[j] {
					most = max(most, b.delta[[2]int32{alpha, beta}]+dist(i, alpha)+dist(j, beta)) // eq 26
				}
			}
			top.delta[[2]int32{i, j}] = most
			l.delta[[2]int32{i, j}] = most
		}
	}
	return append([]set{top}, out...)
}

// Blocks at any level agree with the listed pairs.
func TestSeparableFormAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(8, 45).Draw(t, "n")
		x := cloud(n, rapid.IntRange(1, 4).Draw(t, "dim"), rapid.Uint64().Draw(t, "data"))
		g := build(t, x, rapid.IntRange(1, 5).Draw(t, "k"), rapid.IntRange(1, 2).Draw(t, "s"))
		level := rapid.IntRange(0, 4).Draw(t, "l")
		choose := func(g landmark.Group) []int32 {
			r := rand.New(rand.NewPCG(uint64(g.Level), uint64(uint32(g.Landmark))))
			marks := slices.Clone(g.Nodes)
			r.Shuffle(len(marks), func(i, j int) { marks[i], marks[j] = marks[j], marks[i] })
			marks = marks[:g.Want]
			slices.Sort(marks)
			return marks
		}
		p, err := landmark.New(context.Background(), x, g, landmark.Settings{Level: level, Choose: choose, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		l := &listed{x: x, d: map[[2]int32]float64{}, delta: map[[2]int32]float64{}, c: map[[2]int32]float64{}}
		all := set{w: map[int32]float64{}, delta: map[[2]int32]float64{}, landmark: -1}
		for i := range int32(n) {
			all.nodes, all.w[i] = append(all.nodes, i), 1
			for j := range int32(n) {
				if i == j {
					continue
				}
				all.delta[[2]int32{i, j}] = math.Sqrt(p.Bandwidth2[i])
				l.delta[[2]int32{i, j}] = math.Sqrt(p.Bandwidth2[i])
				if !g.Has(i, j) {
					l.d[[2]int32{i, j}] = 1
				}
			}
		}
		blocks := []set{all}
		for k := 1; k <= level; k++ {
			var next []set
			for _, b := range blocks {
				next = append(next, l.coarsen(b, k, choose)...)
			}
			blocks = next
		}
		l.compare(t, p, g)
	})
}

func (l *listed) compare(t *rapid.T, p *landmark.Pairs, g *graph.Graph) {
	var sumC, sumD float64
	for _, v := range l.c {
		sumC += v
	}
	for _, v := range l.d {
		sumD += v
	}
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Abs(b) }
	similar := func(i, j int32) float64 {
		s := 0.0
		if g.Has(i, j) {
			s = 1
		}
		if sumC > 0 {
			s += l.c[[2]int32{i, j}] * float64(p.N) / sumC
		}
		return s
	}
	var sumS float64
	for i := range int32(p.N) {
		for j := range int32(p.N) {
			want := similar(i, j) + similar(j, i)
			sumS += want / 2
			if got := p.Similar.At(int(i), j); i != j && !near(got, want) {
				t.Fatalf("S_%d,%d + S_%d,%d is %v, want %v", i, j, j, i, got, want)
			}
		}
	}
	if !near(p.SumS, sumS) || sumD > 0 && !near(p.SumD, sumS) {
		t.Fatalf("sums %v and %v, want %v", p.SumS, p.SumD, sumS)
	}
	seen := 0
	weight := make([]float64, p.N)
	p.Each(func(i, j int32, d, delta float64) {
		seen++
		weight[i] += d
		weight[j] += d
		ij := [2]int32{i, j}
		if !near(d, l.d[ij]*sumS/sumD) || !near(delta, l.delta[ij]) {
			t.Fatalf("D_%d,%d is %v, Delta %v; want %v, %v", i, j, d, delta, l.d[ij]*sumS/sumD, l.delta[ij])
		}
	})
	if seen != len(l.d) {
		t.Fatalf("%d dissimilar pairs, want %d", seen, len(l.d))
	}
	for i, w := range weight {
		if math.Abs(w-p.Weight[i]) > 1e-10*sumS {
			t.Fatalf("weight of point %d is %v, want %v", i, p.Weight[i], w)
		}
	}
}

// Doubling n about doubles the memory of the constants at every level, while the number of pairs
// grows as in the supplement (SM 40-42).
func TestMemoryIsLinear(t *testing.T) {
	size := func(n, level int) (bytes, pairs float64) {
		x := cloud(n, 2, 5)
		p, err := landmark.New(context.Background(), x, build(t, x, 5, 1), landmark.Settings{Level: level})
		if err != nil {
			t.Fatal(err)
		}
		return float64(p.Bytes()), float64(p.Count)
	}
	// SM 41 and 42 assume groups of equal size; random landmarks come close, from n = 1,000 to
	// 4,000.
	for level, ideal := range []float64{2, 4. / 3, 10. / 9} {
		b1, p1 := size(1000, level)
		b2, p2 := size(4000, level)
		t.Logf("level %d: %.0f -> %.0f bytes, %.0f -> %.0f pairs", level, b1, b2, p1, p2)
		if b2 > 5*b1 {
			t.Errorf("level %d: memory grows from %.0f to %.0f bytes for four times the points", level, b1, b2)
		}
		if exponent := math.Log(p2/p1) / math.Log(4); math.Abs(exponent-ideal) > 0.15 {
			t.Errorf("level %d: pairs grow as n^%.2f, want about n^%.2f", level, exponent, ideal)
		}
	}
}

func TestLandmarksMinimisePairs(t *testing.T) {
	// e1 = m^2/2 + m (n/m)^2/2 (SM 40) has its minimum at n^(2/3) / 2^(1/3).
	pairs := func(n, m float64) float64 { return m*m/2 + n*n/(2*m) }
	for _, n := range []int{10, 100, 1000, 70_000, 1_000_000} {
		best := landmark.Landmarks(n)
		for _, m := range []int{best - 1, best + 1} {
			if m > 0 && pairs(float64(n), float64(m)) < pairs(float64(n), float64(best))*(1-1e-3) {
				t.Errorf("n = %d: %d landmarks are better than %d", n, m, best)
			}
		}
	}
	if got := landmark.Landmarks(70_000); got != 1348 {
		t.Errorf("%d landmarks of 70,000 points, want 1348", got)
	}
}

func TestSeedAndThreads(t *testing.T) {
	x := cloud(1500, 3, 9)
	g := build(t, x, 6, 1)
	run := func(seed uint64, threads int) *landmark.Pairs {
		p, err := landmark.New(context.Background(), x, g, landmark.Settings{Level: 2, Seed: seed, Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	a, b, c := run(1, 1), run(1, 3), run(2, 1)
	if !slices.Equal(a.Of, b.Of) || a.Scale != b.Scale || !slices.Equal(a.Similar.Data, b.Similar.Data) || len(a.Blocks) != len(b.Blocks) {
		t.Error("the number of threads changes the constants")
	}
	for k := range a.Blocks {
		if !slices.Equal(a.Blocks[k].A, b.Blocks[k].A) || !slices.Equal(a.Blocks[k].Nodes, b.Blocks[k].Nodes) {
			t.Fatal("the number of threads changes a block")
		}
	}
	if slices.Equal(a.Landmarks, c.Landmarks) {
		t.Error("two seeds choose the same landmarks")
	}
	for k := range a.Blocks {
		if !slices.IsSorted(a.Blocks[k].Nodes) {
			t.Fatal("nodes of a block are not ascending")
		}
	}
}

// Large float32 data use an index, which agrees with a search of all landmarks.
func TestNearestLandmarkByIndex(t *testing.T) {
	x := vec.Convert[float32](cloud(6000, 12, 2))
	g := &graph.Graph{N: 6000, Start: make([]int, 6001)}
	for i := range int32(6000) { // a ring is graph enough
		j := (i + 1) % 6000
		g.To, g.Dist2 = append(g.To, j), append(g.Dist2, vec.SquaredDistance(x.Row(int(i)), x.Row(int(j))))
		g.Start[i+1] = int(i) + 1
	}
	p, err := landmark.New(context.Background(), x, g, landmark.Settings{Level: 1, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	for i := range x.Rows {
		best := p.Landmarks[0]
		for _, a := range p.Landmarks {
			if vec.SquaredDistance(x.Row(i), x.Row(int(a))) < vec.SquaredDistance(x.Row(i), x.Row(int(best))) {
				best = a
			}
		}
		if p.Of[i] != best {
			t.Fatalf("landmark of %d is %d, nearest is %d", i, p.Of[i], best)
		}
	}
}

func TestFloorAndErrors(t *testing.T) {
	x := cloud(200, 2, 7)
	g := build(t, x, 5, 1)
	ctx := context.Background()
	const floor = 0.05
	p, err := landmark.New(ctx, x, g, landmark.Settings{Level: 1, Floor: floor})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Min(p.SimilarDelta2) != floor || slices.Min(p.Bandwidth2) < floor {
		t.Errorf("least delta^2 %v, least Delta^2 %v, want %v", slices.Min(p.SimilarDelta2), slices.Min(p.Bandwidth2), floor)
	}
	for name, s := range map[string]landmark.Settings{
		"level":          {Level: -1},
		"not a node":     {Level: 1, Choose: func(landmark.Group) []int32 { return []int32{1, 500} }},
		"landmark twice": {Level: 1, Choose: func(landmark.Group) []int32 { return []int32{3, 3} }},
	} {
		if _, err := landmark.New(ctx, x, g, s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := landmark.New(ctx, x.Slice(0, 10), g, landmark.Settings{}); err == nil {
		t.Error("points and graph of different size: no error")
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := landmark.New(done, x, g, landmark.Settings{Level: 1}); err == nil {
		t.Error("cancelled: no error")
	}
}
