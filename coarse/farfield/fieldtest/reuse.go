package fieldtest

import (
	"testing"

	"unfold/coarse/farfield"
)

// work checks that the visitor's memory keeps its contents between batches and sweeps.
func work(t *testing.T, create func([]float64, int) farfield.Field) {
	s := Blobs(3000, 2, 5, 1)
	f := create(s.Delta2, 2)
	f.Move(1, s.Mu, s.Sigma2)
	batches := 0
	for range 2 {
		f.Sweep(1, func(b *farfield.Batch) {
			if len(b.Work) != batches {
				t.Fatalf("batch %d finds %d elements", batches, len(b.Work))
			}
			b.Work = append(b.Work, 1)
			batches++
		})
	}
}

// allocations checks that moves and sweeps reuse memory. A few small allocations, for goroutines
// and closures, are allowed.
func allocations(t *testing.T, create func([]float64, int) farfield.Field) {
	s := Blobs(3000, 2, 5, 1)
	f := create(s.Delta2, 2)
	round := func() {
		f.Move(1, s.Mu, s.Sigma2)
		f.Sweep(1, func(*farfield.Batch) {})
	}
	for range 20 {
		round() // random fields need their most
	}
	if a := testing.AllocsPerRun(5, round); a > 16 {
		t.Errorf("%v allocations in a move and a sweep", a)
	}
}

// memory checks that memory per point is at most the given number of bytes, for any number of
// points. It uses one thread, because the memory of each of several threads is random.
func memory(t *testing.T, most int64, create func([]float64, int) farfield.Field) {
	for _, n := range []int{5000, 20000} {
		s := Blobs(n, 2, 20, 1)
		f := create(s.Delta2, 2)
		for range 2 {
			f.Move(1, s.Mu, s.Sigma2)
			f.Sweep(1, func(*farfield.Batch) {})
		}
		a := f.Bytes() / int64(n)
		t.Logf("%d points: %d bytes each", n, a)
		if a > most {
			t.Errorf("%d points: %d bytes each, want at most %d", n, a, most)
		}
	}
}
