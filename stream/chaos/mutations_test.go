package chaos

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"unfold/ingest"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/foreign"
	"unfold/internal/offsets"
	"unfold/internal/vec"
	"unfold/stream/chaos/results"
)

// mutateEnvironment makes the test's binary decode damaged messages. Its value contains the format,
// a seed, the number of messages, the number of outputs to keep, and a file for them.
const mutateEnvironment = "UNFOLD_TEST_MUTATE"

// mutated is the result of decoding damaged messages.
type mutated struct {
	Decoded, Refused int
	// Kept is the number of outputs in the file.
	Kept int
	// Most is the largest number of bytes that the decoder allocated for one message, in total.
	Most uint64
}

// memoryLimit limits the memory of a message in bytes. Total allocations, including garbage, are at
// most a few times that.
const memoryLimit = 16 << 20

// mutate decodes damaged messages and prints the result on standard output.
func mutate(text string) error {
	var seed uint64
	var count, keep int
	var format, path string
	if _, err := fmt.Sscan(text, &format, &seed, &count, &keep, &path); err != nil {
		return err
	}
	outputs := &chosen{most: keep, rng: rand.New(rand.NewPCG(seed, 0x6b657074))}
	rng := rand.New(rand.NewPCG(seed, 0x6d757461))
	victims, err := victimsOf(format)
	if err != nil {
		return err
	}
	var all mutated
	for n := range count {
		v := victims[rng.IntN(len(victims))]
		b := ingesttest.Mutate(v.message, rng)
		before := allocated()
		t, err := v.decode(b, table.Origin{Position: offsets.At("events", 0, int64(n))})
		all.Most = max(all.Most, allocated()-before)
		if err != nil {
			if all.Refused++; !table.IsBadInput(err) {
				return fmt.Errorf("message %d: %w", n, err)
			}
			continue
		}
		all.Decoded++
		for _, c := range t.Columns() {
			c.Strings()
			c.Floats()
		}
		outputs.add(passedOn(t))
	}
	all.Kept = len(outputs.kept)
	if err := outputs.write(path); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(all)
}

// passedOn returns the output message of a stage that keeps all columns of a table. It returns nil
// if they cannot be kept: some values are invalid, and some types cannot be written. An attempt
// does no harm.
func passedOn(t *table.Table) []byte {
	keep := t.Names()
	placed, err := t.With(table.VectorColumn("the vector", vec.New[float32](t.Len(), 2)))
	if err != nil {
		return nil
	}
	fitter, err := ingest.NewFitter(ingest.Mapping{Vector: "the vector"}, placed.Schema())
	if err != nil {
		return nil
	}
	encoder, err := fitter.Encoder()
	if err != nil {
		return nil
	}
	b, err := encoder.With(ingest.Selection{Keep: keep, ReplaceText: true}).Encode(placed)
	if err != nil {
		return nil
	}
	for i, c := range b.Kept {
		if emit.CheckKept("", []string{c.Name()}) != nil {
			b.Kept[i] = c.Renamed("its " + c.Name())
		}
	}
	out, err := emit.EncodeMessage(&emit.Output{Kept: b.Kept, Embedding: b.X})
	if err != nil {
		return nil
	}
	return out
}

// chosen is a uniform random sample of outputs (reservoir sampling).
type chosen struct {
	most, seen int
	rng        *rand.Rand
	kept       [][]byte
}

func (s *chosen) add(out []byte) {
	if out == nil {
		return
	}
	if s.seen++; len(s.kept) < s.most {
		s.kept = append(s.kept, out)
	} else if k := s.rng.IntN(s.seen); k < s.most {
		s.kept[k] = out
	}
}

// write writes the outputs to a file, each after its length.
func (s *chosen) write(path string) error {
	var all []byte
	for _, out := range s.kept {
		all = append(binary.LittleEndian.AppendUint64(all, uint64(len(out))), out...)
	}
	return os.WriteFile(path, all, 0o644)
}

