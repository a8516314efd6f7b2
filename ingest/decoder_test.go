package ingest_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
)

// What is made of a message is what Arrow's reader makes of it after the checks, whether
// its schema is known or not, whatever the bytes are.
func TestDecodersAgreeWithArrow(t *testing.T) {
	limits := ingest.Limits{Memory: 16 << 20, Rows: 1 << 16}
	d := &ingest.Decoder{Limits: limits}
	rng := rand.New(rand.NewPCG(6, 5))
	decoded, refused := 0, 0
	agree := func(name string, b []byte) {
		t.Helper()
		want, failed := ingest.DecodeByArrow(b, here, limits)
		for way, decode := range map[string]func() (*ingest.Table, error){
			"Decode":        func() (*ingest.Table, error) { return d.Decode(b, here) },
			"DecodeMessage": func() (*ingest.Table, error) { return ingest.DecodeMessage(b, here, limits) },
		} {
			name := way + " of " + name
			got, err := decode()
			if fmt.Sprint(err) != fmt.Sprint(failed) {
				t.Fatalf("%s: error %v, want %v", name, err, failed)
			}
			if failed != nil {
				refused++
				continue
			}
			decoded++
			ingesttest.EqualTables(t, name, got, want)
			if got.Origin != here {
				t.Fatalf("%s: of %v", name, got.Origin)
			}
			a, err1 := ingest.EncodeTable(want)
			b, err2 := ingest.EncodeTable(got)
			if string(a) != string(b) || fmt.Sprint(err1) != fmt.Sprint(err2) {
				t.Fatalf("%s: written again the bytes differ (%v, %v)", name, err1, err2)
			}
		}
	}
	for _, s := range ingesttest.Streams() {
		agree(s.Name, s.Bytes)
		agree(s.Name+", again", s.Bytes)
		for range 300 {
			agree(s.Name+", damaged", ingesttest.Mutate(s.Bytes, rng))
		}
	}
	t.Logf("%d decoded, %d refused", decoded, refused)
	if decoded < 1000 || refused < 1000 {
		t.Errorf("%d decoded, %d refused", decoded, refused)
	}
}

// More schemas than are remembered come and go, side by side.
func TestDecoderOfManySchemas(t *testing.T) {
	d := &ingest.Decoder{}
	streams := ingesttest.Streams()
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			for i := range 3 * len(streams) {
				s := streams[(i*(2*k+1))%len(streams)]
				table, err := d.Decode(s.Bytes, here)
				if err != nil || table.Len() != s.Rows {
					t.Errorf("%s: %v, %v", s.Name, table, err)
				}
			}
		})
	}
	wg.Wait()
}

// A message of one event of a known schema takes few allocations.
func TestDecoderAllocatesLittle(t *testing.T) {
	d := &ingest.Decoder{}
	m, err := ingest.EncodeTable(ingesttest.Events(0, 1, 50))
	if err != nil {
		t.Fatal(err)
	}
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := d.Decode(m, here); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 40 {
		t.Errorf("%v allocations", allocs)
	}
}
