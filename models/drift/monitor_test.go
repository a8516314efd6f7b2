package drift

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"unfold/internal/vec"
	"unfold/models"
)

// normal draws rows of independent normal numbers about a mean.
func normal(r *rand.Rand, n, dim int, mean float64) vec.Matrix[float32] {
	x := vec.New[float32](n, dim)
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64() + mean)
	}
	return x
}

// The window has the newest events, whatever the batches. A look includes all events except those
// that wait for the next look. Any number of threads gives the same looks.
func TestWindowIsTheNewest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	reference, events := normal(r, 1000, 3, 0), normal(r, 437, 3, .5)
	var first []Look
	for _, size := range []int{437, 1, 29} {
		m, err := New(Rows{X: reference}, Settings{Window: 100, Step: 10, Threads: 1 + size%2, Seed: 5})
		if err != nil {
			t.Fatal(err)
		}
		var looks []Look
		for from := 0; from < events.Rows; from += size {
			some, err := m.Add(context.Background(), Rows{X: events.Slice(from, min(from+size, events.Rows))})
			if err != nil {
				t.Fatal(err)
			}
			looks = append(looks, some...)
		}
		if first == nil {
			first = looks
		}
		if !slices.Equal(looks, first) {
			t.Errorf("batches of %d: other looks", size)
		}
		if n := len(looks); n != 34 || looks[0].Event != 100 || looks[n-1].Event != 430 {
			t.Fatalf("batches of %d: %d looks, the last at event %d", size, n, looks[n-1].Event)
		}
		for i, s := range m.oldest {
			if !m.newest[s] || !slices.Equal(m.graph.Row(s), events.Row(330+i)) {
				t.Fatalf("batches of %d: event %d of the window is not the stream's", size, i)
			}
		}
	}
}

// P of the normal distribution is near that of a permutation test, on both graphs, for events
// that are like the reference rows, a little unlike them, and with many equal rows.
func TestPNearPermutation(t *testing.T) {
	for name, rows := range map[string]func(r *rand.Rand, n int, mean float64) vec.Matrix[float32]{
		"normal": func(r *rand.Rand, n int, mean float64) vec.Matrix[float32] { return normal(r, n, 5, mean) },
		"ties": func(r *rand.Rand, n int, mean float64) vec.Matrix[float32] {
			x := normal(r, n, 2, mean)
			for i, v := range x.Data {
				x.Data[i] = float32(math.Round(float64(v)))
			}
			return x
		},
	} {
		for seed := range uint64(6) {
			r := rand.New(rand.NewPCG(seed, 9))
			m, err := New(Rows{X: rows(r, 2000, 0)}, Settings{Window: 200, Seed: seed})
			if err != nil {
				t.Fatal(err)
			}
			looks, err := m.Add(context.Background(), Rows{X: rows(r, 200, .05*float64(seed))})
			if err != nil {
				t.Fatal(err)
			}
			const rounds = 4000
			p := m.Permute(rounds, seed)
			for graph, pair := range map[string][2]float64{"tree": {looks[0].Tree.P, p.TreeP}, "neighbors": {looks[0].Neighbors.P, p.NeighborsP}} {
				// The tolerance is three standard errors of the permutation share plus the error of
				// the normal approximation.
				if by := math.Abs(pair[0] - pair[1]); by > 3*math.Sqrt(pair[1]*(1-pair[1])/rounds)+.03 {
					t.Errorf("%s, seed %d, %s: p = %.4f, by permutation %.4f", name, seed, graph, pair[0], pair[1])
				}
			}
		}
	}
}