// judgeOutputs reads files of outputs with pyarrow and prints their number. It fails at the first
// invalid one.
const judgeOutputs = `
import struct, sys
import pyarrow as pa, pyarrow.ipc
judged = 0
for path in sys.argv[1:]:
    data, at = open(path, "rb").read(), 0
    while at < len(data):
        size, = struct.unpack_from("<Q", data, at)
        message = data[at + 8 : at + 8 + size]
        at += 8 + size
        try:
            for batch in pa.ipc.open_stream(message):
                batch.validate(full=True)
        except Exception as e:
            open(path + ".bad", "wb").write(message)
            raise SystemExit(f"{path}: output {judged}: {e}; {pa.ipc.open_stream(message).schema}")
        judged += 1
print(judged)
`

func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestMutations decodes UNFOLD_MUTATIONS damaged messages of each format. Processes decode one lot
// each, from lot UNFOLD_MUTATIONS_FIRST on. None may crash or exceed the memory limit. pyarrow must
// accept the outputs of those that could be decoded: at most 5,000 of every lot, or a tenth of it.
func TestMutations(t *testing.T) {
	total := 10_000
	if testing.Short() {
		total = 2000
	}
	total = number(t, "UNFOLD_MUTATIONS", total)
	first := number(t, "UNFOLD_MUTATIONS_FIRST", 1) - 1
	for _, format := range formats() {
		t.Run(format, func(t *testing.T) { testMutations(t, format, total, first) })
	}
}

// lot is the number of messages per process.
const lot = 50_000

func testMutations(t *testing.T, format string, total, first int) {
	begun, dir := time.Now(), t.TempDir()
	var files []string
	var all mutated
	for done := 0; done*lot < total; done++ {
		file := filepath.Join(dir, strconv.Itoa(done))
		files = append(files, file)
		all.add(mutateLot(t, fmt.Sprintf("%s %d %d %d %s", format, first+done, min(lot, total-done*lot), lot/10, file)))
	}
	t.Logf("%d damaged messages: %d could be decoded, %d were refused, none ended the process; at most %.1f MiB were allocated for one, the limit being %d MiB",
		total, all.Decoded, all.Refused, float64(all.Most)/(1<<20), memoryLimit>>20)
	if all.Most > 4*memoryLimit {
		t.Errorf("a message made the decoder allocate %d bytes", all.Most)
	}
	if all.Decoded == 0 || all.Refused == 0 {
		t.Error("the damage does not separate good from bad")
	}
	t.Run("outputs are valid", func(t *testing.T) {
		judged := strings.TrimSpace(string(foreign.Run(t, judgeOutputs, files...)))
		if judged != strconv.Itoa(all.Kept) || all.Kept == 0 {
			t.Errorf("%s outputs were judged, of %d", judged, all.Kept)
		}
		t.Logf("%s outputs are valid for pyarrow", judged)
	})
	if !t.Failed() && total >= lot {
		r := results.Mutations{Format: format, Begun: begun, Seconds: time.Since(begun).Seconds(), First: first,
			Lots: total / lot, Decoded: all.Decoded, Refused: all.Refused, Most: all.Most, Limit: memoryLimit}
		keep(t, "mutations", fmt.Sprintf("%s %d", format, first), r)
	}
}

// mutateLot decodes a lot in a separate process.
func mutateLot(t *testing.T, what string) (one mutated) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), mutateEnvironment+"="+what)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err = errors.Join(err, json.Unmarshal(out, &one)); err != nil {
		t.Fatalf("%s='%s': %v\n%.4000s", mutateEnvironment, what, err, &stderr)
	}
	return one
}

// add adds the counts of another lot.
func (m *mutated) add(one mutated) {
	m.Decoded += one.Decoded
	m.Refused += one.Refused
	m.Kept += one.Kept
	m.Most = max(m.Most, one.Most)
}
