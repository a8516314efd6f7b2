package ingest_test

import (
	"bytes"
	"math/rand/v2"
	"runtime/metrics"
	"strings"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/offsets"
	"unfold/internal/vec"
)

var here = table.Origin{Position: offsets.At("events", 3, 41)}

// touch reads every value of a table, as text and as a number.
func touch(t *table.Table) int {
	n := 0
	for _, c := range t.Columns() {
		for _, s := range c.Strings() {
			n += len(s)
		}
		c.Floats()
	}
	return n
}

func TestDecodeMessageOfEveryType(t *testing.T) {
	for _, s := range ingesttest.Streams() {
		records, err := arrowfmt.DecodeMessage(s.Bytes, here, arrowfmt.Limits{})
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		if records.Len() != s.Rows || records.Origin != here {
			t.Errorf("%s: %d rows of %v, want %d", s.Name, records.Len(), records.Origin, s.Rows)
		}
		touch(records)
		// What was read can be written and read again, with the same values.
		b, err := emit.EncodeTable(records)
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		again, err := arrowfmt.DecodeMessage(b, here, arrowfmt.Limits{})
		if err != nil {
			t.Errorf("%s, again: %v", s.Name, err)
			continue
		}
		ingesttest.EqualTables(t, s.Name, again, records)
	}
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// Whatever the bytes are, decoding ends in a table that is safe to touch or in
// an error that names the message, within the memory that the limits allow.
func TestDecodeMessageSurvivesMutations(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const memory = 16 << 20
	decoded, refused, most := 0, 0, uint64(0)
	for _, s := range ingesttest.Streams() {
		for range 400 {
			b := ingesttest.Mutate(s.Bytes, rng)
			before := allocated()
			records, err := arrowfmt.DecodeMessage(b, here, arrowfmt.Limits{Memory: memory, Rows: 1 << 16})
			most = max(most, allocated()-before)
			if err == nil {
				decoded++
				touch(records)
				// A stage passes columns on. Not every type can be written.
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
		records, err := arrowfmt.DecodeMessage(b, here, limits)
		if err != nil {
			if !table.IsBadInput(err) {
				t.Fatal(err)
			}
			return
		}
		touch(records)
		d := &arrowfmt.Decoder{Limits: limits}
		for range 2 { // the second time the schema is known
			again, err := d.Decode(b, here)
			if err != nil {
				t.Fatal(err)
			}
			ingesttest.EqualTables(t, "a decoder's", again, records)
			touch(again)
		}
	})
}

func output(n, d int) *emit.Output {
	o := &emit.Output{Embedding: vec.New[float32](n, d), Epoch: 3, Version: 1 << 40}
	ids, words, nums := make([]string, n), make([]string, n), make([]int64, n)
	for i := range n {
		ids[i], words[i], nums[i] = "e"+string(rune('a'+i%26)), strings.Repeat("x", i%5), int64(i)*1e12
		o.Sigma = append(o.Sigma, float32(i)/3)
		o.NoveltyLocal = append(o.NoveltyLocal, float32(i%7)/7)
		o.NoveltyGlobal = append(o.NoveltyGlobal, float32(i%11)/11)
	}
	for k := range o.Embedding.Data {
		o.Embedding.Data[k] = float32(k) / 7
	}
	o.ID = table.StringColumn("event", ids)
	o.Kept = []table.Column{table.StringColumn("word", words), table.Int64Column("num", nums)}
	return o
}

// The columns of a message downstream, their order and types are a contract.
func TestEncodeMessageColumns(t *testing.T) {
	b, err := emit.EncodeMessage(output(5, 2))
	if err != nil {
		t.Fatal(err)
	}
	records, err := arrowfmt.DecodeMessage(b, here, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "id string, word string, num int64, embedding fixed_size_list<float32>[2], sigma float32, " +
		"novelty_local float32, novelty_global float32, map_epoch uint32, model_version uint64"
	if got := records.Schema().String(); got != want {
		t.Errorf("columns\n%s, want\n%s", got, want)
	}
	v, _ := records.Column("model_version")
	if v.Text(4) != "1099511627776" {
		t.Errorf("model_version %s", v.Text(4))
	}
	again, _ := emit.EncodeMessage(output(5, 2))
	if !bytes.Equal(b, again) {
		t.Error("the same output gives other bytes")
	}
}

func TestEncodeMessageWithoutIDAndVersion(t *testing.T) {
	o := output(3, 2)
	o.ID, o.Version, o.Sigma = table.Column{}, 0, nil
	b, err := emit.EncodeMessage(o)
	if err != nil {
		t.Fatal(err)
	}
	records, err := arrowfmt.DecodeMessage(b, here, arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	const want = "id int64, word string, num int64, embedding fixed_size_list<float32>[2], novelty_local float32, novelty_global float32"
	if got := records.Schema().String(); got != want {
		t.Errorf("columns\n%s, want\n%s", got, want)
	}
	id, _ := records.Column("id")
	if id.Text(2) != "2" {
		t.Errorf("id of row 2 is %s", id.Text(2))
	}
}

func TestReservedNamesCannotBeKept(t *testing.T) {
	o := output(3, 2)
	o.Kept = append(o.Kept, table.StringColumn("sigma", []string{"a", "b", "c"}))
	if _, err := emit.EncodeMessage(o); err == nil || !strings.Contains(err.Error(), `"sigma" cannot be kept`) {
		t.Errorf("error %v", err)
	}
	o.Kept = []table.Column{table.StringColumn("id", []string{"a", "b", "c"})}
	o.ID = o.Kept[0]
	if _, err := emit.EncodeMessage(o); err != nil {
		t.Errorf("the id column kept as well: %v", err)
	}
}

func TestMessageLimits(t *testing.T) {
	b, _ := emit.EncodeMessage(output(100, 2))
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
		_, err := arrowfmt.DecodeMessage(c.value, here, c.lim)
		if !table.IsBadInput(err) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "topic events, partition 3, offset 41: ") {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// A message whose batches are each within the limits may not exceed them together.
func TestDecodeMessageBoundsAllBatches(t *testing.T) {
	one, many := ingesttest.Zeros(1, 4, 1<<18), ingesttest.Zeros(40, 4, 1<<18) // 4 MiB a batch
	limits := arrowfmt.Limits{Memory: 16 << 20}
	if _, err := arrowfmt.DecodeMessage(one, here, limits); err != nil {
		t.Fatal(err)
	}
	before := allocated()
	_, err := arrowfmt.DecodeMessage(many, here, limits)
	if took := allocated() - before; took > 64<<20 {
		t.Errorf("%d kB made the decoder allocate %d MiB", len(many)>>10, took>>20)
	}
	if !table.IsBadInput(err) || !strings.Contains(err.Error(), "memory") {
		t.Errorf("160 MiB in %d kB: error %v", len(many)>>10, err)
	}
}

func TestCheckVectors(t *testing.T) {
	records, err := table.NewTable(here, table.Int64Column("v", make([]int64, 1000)))
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
