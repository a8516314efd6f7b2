//go:build linux

package chaos

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"unfold/internal/procfs"
	"unfold/internal/testkit/tier"
	"unfold/stream/format"
	"unfold/stream/kafka/kafkatest"
)

// batchesIn returns the positions of the batches in a response, which are those bytes that begin a
// batch with a correct checksum.
func batchesIn(b []byte) (at []int) {
	for i := 0; i+61 <= len(b); i++ {
		n := int(int32(binary.BigEndian.Uint32(b[i+8:]))) + 12
		if b[i+16] != 2 || n < 61 || i+n > len(b) {
			continue
		}
		if binary.BigEndian.Uint32(b[i+17:]) == crc32.Checksum(b[i+21:i+n], crc32.MakeTable(crc32.Castagnoli)) {
			at = append(at, i)
		}
	}
	return at
}

// inBatches returns a lie that changes the header of each batch and signs it again.
func inBatches(change func(b []byte, rng *rand.Rand)) func(rng *rand.Rand, request string, b []byte) []byte {
	return func(rng *rand.Rand, request string, b []byte) []byte {
		if request != "Fetch" || rng.IntN(3) > 0 {
			return b
		}
		for _, i := range batchesIn(b) {
			n := int(binary.BigEndian.Uint32(b[i+8:])) + 12
			change(b[i:i+n], rng)
			binary.BigEndian.PutUint32(b[i+17:], crc32.Checksum(b[i+21:i+n], crc32.MakeTable(crc32.Castagnoli)))
		}
		return b
	}
}

// lies change responses of a broker. Those that move offsets lose events, which no client can see:
// the log of a compacted topic has gaps, too.
var lies = []struct {
	name string
	tell func(rng *rand.Rand, request string, b []byte) []byte
}{
	{"bytes of fetches", flipped("Fetch")},
	{"bytes of metadata", flipped("Metadata")},
	{"bytes of groups", flipped("FindCoordinator JoinGroup SyncGroup Heartbeat OffsetFetch OffsetCommit")},
	{"bytes of writes", flipped("Produce InitProducerId")},
	{"lengths of lists", func(rng *rand.Rand, request string, b []byte) []byte {
		// An assignment whose length is -1 is a good answer: a member beyond the number of partitions
		// gets it, and waits.
		if request != "SyncGroup" && len(b) >= 4 && rng.IntN(3) == 0 {
			binary.BigEndian.PutUint32(b[rng.IntN(len(b)-3):], []uint32{0x7fffffff, 0xffffffff, 0x80000000, 1 << 24}[rng.IntN(4)])
		}
		return b
	}},
	{"responses cut off", func(rng *rand.Rand, _ string, b []byte) []byte {
		if rng.IntN(3) == 0 {
			return b[:rng.IntN(len(b)+1)]
		}
		return b
	}},
	{"responses with more behind them", func(rng *rand.Rand, _ string, b []byte) []byte {
		if rng.IntN(3) == 0 {
			b = append(b, make([]byte, rng.IntN(1<<16))...)
		}
		return b
	}},
	{"negative offsets", inBatches(func(b []byte, _ *rand.Rand) { binary.BigEndian.PutUint64(b, 1<<63) })},
	{"offsets that run back", inBatches(func(b []byte, _ *rand.Rand) { binary.BigEndian.PutUint64(b, 0) })},
	{"lengths of batches", func(rng *rand.Rand, request string, b []byte) []byte {
		if request != "Fetch" || rng.IntN(3) > 0 {
			return b
		}
		for _, i := range batchesIn(b) {
			binary.BigEndian.PutUint32(b[i+8:], []uint32{0, 0xffffffff, 0x7fffffff, 60, 1 << 20}[rng.IntN(5)])
		}
		return b
	}},
	{"numbers of records", inBatches(func(b []byte, rng *rand.Rand) {
		binary.BigEndian.PutUint32(b[57:], []uint32{0xffffffff, 0x7fffffff, 0x80000000, 0}[rng.IntN(4)])
	})},
	{"codecs", inBatches(func(b []byte, rng *rand.Rand) { binary.BigEndian.PutUint16(b[21:], uint16(1+rng.IntN(7))) })},
	{"times", inBatches(func(b []byte, _ *rand.Rand) {
		binary.BigEndian.PutUint64(b[27:], 1<<63)
		binary.BigEndian.PutUint64(b[35:], 1<<63-1)
	})},
}

