package arrowfmt_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

func TestDecodeMessageOfEveryType(t *testing.T) {
	for _, s := range ingesttest.Streams() {
		records, err := arrowfmt.DecodeMessage(s.Bytes, ingesttest.Here(), arrowfmt.Limits{})
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if records.Len() != s.Rows || records.Origin != ingesttest.Here() {
			t.Errorf("%s: %d rows of %v, want %d", s.Name, records.Len(), records.Origin, s.Rows)
		}
		ingesttest.Touch(records)
		// A table that was read can be written and read again with the same values.
		b, err := emit.EncodeTable(records)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		again, err := arrowfmt.DecodeMessage(b, ingesttest.Here(), arrowfmt.Limits{})
		if err != nil {
			t.Errorf("%s, again: %v", s.Name, err)
			continue
		}
		ingesttest.EqualTables(t, s.Name, again, records)
	}
}

// For arbitrary bytes, decoding gives a table that is safe to read or an error that names the
// message, within the memory limit.
func TestDecodeMessageSurvivesMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const memory = 16 << 20
	decoded, refused, most := 0, 0, uint64(0)
	for _, s := range ingesttest.Streams() {
		for range 400 {
			b := ingesttest.Mutate(s.Bytes, rng)
			before := ingesttest.Allocated()
			records, err := arrowfmt.DecodeMessage(b, ingesttest.Here(), arrowfmt.Limits{Memory: memory, Rows: 1 << 16})
			most = max(most, ingesttest.Allocated()-before)
			if err == nil {
				decoded++
				ingesttest.Touch(records)
				// Since a stage passes columns on, encoding must not panic. It may fail, because
				// not every type can be written.
				_, _ = emit.EncodeTable(records)
				continue
			}
			refused++
			if !table.IsBadInput(err) || !strings.Contains(err.Error(), "topic events, partition 3, offset 41") {
				t.Fatalf("%s: error %v", s.Name, err)
			}
		}
	}
	t.Logf("%d decoded, %d refused, at most %d MiB allocated", decoded, refused, most>>20)
	if most > 4*memory {
		t.Errorf("a message of a few kB made the decoder allocate %d MiB", most>>20)
	}
}

func FuzzDecodeMessage(f *testing.F) {
	for _, s := range ingesttest.Streams() {
		if len(s.Bytes) < 4000 {
			f.Add(s.Bytes)
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		limits := arrowfmt.Limits{Memory: 16 << 20, Rows: 1 << 16}
		records, err := arrowfmt.DecodeMessage(b, ingesttest.Here(), limits)
		if err != nil {
			if !table.IsBadInput(err) {
				t.Fatal(err)
			}
			return
		}
		ingesttest.Touch(records)
		d := &arrowfmt.Decoder{Limits: limits}
		for range 2 { // the second time the schema is known
			again, err := d.Decode(b, ingesttest.Here())
			if err != nil {
				t.Fatal(err)
			}
			ingesttest.EqualTables(t, "a decoder's", again, records)
			ingesttest.Touch(again)
		}
	})
}

func TestMessageLimits(t *testing.T) {
	b, _ := emit.EncodeMessage(ingesttest.Output(100, 2))
	for _, c := range []struct {
		value []byte
		lim   arrowfmt.Limits
		want  string
	}{
		{nil, arrowfmt.Limits{}, "the message is empty"},
		{b, arrowfmt.Limits{Bytes: 100}, "more than 100"},
		{b, arrowfmt.Limits{Rows: 10}, "at most 10"},
		{b, arrowfmt.Limits{Memory: 1000}, "more than 500 bytes"},
		{b[:len(b)-4], arrowfmt.Limits{}, "truncated"},
		{b[:len(b)-9], arrowfmt.Limits{}, "truncated"},
		{[]byte(`{"json": "is not Arrow"}`), arrowfmt.Limits{}, "this looks like JSON; a message has to be one Arrow IPC stream"},
		{[]byte("neither of the two"), arrowfmt.Limits{}, "not an Arrow IPC stream"},
	} {
		_, err := arrowfmt.DecodeMessage(c.value, ingesttest.Here(), c.lim)
		if !table.IsBadInput(err) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "topic events, partition 3, offset 41: ") {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// A message is refused if its batches together exceed a limit that each of them is within.
func TestDecodeMessageBoundsAllBatches(t *testing.T) {
	one, many := ingesttest.Zeros(1, 4, 1<<18), ingesttest.Zeros(40, 4, 1<<18) // 4 MiB a batch
	limits := arrowfmt.Limits{Memory: 16 << 20}
	if _, err := arrowfmt.DecodeMessage(one, ingesttest.Here(), limits); err != nil {
		t.Fatal(err)
	}
	before := ingesttest.Allocated()
	_, err := arrowfmt.DecodeMessage(many, ingesttest.Here(), limits)
	if took := ingesttest.Allocated() - before; took > 64<<20 {
		t.Errorf("%d kB made the decoder allocate %d MiB", len(many)>>10, took>>20)
	}
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), "memory") {
		t.Errorf("160 MiB in %d kB: error %v", len(many)>>10, err)
	}
}

func TestCheckVectors(t *testing.T) {
	records, err := table.NewTable(ingesttest.Here(), table.Int64Column("v", make([]int64, 1000)))
	if err != nil {
		t.Fatal(err)
	}
	limits := arrowfmt.Limits{Memory: 1 << 20}
	if err := limits.CheckVectors(records, 262); err != nil {
		t.Errorf("1000 x 262: %v", err)
	}
	if err := limits.CheckVectors(records, 263); !table.IsBadInput(err) || !strings.Contains(err.Error(), "offset 41: the message has 1000 rows; at 263 elements a vector at most 996") {
		t.Errorf("1000 x 263: %v", err)
	}
}