// Events of another distribution are detected, in all points and within their own cluster, and in
// no other cluster.
func TestOtherDistribution(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	two := func(n int, shift float64) Rows {
		x, cluster := normal(r, n, 4, 0), make([]int32, n)
		for i := range n {
			if cluster[i] = int32(i % 2); cluster[i] == 1 {
				for c := range x.Row(i) {
					x.Row(i)[c] += float32(20 + shift)
				}
			}
		}
		return Rows{X: x, Cluster: cluster}
	}
	m, err := New(two(2000, 0), Settings{Window: 200})
	if err != nil {
		t.Fatal(err)
	}
	looks, err := m.Add(context.Background(), two(200, 1))
	if err != nil {
		t.Fatal(err)
	}
	if l := looks[0]; l.Neighbors.P > 1e-6 || l.Tree.P > 1e-4 || !l.Alarm {
		t.Errorf("a shifted cluster: %+v", l)
	}
	all := m.Clusters()
	if len(all) != 2 || all[0].Neighbors.P < .01 || all[1].Neighbors.P > 1e-6 || all[1].Newest != 100 {
		t.Errorf("clusters %+v", all)
	}
}

// Reference rows are drawn in proportion to the number of events that they stand for.
func TestSample(t *testing.T) {
	x := vec.Of(3, 1, []float32{0, 1, 2})
	count := make([]int, 3)
	for seed := range uint64(300) {
		s := draw(Rows{X: x, Count: []uint32{10, 0, 30}, Cluster: []int32{7, 8, 9}}, 20, rand.New(rand.NewPCG(seed, 1)))
		if s.x.Rows != 20 {
			t.Fatalf("%d rows", s.x.Rows)
		}
		for i, v := range s.x.Data {
			count[int(v)]++
			if s.cluster[i] != int32(v)+7 {
				t.Fatalf("row %v is in cluster %d", v, s.cluster[i])
			}
		}
	}
	// The expected count is 1,500 of 6,000, with a standard deviation of 24 (hypergeometric).
	if count[1] != 0 || count[0] < 1380 || count[0] > 1620 {
		t.Errorf("rows were drawn %d times", count)
	}
	if s := draw(Rows{X: x}, 20, rand.New(rand.NewPCG(1, 1))); s.x.Rows != 3 {
		t.Errorf("%d of three rows", s.x.Rows)
	}
}

