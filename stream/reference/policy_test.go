package reference

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/sparse/distance"
)

func TestWindowHoldsTheNewest(t *testing.T) {
	s := newSet(t, Settings{Policy: Window, Size: 10}, 1, 0)
	for i := range 100 {
		s.Add([]float32{float32(i)}, "", int64(i))
	}
	s.Add([]float32{92}, "", 100) // seen again
	s.Add([]float32{200}, "", 101)
	s.Add([]float32{3}, "", 50) // late: older than all others
	got := slices.Sorted(maps.Keys(s.valueCounts()))
	if want := []float32{91, 92, 93, 94, 95, 96, 97, 98, 99, 200}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if s.Age() != 101-91 {
		t.Errorf("the oldest is %d ns older", s.Age())
	}
}

func TestMaxAge(t *testing.T) {
	for p := range Policy(len(policies)) {
		s := newSet(t, Settings{Policy: p, Size: 50, MaxAge: 10}, 1, 0)
		for i := range 100 {
			s.Add([]float32{float32(i)}, "", int64(i))
		}
		if s.Len() != 11 || s.Age() != 10 || s.Counts().Expired != 89 {
			t.Errorf("%v: %d points, the oldest %d ns older; %+v", p, s.Len(), s.Age(), s.Counts())
		}
	}
}

// Old points are removed whatever made the time advance, including a repeated event.
func TestMaxAgeByTheSameEvent(t *testing.T) {
	s := newSet(t, Settings{IDs: true, MaxAge: 7}, 1, 0)
	s.Add([]float32{1}, "a", 0)
	s.Add([]float32{2}, "b", 5)
	s.Add([]float32{2}, "b", 9)
	if s.Len() != 1 || s.Counts().Expired != 1 {
		t.Errorf("%d points, %+v", s.Len(), s.Counts())
	}
}

// Every vector has the same chance to be in the reservoir, whatever its frequency and order.
func TestReservoirIsUniform(t *testing.T) {
	const size, vectors, trials = 20, 200, 4000
	hits := make([]int, vectors)
	for seed := range uint64(trials) {
		s := newSet(t, Settings{Size: size, Seed: seed}, 1, 0)
		for i := range vectors {
			for range 1 + i%3 {
				s.Add([]float32{float32(i)}, "", 0)
			}
		}
		if s.Len() != size {
			t.Fatalf("seed %d: %d points", seed, s.Len())
		}
		for v, c := range s.valueCounts() {
			hits[int(v)]++
			if c != uint32(1+int(v)%3) {
				t.Fatalf("seed %d: %v came %d times, counted %d", seed, v, 1+int(v)%3, c)
			}
		}
	}
	// The count is binomial: mean 400, deviation 19. The chi-square of 200 cells has mean 199 and
	// deviation 20.
	chi := 0.0
	for _, h := range hits {
		d := float64(h) - trials*size/vectors
		chi += d * d / (trials * size / vectors * (1 - float64(size)/vectors))
	}
	if chi > 199+5*20 {
		t.Errorf("chi-square %v", chi)
	}
}

func TestReservoirDoesNotDependOnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var want map[float32]uint32
	for range 5 {
		s := newSet(t, Settings{Size: 30}, 1, 0)
		for _, i := range rng.Perm(500) {
			s.Add([]float32{float32(i)}, "", 0)
		}
		if want == nil {
			want = s.valueCounts()
		}
		if got := s.valueCounts(); !maps.Equal(got, want) {
			t.Errorf("%v and %v", got, want)
		}
	}
}

// A reservoir that was nearly emptied fills again.
func TestReservoirRefills(t *testing.T) {
	s := newSet(t, Settings{Size: 40, IDs: true}, 1, 0)
	for i := range 4000 {
		s.Add([]float32{float32(i)}, fmt.Sprint(i), 0)
	}
	for i := range 4000 {
		s.Delete(fmt.Sprint(i))
	}
	if s.Len() != 0 || s.Counts().Deletes != 40 || s.Counts().UnknownDeletes != 3960 {
		t.Fatalf("%d points, %+v", s.Len(), s.Counts())
	}
	for i := range 200 {
		s.Add([]float32{float32(-i)}, fmt.Sprint(i), 0)
	}
	if s.Len() < 20 {
		t.Errorf("%d points of %d after 200 more events", s.Len(), 40)
	}
}

// Coverage keeps the sparse region of a stream that rarely visits it.
func TestCoverageKeepsSparseRegions(t *testing.T) {
	s := newSet(t, Settings{Policy: Coverage, Size: 200}, 1, 0)
	rng := rand.New(rand.NewPCG(2, 2))
	for range 100 {
		for i := range 20 {
			v := float32(rng.NormFloat64())
			if i == 0 {
				v = 1000 + 100*float32(rng.Float64())
			}
			s.Add([]float32{v}, "", 0)
		}
		// The map has all points, sorted, at slots equal to rows.
		points := slices.SortedFunc(s.All(), func(a, b int32) int { return cmp.Compare(s.Vector(a)[0], s.Vector(b)[0]) })
		x, kdist2 := vec.New[float32](len(points), 1), make([]float64, len(points))
		for i, p := range points {
			x.Data[i], s.row[p] = s.Vector(p)[0], int32(i)
		}
		for i := range kdist2 {
			d := float64(x.Data[min(i+2, len(points)-1)] - x.Data[max(i-2, 0)])
			kdist2[i] = d * d
		}
		s.Drop(Crowded(distance.Euclidean, x, kdist2, s.Eligible(len(points)), s.Excess()))
	}
	far := 0
	for p := range s.All() {
		if s.Vector(p)[0] > 500 {
			far++
		}
	}
	if far < 80 || s.Len() != 200 {
		t.Errorf("%d of %d points lie where 5%% of the events do", far, s.Len())
	}
}

func TestCrowdedSparesNeighbours(t *testing.T) {
	x := vec.Of(6, 1, []float32{0, 1, 2, 10, 12, 50})
	kdist2 := []float64{1, 1, 1, 4, 4, 1600}
	all := []bool{true, true, true, true, true, true}
	if got := Crowded(distance.Euclidean, x, kdist2, all, 3); !slices.Equal(got, []int32{0, 2, 3}) {
		t.Errorf("%v", got)
	}
	if got := Crowded(distance.Euclidean, x, kdist2, []bool{true, true, false, false, false, false}, 2); !slices.Equal(got, []int32{0, 1}) {
		t.Errorf("where all are neighbours: %v", got)
	}
	if got := Crowded(distance.Euclidean, x, kdist2, make([]bool, 6), 2); len(got) != 0 {
		t.Errorf("of none: %v", got)
	}
}
