package online

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"unfold/ingest"
	"unfold/models"
	"unfold/models/kinds"
	"unfold/models/lvm"
)

func TestResume(t *testing.T) {
	for _, policy := range []Policy{Reservoir, Window} {
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
			// The set is what it was, and goes on as if nothing had happened.
			check := func(when string) {
				t.Helper()
				a, b := l.ref.matrix(), again.ref.matrix()
				if a.Rows != b.Rows || fmt.Sprint(a.Data) != fmt.Sprint(b.Data) {
					t.Errorf("%s: the reference sets differ (%d and %d events)", when, a.Rows, b.Rows)
				}
			}
			check("after the restart")
			fresh := again.fresh
			offer(t, again, message(t, rng, 10, 5, next-1))
			if again.fresh != fresh {
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

func TestStartFromMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 1))
	for name, pca := range map[string]int{"plain": kinds.PCANone, "projected": 3} {
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
			a, b := l.ref.matrix(), started.ref.matrix()
			if a.Rows != b.Rows {
				t.Fatalf("%d events, want %d", b.Rows, a.Rows)
			}
			worst := 0.0
			for i := range a.Data {
				worst = max(worst, math.Abs(float64(a.Data[i]-b.Data[i])))
			}
			if limit := map[int]float64{kinds.PCANone: 0, 3: 4}[pca]; worst > limit {
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
	model, set := read(MapFile), read(ReferenceFile)
	damaged := append([]byte(nil), set...)
	damaged[len(damaged)/2] ^= 1
	for name, c := range map[string]struct {
		model, set []byte
		change     func(*Settings)
		bad        bool
	}{
		"whole":              {model, set, nil, false},
		"no set":             {model, nil, nil, false},
		"no map":             {nil, set, nil, false},
		"other pass-through": {model, set, func(s *Settings) { s.Mapping.Keep = nil }, false},
		"other size":         {model, set, func(s *Settings) { s.Size = 60 }, false},
		"cut map":            {model[:len(model)-9], set, nil, true},
		"damaged set":        {model, damaged, nil, true},
		"cut set":            {model, set[:40], nil, true},
		"foreign set":        {model, []byte("something else altogether"), nil, true},
		"other dims":         {model, set, func(s *Settings) { s.Spec.LVM.Dims = 3 }, true},
		"other columns":      {model, set, func(s *Settings) { s.Mapping.Vector = "w" }, true},
		"other scaling":      {model, set, func(s *Settings) { s.Mapping.Log1p = true }, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := s
			s.State = t.TempDir()
			for file, data := range map[string][]byte{MapFile: c.model, ReferenceFile: c.set} {
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
			l, err := New(s)
			if (err != nil) != c.bad || c.bad && !models.IsBadInput(err) {
				t.Fatalf("error %v", err)
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
	for _, p := range []Policy{Reservoir, Window} {
		if got, err := ParsePolicy(p.String()); err != nil || got != p {
			t.Errorf("%v: %v, %v", p, got, err)
		}
	}
	if _, err := ParsePolicy("coverage"); err == nil {
		t.Error("an unknown policy is accepted")
	}
}

// A map that was kept goes on being placed on by its own tails; the next map has
// those that the settings say.
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
			for end := time.Now().Add(30 * time.Second); l.Current().Version < 2; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("no new map")
				}
			}
			if got := lvm.TailsOf(l.Snapshot()); got != tails[1] || l.Current().Epoch != 2 {
				t.Errorf("the new map has %v tails, epoch %d", got, l.Current().Epoch)
			}
		})
	}
	s := quick()
	s.State = t.TempDir()
	_, _, stop := started(t, s, rand.New(rand.NewPCG(13, 1)), 5)
	stop()
	s.Spec.LVM.Tails, s.Place.Rule = lvm.Gaussian, lvm.EM
	if _, err := New(s); err == nil || !strings.Contains(err.Error(), "em goes with Gaussian tails") {
		t.Errorf("placing by em on a map with heavy tails: %v", err)
	}
}
