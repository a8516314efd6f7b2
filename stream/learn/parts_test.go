package learn

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"testing"

	"unfold/ingest"
	"unfold/internal/offsets"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/embed"
	"unfold/stream/reference"
)

// A refresh is aligned with the map before: events in both are nearer to their old places than to
// the mirrored ones.
func TestRefreshLiesOnTheOldMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 1))
	s := quick()
	s.Major = MajorAlways
	s.Spec.Steps, s.Spec.Dims = 60, 2
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
	x := l.ref.Matrix()
	before, err := old.at.Placer().Place(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	after, err := l.current.Load().at.Placer().Place(context.Background(), x)
	if err != nil {
		t.Fatal(err)
	}
	// The residual of the best rigid motion cannot be reduced by a rotation, a reflection or a
	// shift.
	b, a := vec.Convert[float64](before.Mu), vec.Convert[float64](after.Mu)
	residual := func(angle float64, mirror float64) (sum float64) {
		c, s := math.Cos(angle), math.Sin(angle)
		mean := make([]float64, 2)
		for i := range a.Rows {
			mean[0] += a.Row(i)[0] / float64(a.Rows)
			mean[1] += a.Row(i)[1] / float64(a.Rows)
		}
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

// setForTest returns a saved set with every optional part.
func setForTest(t testing.TB) *set {
	t.Helper()
	ref, err := reference.New(reference.Settings{IDs: true}, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	ref.Add([]float32{1, 2, 3}, "a", 5)
	ref.Add([]float32{-4, 0, 1e30}, "b", 7)
	ref.Add([]float32{-4, 0, 1e30}, "", 6)
	v := ref.Save()
	return &set{
		setHeader: setHeader{
			Dim: 3, Note: 2, Rows: 2, IDs: true, Newest: v.Newest, Threshold: v.Threshold, Counts: v.Counts, IDType: "int64", MovesEpoch: 3,
			Mapping:   ingest.Mapping{Vector: "v", Log1p: true},
			Positions: []stream.Position{offsets.At("in", 2, 7)},
			History:   history{{Version: 1, Epoch: 1, Kind: "first"}},
		},
		points: v,
	}
}

func TestSetFile(t *testing.T) {
	s := setForTest(t)
	var b bytes.Buffer
	sum, err := s.write(&b)
	if err != nil {
		t.Fatal(err)
	}
	got, crc, err := parseSet(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	// NaN differs from itself, so the notes are compared as text.
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", s) || crc != sum {
		t.Errorf("read back %+v, want %+v; checksums %x and %x", got, s, crc, sum)
	}
	// Any changed or missing byte is detected.
	for i := range b.Len() {
		bad := bytes.Clone(b.Bytes())
		bad[i] ^= 0x40
		if _, _, err := parseSet(bad); err == nil {
			t.Errorf("byte %d changed, and it is read", i)
		}
		if _, _, err := parseSet(b.Bytes()[:i]); err == nil {
			t.Errorf("%d bytes, and it is read", i)
		}
	}
}

// FuzzSetFile reads arbitrary bytes with a correct checksum.
func FuzzSetFile(f *testing.F) {
	var b bytes.Buffer
	if _, err := setForTest(f).write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes()[:b.Len()-4])
	f.Add([]byte(setMagic))
	f.Fuzz(func(t *testing.T, body []byte) {
		data := binary.LittleEndian.AppendUint32(bytes.Clone(body), crc32.Checksum(body, castagnoli))
		s, _, err := parseSet(data)
		if err != nil {
			return
		}
		if v := s.points; v.X.Rows != s.Rows || len(v.X.Data) != s.Rows*s.Dim || len(v.Row) != s.Rows {
			t.Errorf("%d points of %d elements in %d values", s.Rows, s.Dim, len(v.X.Data))
		}
		ref, err := reference.Restore(reference.Settings{IDs: s.IDs}, s.points, s.Rows)
		if err == nil && ref.Len() > s.Rows {
			t.Errorf("%d points of %d", ref.Len(), s.Rows)
		}
	})
}

func TestForeignEvents(t *testing.T) {
	l := newLearner(t, quick())
	if err := l.Offer(context.Background(), foreign{}); err == nil {
		t.Error("foreign events are taken")
	}
	if _, err := (&embed.Map{}).Place(context.Background(), []stream.Events{foreign{}}); err == nil {
		t.Error("foreign events are placed")
	}
}

type foreign struct{}

func (foreign) Len() int { return 1 }