func TestRefused(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	good := normal(r, 2000, 2, 0)
	bad := good.Clone()
	bad.Data[7] = float32(math.NaN())
	for name, make := range map[string]func() error{
		"too few rows": func() error { _, err := New(Rows{X: good.Slice(0, 499)}, Settings{}); return err },
		"not finite":   func() error { _, err := New(Rows{X: bad}, Settings{}); return err },
		"a cluster that is no label": func() error {
			_, err := New(Rows{X: good.Slice(0, 1), Cluster: []int32{1 << 24}}, Settings{})
			return err
		},
		"events that are not finite": func() error {
			m, err := New(Rows{X: good}, Settings{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Add(context.Background(), Rows{X: bad})
			if m.waiting.x.Rows > 0 {
				t.Error("refused events wait")
			}
			return err
		},
		"events of another dimension": func() error {
			m, err := New(Rows{X: good}, Settings{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Add(context.Background(), Rows{X: vec.New[float32](3, 5)})
			return err
		},
	} {
		if err := make(); !errors.Is(err, models.ErrBadInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, s := range map[string]Settings{"window": {Window: 49}, "neighbors": {Neighbors: 500}, "step": {Step: -1}, "events": {Events: 10}} {
		var wrong *models.SettingError
		if _, err := New(Rows{X: good}, s); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// If ctx has ended, events wait and are tested with the next call.
	m, err := New(Rows{X: good}, Settings{Window: 100})
	if err != nil {
		t.Fatal(err)
	}
	ended, stop := context.WithCancel(context.Background())
	stop()
	if _, err := m.Add(ended, Rows{X: good.Slice(0, 100)}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended: %v", err)
	}
	if looks, err := m.Add(context.Background(), Rows{}); err != nil || len(looks) != 1 {
		t.Errorf("%d looks, %v", len(looks), err)
	}
}

// Bounds grow with the mean time between false alarms. Streams without change cross them about as
// often as promised, for rows of any distribution.
func TestFalseAlarms(t *testing.T) {
	for i := 1; i < len(tableBounds); i++ {
		if tableBounds[i] <= tableBounds[i-1] {
			t.Errorf("the bound for %v windows is not above that for %v", tableWindows[i], tableWindows[i-1])
		}
		if got := BoundFor(tableWindows[i]); math.Abs(got-tableBounds[i]) > 1e-12 {
			t.Errorf("the bound for %v windows is %v, the table has %v", tableWindows[i], got, tableBounds[i])
		}
	}
	exponential := func(r *rand.Rand, n int) vec.Matrix[float32] {
		x := vec.New[float32](n, 4)
		for i := range x.Data {
			x.Data[i] = float32(r.ExpFloat64())
		}
		return x
	}
	// With windows of 50 and a mean of one alarm in ten windows, the number of alarms in these
	// streams is at most Poisson with a mean of 24.
	alarms := 0
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 21))
		m, err := New(Rows{X: exponential(r, 500)}, Settings{Window: 50, Events: 500, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		looks, err := m.Add(context.Background(), Rows{X: exponential(r, 550)})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range looks {
			if l.Raised {
				alarms++
			}
			if l.Bound != tableBounds[0] || l.Alarm != (l.Level > l.Bound) || l.Raised && !l.Alarm {
				t.Fatalf("%+v", l)
			}
		}
	}
	if alarms < 5 || alarms > 45 {
		t.Errorf("%d alarms", alarms)
	}
}

// A monitor uses no more memory than Settings.Bytes predicts.
func TestBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, set := range []Settings{{Window: 50}, {Window: 300, Neighbors: 40}, {Window: 100, Neighbors: 2}} {
		dim := 3 + set.Window/10
		m, err := New(Rows{X: normal(r, 10*set.Window, dim, 0)}, set)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Add(context.Background(), Rows{X: normal(r, 3*set.Window, dim, 0)}); err != nil {
			t.Fatal(err)
		}
		held := m.graph.Bytes() + int64(4*cap(m.reference.x.Data)+4*cap(m.waiting.x.Data)+16*cap(m.kept.edges)+24*cap(m.kept.list)+len(m.newest)*(1+4+8+4*m.set.Neighbors))
		if most := set.Bytes(dim); held > most || held < most/5 {
			t.Errorf("%+v, %d values: %d bytes, at most %d", set, dim, held, most)
		}
	}
}

// Events without clusters get the cluster of the nearest sample row, also if their lists contain
// only events.
func TestEventsWithoutClusters(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	rows := func(n int, far float32) Rows {
		x, c := vec.New[float32](n, 2), make([]int32, n)
		for i := range n {
			c[i] = int32(i%4) - 1
			x.Row(i)[0], x.Row(i)[1] = far+5*float32(c[i])+float32(random.NormFloat64()), float32(random.NormFloat64())
		}
		return Rows{X: x, Cluster: c}
	}
	reference := rows(500, 0)
	m, err := New(reference, Settings{Window: 50, Step: 10, Neighbors: 3, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, far := range []float32{0, 1, 100} {
		events := rows(50, far)
		if _, err := m.Add(t.Context(), Rows{X: events.X}); err != nil {
			t.Fatal(err)
		}
		alone := 0
		for r, s := range m.oldest {
			least, want := math.Inf(1), int32(0)
			for i := range reference.X.Rows {
				if d := vec.SquaredDistance(events.X.Row(r), reference.X.Row(i)); d < least {
					least, want = d, reference.Cluster[i]
				}
			}
			if got := m.cluster[s]; got != want {
				t.Errorf("far %v: event %d is in cluster %d, its nearest row in %d", far, r, got, want)
			}
			index, _ := m.graph.Known(s)
			if !slices.ContainsFunc(index, func(j int32) bool { return !m.newest[j] }) {
				alone++
			}
		}
		if (alone == 50) != (far == 100) {
			t.Errorf("far %v: the lists of %d events hold events alone", far, alone)
		}
	}
}
