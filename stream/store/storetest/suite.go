package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"gocloud.dev/blob"

	"unfold/internal/vec"
	"unfold/models/snapshot"
	"unfold/stream/store"
)

// Snapshot returns a valid snapshot with this number of rows, on a map of two dimensions.
func Snapshot(version uint64, rows int) *snapshot.Snapshot {
	s := &snapshot.Snapshot{
		Kind: "lvm", Version: version, Epoch: 1, Settings: []byte("{}"), Dim: 3, Reference: vec.New[float32](rows, 3), Mu: vec.New[float64](rows, 2),
		Neighbors: 2, NoveltyK: 2, Steps: 1,
	}
	for i := range s.Reference.Data {
		s.Reference.Data[i] = float32(math.Sin(float64(i) + float64(version)))
	}
	for i := range s.Mu.Data {
		s.Mu.Data[i] = math.Cos(float64(i))
	}
	ones := func() []float64 {
		v := make([]float64, rows)
		for i := range v {
			v[i] = 1
		}
		return v
	}
	s.Sigma2, s.Bandwidth2, s.KDist2, s.Density, s.LocalScores, s.GlobalScores = ones(), ones(), ones(), ones(), ones(), ones()
	s.Count = make([]uint32, rows)
	for i := range s.Count {
		s.Count[i] = 1
	}
	return s
}

// Run tests a kind of bucket against the contract of package store. Within a test, open returns the
// same bucket at every call, at first empty.
func Run(t *testing.T, open func(t *testing.T) *blob.Bucket) {
	for name, test := range map[string]func(*testing.T, *blob.Bucket, *store.Store){
		"what is put is got": roundTrip, "damage is reported": damage, "half an object is none": half, "old versions go": retention,
		"readers never see half": concurrent, "check": check, "names": checkNames,
	} {
		t.Run(name, func(t *testing.T) {
			bucket := open(t)
			s := store.New(bucket, "here")
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
			test(t, bucket, s)
		})
	}
}

