package chaos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
	"unfold/stream/chaos/results"
)

// mutateEnvironment tells the test's binary to decode damaged messages: a seed and
// how many.
const mutateEnvironment = "UNFOLD_TEST_MUTATE"

// mutated is what became of damaged messages.
type mutated struct {
	Decoded, Refused int
	// Most is the most bytes that one of them made the decoder allocate, all in all.
	Most uint64
}

// memoryLimit bounds what a message may take; what is allocated on the way, garbage
// included, is a few times that at most.
const memoryLimit = 16 << 20

// mutate decodes damaged messages and says on standard output what became of them.
func mutate(text string) error {
	var seed uint64
	var count int
	if _, err := fmt.Sscan(text, &seed, &count); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, 0x6d757461))
	streams := ingesttest.Streams()
	limits := ingest.Limits{Memory: memoryLimit, Rows: 1 << 16}
	// As in a stage, where most messages have a schema that was met before, each kind
	// of message has a decoder that knows it.
	decoders := make([]*ingest.Decoder, len(streams))
	for i, s := range streams {
		decoders[i] = &ingest.Decoder{Limits: limits}
		if _, err := decoders[i].Decode(s.Bytes, ingest.Origin{}); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	var all mutated
	for n := range count {
		k := rng.IntN(len(streams))
		b := ingesttest.Mutate(streams[k].Bytes, rng)
		before := allocated()
		t, err := decoders[k].Decode(b, ingest.Origin{Topic: "events", Offset: int64(n)})
		all.Most = max(all.Most, allocated()-before)
		if err != nil {
			if all.Refused++; !ingest.IsBadInput(err) {
				return fmt.Errorf("message %d: %w", n, err)
			}
			continue
		}
		all.Decoded++
		for _, c := range t.Columns() {
			c.Strings()
			c.Floats()
		}
		// A stage passes columns on. Not every type can be written, but trying is safe.
		_, _ = ingest.EncodeTable(t)
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestMutations decodes damaged messages, UNFOLD_MUTATIONS of them, in processes that
// each take a lot, from lot UNFOLD_MUTATIONS_FIRST on. None may die, none may take more
// memory than it should.
func TestMutations(t *testing.T) {
	total, lot := 10_000, 50_000
	if testing.Short() {
		total = 2000
	}
	if text := os.Getenv("UNFOLD_MUTATIONS"); text != "" {
		var err error
		if total, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	first, begun := number(t, "UNFOLD_MUTATIONS_FIRST", 1)-1, time.Now()
	var all mutated
	for done := 0; done*lot < total; done++ {
		seed, count := first+done, min(lot, total-done*lot)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d %d", mutateEnvironment, seed, count))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		var one mutated
		if err = errors.Join(err, json.Unmarshal(out, &one)); err != nil {
			t.Fatalf("%s='%d %d': %v\n%.4000s", mutateEnvironment, seed, count, err, &stderr)
		}
		all.Decoded += one.Decoded
		all.Refused += one.Refused
		all.Most = max(all.Most, one.Most)
	}
	t.Logf("%d damaged messages: %d could be decoded, %d were refused, none ended the process; at most %.1f MiB were allocated for one, the limit being %d MiB",
		total, all.Decoded, all.Refused, float64(all.Most)/(1<<20), memoryLimit>>20)
	if all.Most > 4*memoryLimit {
		t.Errorf("a message made the decoder allocate %d bytes", all.Most)
	}
	if all.Decoded == 0 || all.Refused == 0 {
		t.Error("the damage does not tell good from bad")
	}
	if !t.Failed() && total >= lot {
		keep(t, "mutations", strconv.Itoa(first), results.Mutations{Begun: begun, Seconds: time.Since(begun).Seconds(), First: first,
			Lots: total / lot, Decoded: all.Decoded, Refused: all.Refused, Most: all.Most, Limit: memoryLimit})
	}
}
