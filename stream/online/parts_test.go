package online

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"unfold/ingest"
	"unfold/models/snapshot"
	"unfold/sparse/vec"
	"unfold/stream"
)

// column returns the numbers from..to-1 as rows of one element.
func column(from, to int) vec.Matrix[float32] {
	x := vec.New[float32](to-from, 1)
	for i := range x.Data {
		x.Data[i] = float32(from + i)
	}
	return x
}

func TestWindowHoldsTheNewest(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		size := rapid.IntRange(1, 20).Draw(r, "size")
		ref := newReference(Window, size, 1, 0)
		n := 0
		for range rapid.IntRange(1, 10).Draw(r, "batches") {
			k := rapid.IntRange(0, 15).Draw(r, "rows")
			ref.add(column(n, n+k))
			n += k
			if rapid.Bool().Draw(r, "restart") {
				saved, seen := ref.matrix(), ref.seen
				ref = newReference(Window, size, 1, 0)
				ref.restore(saved, seen)
			}
		}
		got, want := ref.matrix(), column(max(0, n-size), n)
		if got.Rows != want.Rows || !bytes.Equal(float32s(got.Data), float32s(want.Data)) {
			r.Fatalf("%v, want %v", got.Data, want.Data)
		}
	})
}

func float32s(v []float32) []byte {
	var b []byte
	for _, x := range v {
		b = append(b, byte(int(x)), byte(int(x)>>8))
	}
	return b
}

// Every event has the same chance to be in the reservoir, whenever it came.
func TestReservoirIsUniform(t *testing.T) {
	const size, events, trials = 20, 200, 4000
	hits := make([]int, events)
	for seed := range uint64(trials) {
		ref := newReference(Reservoir, size, 1, seed)
		ref.add(column(0, 77))
		ref.add(column(77, events))
		distinct := map[float32]bool{}
		for _, v := range ref.matrix().Data {
			hits[int(v)]++
			distinct[v] = true
		}
		if len(distinct) != size {
			t.Fatalf("seed %d: %d different events in a reservoir of %d", seed, len(distinct), size)
		}
	}
	// Binomial: mean 400, deviation 19. The chi-square of 200 cells has mean 199
	// and deviation 20.
	chi := 0.0
	for _, h := range hits {
		d := float64(h) - trials*size/events
		chi += d * d / (trials * size / events * (1 - float64(size)/events))
	}
	if chi > 199+5*20 {
		t.Errorf("chi-square %v", chi)
	}
}

// The reservoir depends on the events and the seed, not on how they came.
func TestReservoirDoesNotDependOnBatches(t *testing.T) {
	whole := newReference(Reservoir, 30, 1, 5)
	whole.add(column(0, 500))
	parts := newReference(Reservoir, 30, 1, 5)
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 0; n < 500; {
		k := min(1+rng.IntN(40), 500-n)
		parts.add(column(n, n+k))
		n += k
		saved, seen := parts.matrix(), parts.seen
		parts = newReference(Reservoir, 30, 1, 5)
		parts.restore(saved, seen)
	}
	a, b := whole.matrix(), parts.matrix()
	for i := range a.Data {
		if a.Data[i] != b.Data[i] {
			t.Fatalf("%v and %v", a.Data, b.Data)
		}
	}
}

func TestAlignUndoesARigidMotion(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := rapid.IntRange(1, 4).Draw(r, "d")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(r, "seed"), 1))
		normal := func(rows, cols int) vec.Matrix[float64] {
			m := vec.New[float64](rows, cols)
			for i := range m.Data {
				m.Data[i] = rng.NormFloat64()
			}
			return m
		}
		old, shift := normal(50, d), normal(1, d).Data
		// A random orthogonal matrix: Gram-Schmidt, and perhaps a reflection.
		q := normal(d, d)
		for i := range d {
			for j := range i {
				dot := 0.0
				for k := range d {
					dot += q.Row(i)[k] * q.Row(j)[k]
				}
				for k := range d {
					q.Row(i)[k] -= dot * q.Row(j)[k]
				}
			}
			norm := math.Sqrt(vec.SquaredDistance(q.Row(i), make([]float64, d)))
			for k := range d {
				q.Row(i)[k] /= norm
			}
		}
		moved := vec.New[float64](50, d)
		for i := range 50 {
			for k := range d {
				moved.Row(i)[k] = 10 * shift[k]
				for a := range d {
					moved.Row(i)[k] += old.Row(i)[a] * q.Row(a)[k]
				}
			}
		}
		mu := moved.Clone()
		align(mu, moved.Slice(0, 20), old.Slice(0, 20))
		for i := range mu.Data {
			if math.Abs(mu.Data[i]-old.Data[i]) > 1e-9 {
				r.Fatalf("element %d is %v, was %v", i, mu.Data[i], old.Data[i])
			}
		}
	})
	align(vec.Matrix[float64]{}, vec.Matrix[float64]{}, vec.Matrix[float64]{})
}

