package reasons

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/novelty"
	"unfold/models/projection"
	"unfold/models/snapshot"
	"unfold/sparse/knn"
)

// lists returns the nearest reference points of events, by an exact search.
func lists(t testing.TB, s *snapshot.Snapshot, x vec.Matrix[float32]) *knn.Neighbors {
	t.Helper()
	z := projection.Of(s).Apply(x, 1)
	near, err := knn.NewExact(s.Reference).Search(context.Background(), z, min(s.NoveltyK+3, s.Reference.Rows), knn.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return near
}

// copied is a copy of a Split.
type copied struct {
	index         []int32
	amount, seen  []float64
	global, local float64
	around, gap   float64
}

// all splits all rows of x.
func all(t testing.TB, e *Explainer, x vec.Matrix[float32], near *knn.Neighbors) []copied {
	t.Helper()
	rows := make([]int, x.Rows)
	for i := range rows {
		rows[i] = i
	}
	out := make([]copied, x.Rows)
	if err := e.Each(context.Background(), x, near, rows, func(at int, s *Split) {
		c := copied{slices.Clone(s.Index), slices.Clone(s.Amount), nil, s.Global, s.Local, s.Around, s.Gap}
		for j := range s.Index {
			for el := range x.Cols {
				c.seen = append(c.seen, s.Seen(j, el))
			}
		}
		out[at] = c
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

func sum(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}

// events returns events near to and far from the reference points, and the reference points
// themselves.
func events(seed uint64, own vec.Matrix[float32]) vec.Matrix[float32] {
	r := rand.New(rand.NewPCG(seed, 9))
	x := vec.Take(own, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	for i := 3; i < x.Rows; i++ {
		for c := range x.Row(i) {
			x.Row(i)[c] += float32(r.NormFloat64() * float64(i-2))
		}
	}
	return x
}

func TestAmountsSumToTheScores(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		dim := rapid.IntRange(2, 30).Draw(rt, "dim")
		q := rapid.IntRange(0, dim).Draw(rt, "q")
		s, own := modeltest.Snapshot(t, seed, rapid.IntRange(15, 80).Draw(rt, "n"), dim, q, 2)
		x := events(seed, own)
		near, tables := lists(t, s, x), novelty.Of(s)
		for i, c := range all(t, New(s, 0), x, near) {
			local, global := tables.Score(novelty.Others(near.Row(i)))
			if c.global != global || c.local != local {
				rt.Fatalf("event %d: scores %v and %v, want %v and %v", i, c.global, c.local, global, local)
			}
			if got := sum(c.amount); math.Abs(got-global) > 1e-9*global {
				rt.Errorf("event %d: the amounts sum to %v, the global score is %v", i, got, global)
			}
			if got := c.around * (sum(c.amount) + c.gap); math.Abs(got-local) > 1e-9*local {
				rt.Errorf("event %d: the parts sum to %v, the local score is %v", i, got, local)
			}
			if c.gap < 0 {
				rt.Errorf("event %d: a gap of %v", i, c.gap)
			}
		}
	})
}

// The amounts agree with R1 to R3 computed in double precision from the components and the points
// alone.
func TestAmountsAreTheDefinition(t *testing.T) {
	for _, q := range []int{0, 3, 6} {
		s, own := modeltest.Snapshot(t, 4, 60, 6, q, 2)
		x := events(4, own)
		near := lists(t, s, x)
		for i, c := range all(t, New(s, 0), x, near) {
			index, dist2 := novelty.Others(near.Row(i))
			want := make([]float64, x.Cols)
			for j := range s.NoveltyK {
				d := math.Sqrt(dist2[j])
				for e, w := range written(s, x.Row(i), s.Reference.Row(int(index[j]))) {
					want[e] += d * w / dist2[j] / float64(s.NoveltyK)
				}
			}
			for e, w := range want {
				if math.Abs(c.amount[e]-w) > 1e-5*(c.global+1) {
					t.Errorf("%d components, event %d: element %d carries %v, want %v", q, i, e, c.amount[e], w)
				}
			}
		}
	}
}

// written is w of R1.
func written(s *snapshot.Snapshot, x, o []float32) []float64 {
	w := make([]float64, len(x))
	if s.Components.Rows == 0 {
		for e, v := range x {
			w[e] = (float64(v) - float64(o[e])) * (float64(v) - float64(o[e]))
		}
		return w
	}
	z := projection.Of(s).Apply(vec.Of(1, len(x), x), 1).Row(0)
	for e, v := range x {
		h, seen := 0.0, float64(s.Mean[e])
		for r := range s.Components.Rows {
			p := float64(s.Components.Row(r)[e])
			h += p * (float64(z[r]) - float64(o[r]))
			seen += p * float64(o[r])
		}
		w[e] = (float64(v) - seen) * h
	}
	return w
}

// If an event differs from a reference point in a single element, that element contributes the
// whole distance, also where components mix it with others.
func TestOneElement(t *testing.T) {
	for _, q := range []int{0, 4} {
		s, _ := modeltest.Snapshot(t, 7, 60, 6, q, 2)
		x := vec.New[float32](1, 6)
		p := projection.Of(s)
		p.Undo(x.Row(0), s.Reference.Row(5))
		x.Row(0)[2] += 40
		e := New(s, 0)
		near := lists(t, s, x)
		// The same point K times has the split of the single point.
		index, dist2 := near.Row(0)
		at := slices.Index(index, 5)
		if at < 0 {
			at = 0
			z := p.Apply(x, 1)
			index[0], dist2[0] = 5, vec.SquaredDistance(z.Row(0), s.Reference.Row(5))
		}
		for j := range index {
			index[j], dist2[j] = index[at], dist2[at]
		}
		c := all(t, e, x, near)[0]
		if math.Abs(c.amount[2]-c.global) > 1e-4*c.global {
			t.Errorf("%d components: element 2 carries %v of %v", q, c.amount[2], c.amount)
		}
	}
}

// Projecting the vector that Seen returns gives the stored neighbour.
func TestSeenLeadsBack(t *testing.T) {
	for _, q := range []int{0, 6} {
		s, own := modeltest.Snapshot(t, 2, 40, 6, q, 2)
		x := events(2, own)
		for i, c := range all(t, New(s, 0), x, lists(t, s, x)) {
			for j, o := range c.index {
				for e, v := range own.Row(int(o)) {
					if got := c.seen[j*6+e]; math.Abs(got-float64(v)) > 1e-4 {
						t.Errorf("%d components, event %d: element %d of neighbour %d is seen as %v, it is %v", q, i, e, j, got, v)
					}
				}
			}
		}
	}
}

// A split has the same bits for any set of rows, order and number of threads.
func TestSplitsDoNotDependOnTheRest(t *testing.T) {
	for _, q := range []int{0, 5} {
		s, own := modeltest.Snapshot(t, 11, 150, 9, q, 2)
		x := own.Clone()
		for i := range x.Data {
			x.Data[i] *= 1.5
		}
		near := lists(t, s, x)
		want := all(t, New(s, 1), x, near)
		for _, threads := range []int{1, 2, 5} {
			e := New(s, threads)
			for _, rows := range [][]int{{3}, {149, 0, 77, 3}, rand.New(rand.NewPCG(1, 1)).Perm(x.Rows)} {
				var mu sync.Mutex
				visited := 0
				if err := e.Each(t.Context(), x, near, rows, func(at int, s *Split) {
					mu.Lock()
					defer mu.Unlock()
					visited++
					if c := want[rows[at]]; !slices.Equal(c.amount, s.Amount) || c.global != s.Global || c.local != s.Local || !slices.Equal(c.index, s.Index) {
						t.Errorf("%d components, %d threads: row %d of %d splits in another way", q, threads, rows[at], len(rows))
					}
				}); err != nil || visited != len(rows) {
					t.Errorf("%d of %d rows visited, error %v", visited, len(rows), err)
				}
			}
		}
	}
}

// Very large and very small values are divided just as accurately.
func TestEndsOfTheNumberRange(t *testing.T) {
	for _, q := range []int{0, 3, 5} {
		for _, scale := range []float32{1e-25, 1e-8, 1e20, 1e34} {
			s, own := modeltest.Snapshot(t, 6, 40, 5, q, 2)
			x := events(6, own) // before the points are scaled, which may be these
			for i := range s.Reference.Data {
				s.Reference.Data[i] *= scale
			}
			for i := range s.Mean {
				s.Mean[i] *= scale
			}
			for i := range x.Data {
				x.Data[i] *= scale
			}
			for i, c := range all(t, New(s, 0), x, lists(t, s, x)) {
				if got := sum(c.amount); !(math.Abs(got-c.global) <= 1e-9*c.global) {
					t.Errorf("%d components, times %g, event %d: the amounts sum to %v, the score is %v", q, scale, i, got, c.global)
				}
			}
		}
	}
}

func TestTop(t *testing.T) {
	s := &Split{Amount: []float64{1, 2, 0.5, 0.5, -3, 0, 2}}
	columns := []Column{{"a", 0, 1}, {"b", 1, 2}, {"c", 2, 5}, {"d", 5, 6}, {"e", 6, 7}}
	for _, c := range []struct {
		name string
		n    int
		want []Share
	}{
		{"none", 0, nil},
		{"one, the first of equal ones", 1, []Share{{1, 2}}},
		{"two", 2, []Share{{1, 2}, {4, 2}}},
		{"more than carry anything", 9, []Share{{1, 2}, {4, 2}, {0, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := s.Top(nil, columns, c.n); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
	first := Share{9, 9}
	if got := s.Top([]Share{first}, columns, 1); !slices.Equal(got, []Share{first, {1, 2}}) {
		t.Errorf("appended to one: %v", got)
	}
}

func TestErrors(t *testing.T) {
	s, own := modeltest.Snapshot(t, 3, 40, 5, 0, 2)
	near := lists(t, s, own)
	e := New(s, 0)
	never := func(int, *Split) { t.Error("visited") }
	var row *models.RowError
	bad := own.Clone()
	bad.Row(7)[2] = float32(math.NaN())
	if err := e.Each(t.Context(), bad, near, []int{7}, never); !errors.As(err, &row) || row.Row != 7 || row.Column != 2 {
		t.Errorf("NaN: %v", err)
	}
	var dim *models.DimensionError
	if err := e.Each(t.Context(), vec.New[float32](40, 4), near, []int{0}, never); !errors.As(err, &dim) {
		t.Errorf("other columns: %v", err)
	}
	for name, near := range map[string]*knn.Neighbors{"none": nil, "of other rows": knn.NewNeighbors(3, 20), "too short": knn.NewNeighbors(40, s.NoveltyK)} {
		if err := e.Each(t.Context(), own, near, []int{0}, never); err == nil {
			t.Errorf("lists %s: no error", name)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := e.Each(ctx, own, near, []int{0}, never); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkEach(b *testing.B) {
	for _, c := range []struct {
		name   string
		dim, q int
	}{{"122", 122, 0}, {"122-50", 122, 50}} {
		b.Run(c.name, func(b *testing.B) {
			s, own := modeltest.Snapshot(b, 1, 2000, c.dim, c.q, 2)
			near := lists(b, s, own)
			rows := make([]int, own.Rows)
			for i := range rows {
				rows[i] = i
			}
			e := New(s, 0)
			for b.Loop() {
				if err := e.Each(b.Context(), own, near, rows, func(int, *Split) {}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*own.Rows)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