// flipped returns a lie that flips some bits in a third of the responses.
func flipped(requests string) func(rng *rand.Rand, request string, b []byte) []byte {
	return func(rng *rand.Rand, request string, b []byte) []byte {
		if strings.Contains(" "+requests+" ", " "+request+" ") && len(b) > 0 && rng.IntN(3) == 0 {
			for range 1 + rng.IntN(8) {
				b[rng.IntN(len(b))] ^= 1 << rng.IntN(8)
			}
		}
		return b
	}
}

// TestLyingBroker changes the responses of the broker of a stage, each lie for some seconds. The
// stage neither breaks down nor takes more than its memory. Once the broker is honest again, it goes
// on: what is written then is placed. A stage whose broker answers nothing that can be read, five
// times in a row, ends in order, with an error, and is started again, as by an orchestrator.
func TestLyingBroker(t *testing.T) {
	tier.Full(t, "it lies to a stage, a minute")
	front := kafkatest.FreeAddress(t)
	b := kafkatest.StartEmbedded(t, front)
	seed := uint64(number(t, "UNFOLD_CHAOS_SEED", 1))
	proxy, err := NewProxy(front, b.Addr(), seed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { proxy.Close() })
	a := attacked(t, front, b)
	ids := make([]string, 500)
	for i := range ids {
		ids[i] = fmt.Sprint("first ", i)
	}
	a.send(&kgo.Record{Value: a.events(format.Arrow, ids...)}, false)
	a.settle("the first events")
	for _, lie := range lies {
		rng := rand.New(rand.NewPCG(seed, 0x6c696573))
		proxy.Lie(func(request string, response []byte) []byte { return lie.tell(rng, request, response) })
		for end := time.Now().Add(3 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			a.sendGood()
			a.watch(lie.name)
		}
		proxy.Lie(nil)
		a.placesAfter(lie.name)
	}
	a.stage.stop(t)
	t.Logf("at most %d MB, the bound is %d MB", a.peak/1e6, int64(hostileMemory)/1e6)
	if a.peak > hostileMemory {
		t.Errorf("it took %d MB", a.peak/1e6)
	}
	a.escaped("the log", a.stage.log.String())
}

// watch notes the stage's peak memory, and starts a stage again that ended in order because of its
// broker. Any other end fails the test.
func (a *attack) watch(during string) {
	a.t.Helper()
	if a.stage.alive() {
		if peak, err := procfs.Memory(a.stage.cmd.Process.Pid, "VmHWM"); err == nil {
			a.peak = max(a.peak, peak)
			return
		}
		<-a.stage.gone // it is ending
	}
	said := a.stage.log.String()
	last := said[strings.LastIndexByte(strings.TrimRight(said, "\n"), '\n')+1:]
	if state := a.stage.cmd.ProcessState; state == nil || state.ExitCode() != 1 || !strings.HasPrefix(last, "unfold: ") || !strings.Contains(last, "kafka: ") {
		a.t.Fatalf("%s: it ended with %v:\n%s", during, a.stage.err, said)
	}
	a.escaped("the log", said)
	a.t.Logf("%s: it is started again after: %s", during, last)
	a.stage = launch(a.t, a.configuration)
}

// placesAfter writes events until one of them is placed.
func (a *attack) placesAfter(lie string) {
	a.t.Helper()
	begun := time.Now()
	_, before := a.client.Bounds(a.t, "places")
	for end := begun.Add(soon); ; time.Sleep(50 * time.Millisecond) {
		if a.watch(lie); time.Now().After(end) {
			a.t.Fatalf("after %s it places nothing:\n%s", lie, a.stage.log)
		}
		a.sendGood()
		if _, now := a.client.Bounds(a.t, "places"); now[0] > before[0]+5 {
			a.t.Logf("%s: it places again after %v; at most %d MB", lie, time.Since(begun).Round(time.Millisecond), a.peak/1e6)
			return
		}
	}
}
