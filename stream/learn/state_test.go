package learn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"unfold/ingest"
	"unfold/models"
	"unfold/models/fit"
	"unfold/models/lvm"
	"unfold/models/placing"
	"unfold/sparse/knn/auto"
	"unfold/stream"
	"unfold/stream/reference"
	"unfold/stream/streamtest"
)

func TestResume(t *testing.T) {
	for _, policy := range []reference.Policy{reference.Reservoir, reference.Window, reference.Coverage} {
		t.Run(policy.String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(8, 1))
			s := quick()
			s.Policy, s.State = policy, t.TempDir()
			l, next, stop := started(t, s, rng, 5)
			m := message(t, rng, 9, 5, next)
			for range 30 {
				offer(t, l, message(t, rng, 10, 5, next))
				next++
			}
			before := place(t, l.Current(), decode(t, l, m))[0].Value
			stop()

			again := newLearner(t, s)
			if p := again.Current(); p == nil || p.Version != 1 {
				t.Fatalf("resumed with %+v", p)
			}
			select {
			case <-again.Ready():
			default:
				t.Error("not ready")
			}
			if after := place(t, again.Current(), decode(t, again, m))[0].Value; string(after) != string(before) {
				t.Error("the same map places otherwise after a restart")
			}
			// The set is restored and continues as if nothing had happened.
			check := func(when string) {
				t.Helper()
				if a, b := contents(l), contents(again); !slices.Equal(a, b) {
					t.Errorf("%s: the reference sets differ (%d and %d points)", when, len(a), len(b))
				}
			}
			check("after the restart")
			taken := again.ref.Counts().Events
			offer(t, again, message(t, rng, 10, 5, next-1))
			if again.ref.Counts().Events != taken {
				t.Error("an event was taken twice")
			}
			for range 5 {
				m := message(t, rng, 10, 5, next)
				next++
				offer(t, l, m)
				offer(t, again, m)
			}
			check("after more events")
		})
	}
}

// contents lists the points of a learner's reference set.
func contents(l *Learner) []string {
	var out []string
	for p := range l.ref.All() {
		out = append(out, fmt.Sprint(l.ref.Vector(p), l.ref.Count(p), l.ref.IDs(p), l.ref.Row(p)))
	}
	slices.Sort(out)
	return out
}

func TestStartFromMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	for name, pca := range map[string]int{"plain": fit.PCANone, "projected": 3} {
		t.Run(name, func(t *testing.T) {
			s := quick()
			s.Spec.PCA = pca
			l, next, stop := started(t, s, rng, 5)
			stop()
			s.Start, s.Mapping = l.Snapshot(), ingest.Mapping{}
			started := newLearner(t, s)
			m := message(t, rng, 4, 5, next)
			if a, b := place(t, l.Current(), decode(t, l, m)), place(t, started.Current(), decode(t, started, m)); string(a[0].Value) != string(b[0].Value) {
				t.Error("the map places otherwise")
			}
			if a, b := l.ref.Len(), started.ref.Len(); a != b {
				t.Fatalf("%d points, want %d", b, a)
			}
			at := map[int32][]float32{}
			for p := range l.ref.All() {
				at[l.ref.Row(p)] = l.ref.Vector(p)
			}
			worst := 0.0
			for p := range started.ref.All() {
				for k, v := range started.ref.Vector(p) {
					worst = max(worst, math.Abs(float64(v-at[started.ref.Row(p)][k])))
				}
			}
			if limit := map[int]float64{fit.PCANone: 0, 3: 4}[pca]; worst > limit {
				t.Errorf("the rebuilt set is off by %v", worst)
			}
		})
	}
}

func TestStateErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	s := quick()
	s.State = t.TempDir()
	_, _, stop := started(t, s, rng, 5)
	stop()
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(s.State, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	const setFile = "reference-000001.set"
	model, set := read(MapFile), read(setFile)
	damaged := append([]byte(nil), set...)
	damaged[len(damaged)/2] ^= 1
	for name, c := range map[string]struct {
		model, set []byte
		change     func(*Settings)
		bad        string // part of the error
	}{
		"whole":              {model, set, nil, ""},
		"no set":             {model, nil, nil, ""},
		"no map":             {nil, set, nil, ""},
		"other pass-through": {model, set, func(s *Settings) { s.Mapping.Keep = nil }, ""},
		"other size":         {model, set, func(s *Settings) { s.Size = 60 }, ""},
		"the vector named":   {model, set, func(s *Settings) { s.Mapping.Vector = "v" }, ""},
		"cut map":            {model[:len(model)-9], set, nil, "truncated"},
		"damaged set":        {model, damaged, nil, "damaged"},
		"cut set":            {model, set[:40], nil, "cut"},
		"foreign set":        {model, []byte("something else altogether"), nil, "set"},
		"other dims":         {model, set, func(s *Settings) { s.Spec.Dims = 3 }, "in 2 dimensions, the settings say lvm in 3"},
		"other vector":       {model, set, func(s *Settings) { s.Mapping.Vector = "w" }, "vector v, and the settings say w"},
		"other columns": {model, set, func(s *Settings) { s.Mapping.Columns = []ingest.ColumnSpec{{Name: "a", Log1p: true}} },
			`columns (none), and the settings say [{"name":"a","log1p":true}]`},
		"other scaling": {model, set, func(s *Settings) { s.Mapping.Log1p = true }, "log1p false, and the settings say true"},
		"other metric":  {model, set, func(s *Settings) { s.Mapping.Metric = "cosine" }, "metric euclidean, and the settings say cosine"},
		"other missing": {model, set, func(s *Settings) { s.Mapping.Fill = true }, "missing error, and the settings say mean"},
	} {
		t.Run(name, func(t *testing.T) {
			s := s
			s.State = t.TempDir()
			for file, data := range map[string][]byte{MapFile: c.model, setFile: c.set} {
				if data == nil {
					continue
				}
				if err := os.WriteFile(filepath.Join(s.State, file), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if c.change != nil {
				c.change(&s)
			}
			seen, asked := CheckState(s) // before New, which removes leftovers
			l, err := New(s)
			if (err != nil) != (c.bad != "") || err != nil && (!models.IsBadInput(err) || !strings.Contains(err.Error(), c.bad)) {
				t.Fatalf("error %v, want %q", err, c.bad)
			}
			if fmt.Sprint(asked) != fmt.Sprint(err) || err == nil && (seen == nil) != (c.model == nil) {
				t.Errorf("CheckState: %v, %v; New: %v", seen, asked, err)
			}
			if err == nil && (l.Current() == nil) != (c.model == nil) {
				t.Error("map or no map")
			}
		})
	}
}

func TestSettings(t *testing.T) {
	for name, s := range map[string]Settings{
		"min":      {Min: 1},
		"size":     {Min: 100, Size: 50},
		"policy":   {Policy: 7},
		"every":    {RefreshEvery: -5},
		"new":      {RefreshNew: -1},
		"age":      {MaxAge: -1},
		"major":    {Major: 7},
		"moves":    {MovesThreshold: -1},
		"no ids":   {Moves: &movesSink{}},
		"reserved": {Mapping: ingest.Mapping{Selection: ingest.Selection{Keep: []string{"embedding"}}}},
	} {
		if _, err := New(s); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	l := newLearner(t, Settings{})
	if l.set.Min != 2000 || l.set.Size != 50000 || l.set.RefreshEvery != 10*time.Second {
		t.Errorf("defaults %+v", l.set)
	}
	for m := range Major(len(majors)) {
		if got, err := ParseMajor(m.String()); err != nil || got != m {
			t.Errorf("%v: %v, %v", m, got, err)
		}
	}
	if _, err := ParseMajor("sometimes"); err == nil {
		t.Error("an unknown choice is accepted")
	}
}

// A map that stays gets an index if the settings ask for one, and keeps it.
func TestMapThatStaysHasAnIndex(t *testing.T) {
	s := quick()
	s.RefreshEvery, s.State = Never, t.TempDir()
	s.Spec.Search.Method = auto.HNSW
	l, next, stop := started(t, s, rand.New(rand.NewPCG(14, 1)), 5)
	stop()
	again := newLearner(t, s)
	if l.Snapshot().Index == nil || again.Snapshot().Index == nil {
		t.Fatal("no index")
	}
	m := message(t, rand.New(rand.NewPCG(14, 2)), 20, 5, next)
	if a, b := place(t, l.Current(), decode(t, l, m)), place(t, again.Current(), decode(t, again, m)); string(a[0].Value) != string(b[0].Value) {
		t.Error("after a restart it places otherwise")
	}
}

// A kept map places events by its own tails. The next map has the tails of the settings.
func TestTailsOfTheState(t *testing.T) {
	for _, tails := range [][2]lvm.Tails{{lvm.Gaussian, lvm.Student}, {lvm.Student, lvm.Gaussian}, {lvm.Gaussian, lvm.Gaussian}} {
		t.Run(tails[0].String()+" to "+tails[1].String(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(12, 1))
			s := quick()
			s.State = t.TempDir()
			s.Spec.LVM.Tails = tails[0]
			old, next, stop := started(t, s, rng, 5)
			stop()
			m := message(t, rng, 4, 5, next)
			want := place(t, old.Current(), decode(t, old, m))

			s.Spec.LVM.Tails = tails[1]
			s.RefreshEvery, s.RefreshNew = 5*time.Millisecond, 0.01
			l := newLearner(t, s)
			if got := place(t, l.Current(), decode(t, l, m)); string(got[0].Value) != string(want[0].Value) {
				t.Error("the map that was kept places otherwise")
			}
			stop = running(t, l)
			defer stop()
			offer(t, l, m)
			streamtest.Await(t, "there is a new map", func() bool { return l.Current().Version >= 2 })
			epoch := uint32(2) // the epoch continues with the same tails; with others the map is learnt from scratch
			if tails[0] == tails[1] {
				epoch = 1
			}
			if got := lvm.TailsOf(l.Snapshot()); got != tails[1] || l.Current().Epoch != epoch {
				t.Errorf("the new map has %v tails, epoch %d", got, l.Current().Epoch)
			}
		})
	}
	s := quick()
	s.State = t.TempDir()
	_, _, stop := started(t, s, rand.New(rand.NewPCG(13, 1)), 5)
	stop()
	s.Spec.LVM.Tails, s.Place.Rule = lvm.Gaussian, placing.EM
	if _, err := New(s); err == nil || !strings.Contains(err.Error(), "em goes with Gaussian tails") {
		t.Errorf("placing by em on a map with heavy tails: %v", err)
	}
}

// A model that cannot be updated is learnt again at every refresh, each an epoch.
func TestOtherKinds(t *testing.T) {
	for _, kind := range (fit.Kinds{}).Names() {
		t.Run(kind, func(t *testing.T) {
			s := quick()
			s.State, s.Spec.Kind = t.TempDir(), kind
			s.Spec.Steps = 5
			l, next, stop := started(t, s, rand.New(rand.NewPCG(15, 1)), 5)
			stop()
			offer(t, l, message(t, rand.New(rand.NewPCG(15, 2)), 20, 5, next))
			if err := l.refresh(context.Background()); err != nil {
				t.Fatal(err)
			}
			epoch, how := uint32(2), "refit"
			if kind == fit.LVM {
				epoch, how = 1, "major" // growth by a third
			}
			if p := l.Current(); p.Version != 2 || p.Epoch != epoch || p.Stats.Kind != how || l.Snapshot().Kind != kind {
				t.Errorf("%+v of kind %s", p.Stats, l.Snapshot().Kind)
			}
			finite(t, l)
			again := newLearner(t, s)
			finite(t, again)
			offer(t, again, message(t, rand.New(rand.NewPCG(15, 3)), 20, 5, next+1))
			if err := again.refresh(context.Background()); err != nil || again.Current().Version != 3 {
				t.Errorf("after a restart: %v, %+v", err, again.Current().Stats)
			}
		})
	}
}

// A stop right after the first map, before its learning has returned, saves the events taken
// meanwhile.
func TestStoppedWithTheFirstMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 1))
	s := quick()
	s.State = t.TempDir()
	var stop func()
	var l *Learner
	next := int64(6)
	s.Hooks.Published = func(*stream.Published, time.Duration) {
		for ; next < 9; next++ {
			offer(t, l, message(t, rng, 10, 5, next))
		}
		go stop()
		time.Sleep(20 * time.Millisecond) // the context is done before this returns
	}
	l = newLearner(t, s)
	stop = running(t, l)
	for offset := range int64(6) {
		offer(t, l, message(t, rng, 10, 5, offset))
	}
	waitReady(t, l)
	stop()
	s.Hooks = stream.Hooks{}
	if positions, waiting := newLearner(t, s).Seen(); len(positions) != 1 || positions[0].Offset != next || waiting == 0 {
		t.Errorf("positions %v, %d points wait", positions, waiting)
	}
}
