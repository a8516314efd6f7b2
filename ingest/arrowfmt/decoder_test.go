package arrowfmt_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// For arbitrary bytes, and with known and unknown schemas, decoding gives the same result as
// Arrow's reader after the checks.
func TestDecodersAgreeWithArrow(t *testing.T) {
	limits := arrowfmt.Limits{Memory: 16 << 20, Rows: 1 << 16}
	d := &arrowfmt.Decoder{Limits: limits}
	rng := rand.New(rand.NewPCG(6, 5))
	decoded, refused := 0, 0
	agree := func(name string, b []byte) {
		t.Helper()
		want, failed := arrowfmt.DecodeByArrow(b, ingesttest.Here(), limits)
		for way, decode := range map[string]func() (*table.Table, error){
			"Decode":        func() (*table.Table, error) { return d.Decode(b, ingesttest.Here()) },
			"DecodeMessage": func() (*table.Table, error) { return arrowfmt.DecodeMessage(b, ingesttest.Here(), limits) },
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
			if got.Origin != ingesttest.Here() {
				t.Fatalf("%s: of %v", name, got.Origin)
			}
			a, err1 := emit.EncodeTable(want)
			b, err2 := emit.EncodeTable(got)
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

// Messages of more schemas than a Decoder remembers can be decoded in any order.
func TestDecoderOfManySchemas(t *testing.T) {
	d := &arrowfmt.Decoder{}
	streams := ingesttest.Streams()
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			for i := range 3 * len(streams) {
				s := streams[(i*(2*k+1))%len(streams)]
				records, err := d.Decode(s.Bytes, ingesttest.Here())
				if err != nil || records.Len() != s.Rows {
					t.Errorf("%s: %v, %v", s.Name, records, err)
				}
			}
		})
	}
	wg.Wait()
}

// Decoding a message of one event with a known schema takes few allocations.
func TestDecoderAllocatesLittle(t *testing.T) {
	d := &arrowfmt.Decoder{}
	m, err := emit.EncodeTable(ingesttest.Events(0, 1, 50))
	if err != nil {
		t.Fatal(err)
	}
	allocs := testing.AllocsPerRun(100, func() {
		if _, err := d.Decode(m, ingesttest.Here()); err != nil {
			t.Fatal(err)
		}
	})
	if allocs > 40 {
		t.Errorf("%v allocations", allocs)
	}
}
