package learn

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"unfold/internal/testkit/mutate"
	"unfold/internal/testkit/tier"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/modeltest"
	"unfold/models/snapshot"
)

// stateFolder holds the contents of a state folder.
type stateFolder struct {
	model, set []byte
	setName    string
}

// savedState returns the state of a learner with a map and a reference set.
func savedState(t *testing.T) stateFolder {
	s := quick()
	s.State = t.TempDir()
	_, _, stop := started(t, s, rand.New(rand.NewPCG(46, 1)), 5)
	stop()
	model, err := os.ReadFile(filepath.Join(s.State, MapFile))
	if err != nil {
		t.Fatal(err)
	}
	sets, err := filepath.Glob(filepath.Join(s.State, setPattern))
	if err != nil || len(sets) != 1 {
		t.Fatalf("%v: %v", sets, err)
	}
	set, err := os.ReadFile(sets[0])
	if err != nil {
		t.Fatal(err)
	}
	return stateFolder{model, set, filepath.Base(sets[0])}
}

// mutant changes the model, or the reference set together with its checksum in the model.
func (f stateFolder) mutant(t *testing.T, r *rand.Rand) stateFolder {
	if r.IntN(2) == 0 {
		f.model = modeltest.Mutate(t, r, f.model)
		return f
	}
	f.set = mutateSet(r, f.set)
	s, err := snapshot.Read(bytes.NewReader(f.model))
	if err != nil {
		t.Fatal(err)
	}
	var how map[string]json.RawMessage
	if err := json.Unmarshal(s.Learning, &how); err != nil {
		t.Fatal(err)
	}
	how["set"], err = json.Marshal(setFile{Number: learningOf(s).Set.Number, CRC: crc32.Checksum(f.set[:len(f.set)-4], castagnoli)})
	if err != nil {
		t.Fatal(err)
	}
	if s.Learning, err = json.Marshal(how); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := snapshot.Write(&b, s); err != nil {
		t.Fatal(err)
	}
	f.model = b.Bytes()
	return f
}

// mutateSet changes the header of a saved set, its numbers, or other bytes. The header's length and
// the checksum stay consistent.
func mutateSet(r *rand.Rand, raw []byte) []byte {
	le := binary.LittleEndian
	const fixed = len(setMagic) + 4
	end := fixed + int(le.Uint32(raw[len(setMagic):]))
	header, body := bytes.Clone(raw[fixed:end]), bytes.Clone(raw[end:len(raw)-4])
	for range 1 + r.IntN(3) {
		switch r.IntN(5) {
		case 0, 1:
			if json.Valid(header) {
				header = mutate.JSON(r, header)
			}
		case 2:
			body = mutate.Bytes(r, body)
		default:
			for range 1 + r.IntN(8) {
				if at := 4 * r.IntN(max(1, len(body)/4)); at+4 <= len(body) {
					le.PutUint32(body[at:], math.Float32bits(float32(modeltest.Absurd[r.IntN(len(modeltest.Absurd))])))
				}
			}
		}
	}
	out := append(le.AppendUint32([]byte(setMagic), uint32(len(header))), header...)
	out = append(out, body...)
	return le.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

// try opens a learner on the state, places rows on its map, offers more events and refreshes.
func (f stateFolder) try(t *testing.T, dir string, more []byte) (refused bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("a panic: %v\n%s", r, debug.Stack())
		}
	}()
	if err := errors.Join(os.WriteFile(filepath.Join(dir, MapFile), f.model, 0o600), os.WriteFile(filepath.Join(dir, f.setName), f.set, 0o600)); err != nil {
		return false, err
	}
	s := quick()
	s.State = dir
	l, err := New(s)
	if err != nil {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	finite := func(when string) error {
		cur := l.current.Load()
		if cur == nil {
			return nil
		}
		x := vec.New[float32](4, 5)
		for i := range x.Data {
			x.Data[i] = float32(i % 7)
		}
		at, err := cur.at.Placer().Place(ctx, x)
		if models.IsBadInput(err) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: placing: %w", when, err)
		}
		for i, v := range at.Mu.Data {
			if v-v != 0 {
				return fmt.Errorf("%s: place %d is %g", when, i, v)
			}
		}
		return nil
	}
	if err := finite("as it was opened"); err != nil {
		return false, err
	}
	m := message(t, rand.New(rand.NewPCG(46, 3)), 1, 5, 1<<20)
	m.Value = more
	e, err := l.Decode(m)
	if err != nil {
		return true, nil // the state has another format, or other columns
	}
	if err := l.Offer(ctx, e); err != nil {
		return true, nil
	}
	if err := l.refresh(ctx); err != nil {
		if ctx.Err() != nil {
			return false, fmt.Errorf("a refresh does not end: %w", err)
		}
		return true, nil
	}
	return false, finite("after a refresh")
}

// Changed state folders with correct checksums are refused, or the map continued from them has
// finite places. Nothing panics or hangs.
func TestMutantsOfState(t *testing.T) {
	each := 60
	if tier.All() {
		each = 3000
	}
	good := savedState(t)
	more := value(t, rand.New(rand.NewPCG(46, 4)), 10, 5, 1<<30)
	if refused, err := good.try(t, t.TempDir(), more); refused || err != nil {
		t.Fatalf("as it is: refused %v, %v", refused, err)
	}
	r, refused := rand.New(rand.NewPCG(46, 13)), 0
	for i := range each {
		f := good.mutant(t, r)
		dir := t.TempDir()
		no, err := f.try(t, dir, more)
		if err != nil {
			t.Errorf("mutant %d: %v", i, err)
		}
		if no {
			refused++
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d mutants, %d of them refused", each, refused)
}
