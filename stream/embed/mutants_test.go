package embed

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"unfold/internal/fetched"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/clusters"
	"unfold/models/clusters/identity"
	"unfold/models/ep/labels"
	"unfold/models/fit"
	"unfold/models/modeltest"
	"unfold/models/projection"
	"unfold/models/reasons"
	"unfold/models/snapshot"
)

// mutated is a model file to corrupt, and rows to place on it.
type mutated struct {
	name string
	raw  []byte
	x    vec.Matrix[float32]
}

// mutatedOf makes rows between the points of a map, and one that equals a point.
func mutatedOf(t *testing.T, name string, s *snapshot.Snapshot) mutated {
	var b bytes.Buffer
	if err := snapshot.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	if s.Graph != nil {
		x := vec.New[float32](4, s.Dim)
		for i := range x.Rows {
			x.Row(i)[3*i], x.Row(i)[3*i+1] = 1, 0.5
		}
		return mutated{name, b.Bytes(), x}
	}
	z, p := s.Reference, projection.Of(s)
	x := vec.New[float32](8, s.Dim)
	for i := range x.Rows {
		mixed := append([]float32{}, z.Row(i)...)
		if i > 0 {
			copy(mixed, z.Row((7*i + 11) % z.Rows)[:z.Cols/2])
		}
		if p.Identity() {
			copy(x.Row(i), mixed)
		} else {
			p.Undo(x.Row(i), mixed)
		}
	}
	return mutated{name, b.Bytes(), x}
}

// mutatedFiles returns models of twelve kinds: the frozen ones of all format versions, textbook
// methods, and one with classes and clusters.
func mutatedFiles(t *testing.T) (out []mutated) {
	paths, err := filepath.Glob(filepath.Join(fetched.Testdata("snapshots"), "*.unfold"))
	if err != nil || len(paths) < 8 {
		t.Fatalf("%d frozen models: %v", len(paths), err)
	}
	for _, path := range paths {
		s, err := snapshot.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s.Encoder = nil // the frozen ones are no encoders of today's
		out = append(out, mutatedOf(t, filepath.Base(path), s))
	}
	x := modeltest.Events(5, 80, 6)
	for _, kind := range []string{"pca", "isomap", "gtm", "lvm"} {
		s, r, err := fit.Fit(context.Background(), x, fit.Spec{Kind: kind, Common: models.Common{Seed: 1, Steps: 5}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.Version, s.Epoch = 1, 1
		if kind == "lvm" {
			adorn(t, s, r.Placed)
		}
		out = append(out, mutatedOf(t, kind, s))
	}
	return out
}

// adorn gives a snapshot a classifier and clusters.
func adorn(t *testing.T, s *snapshot.Snapshot, at models.Placed) {
	label := make([]string, at.Mu.Rows)
	for i := range label {
		label[i] = string(rune('a' + i%3))
	}
	at.Seen = s.Reference
	c, _, err := labels.Train(context.Background(), labels.EventsAt(at, label, nil), nil, labels.Swift())
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := identity.Follow(context.Background(), s.Mu, nil, nil, clusters.Settings{MinSize: 5}, identity.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	for _, parts := range []func() ([]snapshot.Part, error){c.Parts, g.Parts} {
		more, err := parts()
		if err != nil {
			t.Fatal(err)
		}
		s.Parts = append(s.Parts, more...)
	}
}

// try opens a corrupted model file and places rows on it. It reports whether the file is rejected,
// and returns an error for any other failure.
func (m mutated) try(raw []byte) (refused bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a panic: %v\n%s", r, debug.Stack())
		}
	}()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s, err := snapshot.Read(bytes.NewReader(raw))
	if err != nil {
		return true, wrongKind(err)
	}
	on, err := Open(s, Settings{Files: true})
	if err != nil {
		return true, wrongKind(err)
	}
	at, err := on.Vectors(ctx, m.x)
	if err != nil {
		return true, wrongKind(err)
	}
	classes := at.classes
	if classes == nil {
		classes = new(labels.Predicted)
	}
	for name, values := range map[string][]float32{
		"place": at.At.Mu.Data, "sigma": at.At.Sigma, "novelty": at.At.NoveltyLocal, "global novelty": at.At.NoveltyGlobal, "probability": classes.Probability, "entropy": classes.Entropy,
		"share of a cluster": at.sure, "outlier score": at.outlier,
	} {
		for i, v := range values {
			if v-v != 0 {
				return false, fmt.Errorf("%s %d is %g", name, i, v)
			}
		}
	}
	if s.Graph != nil {
		return false, nil
	}
	return false, reasons.New(s, 1).Each(ctx, m.x, at.At.Near, []int{1, 2}, func(int, *reasons.Split) {})
}

// wrongKind returns an error that is not about the file.
func wrongKind(err error) error {
	if models.IsBadInput(err) {
		return nil
	}
	return fmt.Errorf("an error that is not about the file: %w", err)
}

// Corrupted model files with valid checksums are rejected as bad input, or give finite positions,
// scales, novelty and probabilities: without a panic or an endless loop.
func TestMutantsOfModels(t *testing.T) {
	files := mutatedFiles(t)
	each := 40
	if tier.All() {
		each = (10_000 + len(files) - 1) / len(files)
	}
	var tried, refused int
	for _, m := range files {
		if _, err := m.try(m.raw); err != nil {
			t.Fatalf("%s as it is: %v", m.name, err)
		}
		r := rand.New(rand.NewPCG(46, 9))
		for i := range each {
			raw := modeltest.Mutate(t, r, m.raw)
			type result struct {
				refused bool
				err     error
			}
			done := make(chan result, 1)
			go func() {
				no, err := m.try(raw)
				done <- result{no, err}
			}()
			select {
			case got := <-done:
				if tried++; got.refused {
					refused++
				}
				if got.err != nil {
					path := filepath.Join(os.TempDir(), fmt.Sprintf("mutant-%s-%d.unfold", m.name, i))
					_ = os.WriteFile(path, raw, 0o644)
					t.Errorf("mutant %d of %s, kept as %s: %v", i, m.name, path, got.err)
				}
			case <-time.After(2 * time.Minute):
				t.Fatalf("mutant %d of %s does not end", i, m.name)
			}
		}
	}
	t.Logf("%d mutants of %d kinds of model, %d of them refused", tried, len(files), refused)
}

// Numbers that are finite individually but give positions that are not are rejected when the model
// is opened, not when a row is placed.
func TestAbsurdNumbersAreRefusedAtOpening(t *testing.T) {
	x := modeltest.Events(5, 80, 6)
	s, _, err := fit.Fit(context.Background(), x, fit.Spec{Kind: "pca", Common: models.Common{Seed: 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Version, s.Epoch = 1, 1
	for i := range s.Parts {
		if v, is := s.Parts[i].Data.([]float64); is && s.Parts[i].Name == "components" {
			for k := range v {
				v[k] *= 1e100
			}
		}
	}
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(s, Settings{Files: true}); !models.IsBadInput(err) || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("opened: %v", err)
	}
}