// A refresh lies on the map before: events that both hold are nearer to their
// old places than to the mirrored ones.
func TestRefreshLiesOnTheOldMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	s := quick()
	s.Spec.LVM.Steps, s.Spec.LVM.Dims = 60, 2
	l, next, stop := started(t, s, rng, 5)
	stop()
	old := l.current.Load()
	for range 6 {
		offer(t, l, message(t, rng, 10, 5, next))
		next++
	}
	if err := l.refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	x := l.ref.matrix()
	before, err := old.placing.placer.Place(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	after, err := l.current.Load().placing.placer.Place(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	// The residual of the best rigid motion cannot be improved by a rotation, a
	// reflection or a shift.
	b, a := vec.Convert[float64](before.Mu), vec.Convert[float64](after.Mu)
	residual := func(angle float64, mirror float64) (sum float64) {
		c, s := math.Cos(angle), math.Sin(angle)
		mean := columnMeans(a)
		for i := range a.Rows {
			u, v := a.Row(i)[0]-mean[0], mirror*(a.Row(i)[1]-mean[1])
			sum += vec.SquaredDistance([]float64{c*u - s*v + mean[0], s*u + c*v + mean[1]}, b.Row(i))
		}
		return sum
	}
	best := residual(0, 1)
	for k := range 72 {
		for _, mirror := range []float64{1, -1} {
			if r := residual(float64(k)*math.Pi/36, mirror); r < best*(1-1e-4) {
				t.Errorf("turned by %d degrees, mirror %v: %v is less than %v", 5*k, mirror, r, best)
			}
		}
	}
}

func TestSetFile(t *testing.T) {
	s := &set{
		setHeader: setHeader{Dim: 3, Rows: 2, Seen: 99, Mapping: ingest.Mapping{Vector: "v", Log1p: true},
			Positions: []snapshot.Position{{Topic: "in", Partition: 2, Offset: 7}}},
		rows: vec.Of(2, 3, []float32{1, 2, 3, -4, 0, 1e30}),
	}
	var b bytes.Buffer
	if err := s.write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := parseSet(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got.Seen != 99 || got.Mapping.Vector != "v" || got.Positions[0] != s.Positions[0] || got.rows.Rows != 2 || got.rows.Row(1)[2] != 1e30 {
		t.Errorf("read back %+v", got)
	}
	// Any changed or missing byte is noticed.
	for i := range b.Len() {
		bad := bytes.Clone(b.Bytes())
		bad[i] ^= 0x40
		if _, err := parseSet(bad); err == nil {
			t.Errorf("byte %d changed, and it is read", i)
		}
		if _, err := parseSet(b.Bytes()[:i]); err == nil {
			t.Errorf("%d bytes, and it is read", i)
		}
	}
}

func FuzzSetFile(f *testing.F) {
	s := &set{setHeader: setHeader{Dim: 1, Rows: 1}, rows: vec.Of(1, 1, []float32{1})}
	var b bytes.Buffer
	if err := s.write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(setMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		if s, err := parseSet(data); err == nil && (s.rows.Rows != s.Rows || len(s.rows.Data) != s.Rows*s.Dim) {
			t.Errorf("%d rows of %d elements in %d values", s.Rows, s.Dim, len(s.rows.Data))
		}
	})
}

func TestForeignEvents(t *testing.T) {
	l := newLearner(t, quick())
	if err := l.Offer(context.Background(), foreign{}); err == nil {
		t.Error("foreign events are taken")
	}
	if _, err := (&placing{}).Place(context.Background(), []stream.Events{foreign{}}); err == nil {
		t.Error("foreign events are placed")
	}
}

type foreign struct{}

func (foreign) Len() int { return 1 }