func put(t *testing.T, s *store.Store, name string, snap *snapshot.Snapshot) store.Object {
	t.Helper()
	o, err := s.Put(t.Context(), name, snap)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func roundTrip(t *testing.T, _ *blob.Bucket, s *store.Store) {
	ctx := t.Context()
	if all, err := s.List(ctx, "a"); err != nil || len(all) != 0 {
		t.Fatalf("an empty store lists %v, %v", all, err)
	}
	// The sizes are above and below the part size of uploads to object stores.
	for version, rows := range map[uint64]int{1: 4, 2: 70_000} {
		want := Snapshot(version, rows)
		o := put(t, s, "a", want)
		if o.Version != version || len(o.SHA256) != 64 || o.Key != fmt.Sprintf("a/%020d-%s.unfold", version, o.SHA256[:16]) {
			t.Errorf("version %d is stored as %+v", version, o)
		}
		got, err := s.Get(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("version %d comes back as something else", version)
		}
		if again := put(t, s, "a", want); again != o {
			t.Errorf("put again it is %+v, was %+v", again, o)
		}
		if holds, err := s.Holds(ctx, o); !holds || err != nil {
			t.Errorf("it is there: %v, %v", holds, err)
		}
	}
	put(t, s, "ab", Snapshot(7, 4)) // a name that begins like the other
	all, err := s.List(ctx, "a")
	if err != nil || len(all) != 2 || all[0].Version != 1 || all[1].Version != 2 {
		t.Errorf("it lists %+v, %v", all, err)
	}
	other := put(t, s, "a", Snapshot(2, 5))
	if other.Key == all[1].Key {
		t.Error("another map of the same version has the same name")
	}
	missing := other
	missing.Key = "a/nothing.unfold"
	if _, err := s.Get(ctx, missing); !errors.Is(err, store.ErrNotThere) {
		t.Errorf("what is not there: %v", err)
	}
	if holds, err := s.Holds(ctx, missing); holds || err != nil {
		t.Errorf("what is not there is there: %v, %v", holds, err)
	}
}

func damage(t *testing.T, bucket *blob.Bucket, s *store.Store) {
	ctx := t.Context()
	o := put(t, s, "a", Snapshot(3, 50))
	good, err := bucket.ReadAll(ctx, o.Key)
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(good)
	flipped[len(flipped)/2] ^= 4
	for name, bad := range map[string][]byte{
		"one bit": flipped, "half": good[:len(good)/2], "nothing": {}, "more": append(bytes.Clone(good), 0), "zeros": make([]byte, len(good)),
	} {
		if err := bucket.WriteAll(ctx, o.Key, bad, nil); err != nil {
			t.Fatal(err)
		}
		var damaged *store.DamagedError
		if _, err := s.Get(ctx, o); !errors.As(err, &damaged) || damaged.Key != o.Key {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The object is complete, but its content is another one's.
	if err := bucket.WriteAll(ctx, o.Key, good, nil); err != nil {
		t.Fatal(err)
	}
	wrong := o
	wrong.Version++
	var damaged *store.DamagedError
	if _, err := s.Get(ctx, wrong); !errors.As(err, &damaged) || !strings.Contains(err.Error(), "version 3, want 4") {
		t.Errorf("another version: %v", err)
	}
	if _, err := s.Get(ctx, o); err != nil {
		t.Errorf("repaired: %v", err)
	}
}

// half starts to write an object without completing it.
func half(t *testing.T, bucket *blob.Bucket, s *store.Store) {
	broken := Snapshot(1, 4)
	broken.Count = nil // not valid: it cannot be written
	if _, err := s.Put(t.Context(), "a", broken); err == nil {
		t.Error("a snapshot that is not valid is stored")
	}
	ctx, cancel := context.WithCancel(t.Context())
	w, err := bucket.NewWriter(ctx, "a/00000000000000000001-0123456789abcdef.unfold", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	if all, err := s.List(t.Context(), "a"); err != nil || len(all) != 0 {
		t.Errorf("while it is written it is there: %+v, %v", all, err)
	}
	cancel()
	if err := w.Close(); err == nil {
		t.Error("an object that was given up is complete")
	}
	if all, err := s.List(t.Context(), "a"); err != nil || len(all) != 0 {
		t.Errorf("given up it is there: %+v, %v", all, err)
	}
}

func retention(t *testing.T, _ *blob.Bucket, s *store.Store) {
	ctx := t.Context()
	var objects []store.Object
	for v := uint64(8); v <= 12; v++ { // 9 and 10 sort as numbers, not as text
		objects = append(objects, put(t, s, "a", Snapshot(v, 4)))
	}
	kept := put(t, s, "b", Snapshot(1, 4))
	if n, err := s.Keep(ctx, "a", 2, objects[0].Key); n != 2 || err != nil {
		t.Errorf("%d are removed, %v", n, err)
	}
	all, err := s.List(ctx, "a")
	if err != nil || len(all) != 3 || all[0].Version != 8 || all[1].Version != 11 || all[2].Version != 12 {
		t.Errorf("it holds %+v, %v", all, err)
	}
	if n, err := s.Keep(ctx, "a", 2, ""); n != 1 || err != nil {
		t.Errorf("%d are removed, %v", n, err)
	}
	if n, err := s.Keep(ctx, "a", 5, ""); n != 0 || err != nil {
		t.Errorf("%d of 2 are removed where 5 may stay, %v", n, err)
	}
	if _, err := s.Get(ctx, kept); err != nil {
		t.Errorf("another stage's: %v", err)
	}
}

// concurrent reads listed versions while other goroutines add and remove versions.
func concurrent(t *testing.T, bucket *blob.Bucket, s *store.Store) {
	ctx := t.Context()
	const versions = 8
	var mu sync.Mutex
	known := map[string]store.Object{}
	done := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		defer close(done)
		for v := uint64(1); v <= versions; v++ {
			o, err := s.Put(ctx, "a", Snapshot(v, 5000))
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			known[o.Key] = o
			mu.Unlock()
			if _, err := s.Keep(ctx, "a", 3, o.Key); err != nil {
				t.Error(err)
				return
			}
		}
	})
	defer writing.Wait()
	size := int64(0)
	for reads := 0; ; reads++ {
		select {
		case <-done:
			if reads == 0 {
				t.Error("nothing was read meanwhile")
			}
			return
		default:
		}
		all, err := s.List(ctx, "a")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range all {
			if size == 0 {
				size = o.Bytes
			}
			if o.Bytes != size {
				t.Fatalf("%s is seen with %d bytes, others have %d", o.Key, o.Bytes, size)
			}
			mu.Lock()
			o, whole := known[o.Key]
			mu.Unlock()
			if !whole {
				continue
			}
			if _, err := s.Get(ctx, o); err != nil && !errors.Is(err, store.ErrNotThere) {
				t.Fatal(err)
			}
		}
	}
}

func check(t *testing.T, bucket *blob.Bucket, s *store.Store) {
	ctx := t.Context()
	for _, write := range []bool{false, true} {
		if err := s.Check(ctx, "a", write); err != nil {
			t.Error(err)
		}
	}
	if _, err := bucket.List(nil).Next(ctx); err == nil {
		t.Error("a check has left something behind")
	}
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Check(ctx, "a", true); err == nil {
		t.Error("a check that was given up is good")
	}
}

func checkNames(t *testing.T, _ *blob.Bucket, s *store.Store) {
	for _, name := range []string{"", "a/b", "..", ".a", "a b", strings.Repeat("a", 201)} {
		if _, err := s.Put(t.Context(), name, Snapshot(1, 4)); err == nil {
			t.Errorf("%q is a name", name)
		}
		if _, err := s.List(t.Context(), name); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}
