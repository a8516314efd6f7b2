package snapshot

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"unfold/internal/offsets"
	"unfold/internal/vec"
	"unfold/models"
	"unfold/sparse/knn"
	"unfold/sparse/knn/hnsw"
)

// sample returns a valid snapshot of n points, with every optional part if full.
func sample(seed uint64, n, q, d int, full bool) *Snapshot {
	r := rand.New(rand.NewPCG(seed, 1))
	positive := func() []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = r.ExpFloat64() + 1e-12
		}
		return v
	}
	s := &Snapshot{
		Kind: "lvm", Version: 1 + r.Uint64N(math.MaxUint64), Epoch: 1 + r.Uint32N(100), Dim: q,
		Reference: vec.New[float32](n, q), Count: make([]uint32, n),
		Mu: vec.New[float64](n, d), Sigma2: positive(), Bandwidth2: positive(), Neighbors: 1 + r.IntN(20), Steps: r.IntN(1000), Dissimilar: r.Float64(),
		NoveltyK: 1 + r.IntN(n-1), KDist2: positive(), Density: positive(), LocalScores: positive(), GlobalScores: positive(),
	}
	for i := range s.Reference.Data {
		s.Reference.Data[i] = float32(r.NormFloat64())
	}
	for i := range s.Mu.Data {
		s.Mu.Data[i] = r.NormFloat64()
	}
	for i := range s.Count {
		s.Count[i] = 1 + r.Uint32N(1000)
	}
	slices.Sort(s.LocalScores)
	slices.Sort(s.GlobalScores)
	if !full {
		return s
	}
	s.Dim = q + 2
	s.MapID = "00112233445566778899aabbccddeeff"
	s.Settings, s.Encoder = []byte(`{"dims":2}`), []byte("columns\x00and words")
	s.Learning = []byte(`{"kind":"major"}`)
	s.Mean, s.Components = make([]float32, s.Dim), vec.New[float32](q, s.Dim)
	for i := range s.Components.Data {
		s.Components.Data[i] = float32(r.NormFloat64())
	}
	for i := range s.Dim {
		s.Names = append(s.Names, strings.Repeat("n\xffame", i%3)+string(rune('a'+i%26)))
	}
	for i := range n {
		s.IDs = append(s.IDs, []string{"", "é7", "long id"}[i%3])
	}
	s.Unlearnt = make([]bool, n)
	s.Unlearnt[n-1] = true
	s.Student = &Student{
		Tail: r.ExpFloat64() + .1, Unit: r.ExpFloat64() + .1, Clip: [2]float64{.1, 10}, Weight: .086, Field: "map", Theta: r.Float64(), Seed: r.Uint64(), Error2: positive(),
	}
	ix, err := hnsw.Build(context.Background(), s.Reference, hnsw.Settings{M: 4, EfConstruction: 9, Ef: 20, Seed: seed}, knn.Settings{})
	if err != nil {
		panic(err)
	}
	s.Index, s.CellRecall = ix, 0.5
	s.Parts = []Part{
		{"small.flags", n, 1, make([]byte, n)}, {"m32", 2, 3, []float32{1, 2, 3, 4, 5, 6}}, {"m64", 1, 2, []float64{math.Pi, -1}},
		{"u32", 1, 1, []uint32{7}}, {"u64", 1, 1, []uint64{1 << 63}}, {"i64_", 2, 1, []int64{-1, 1}},
	}
	s.Positions = []Position{offsets.At("events", 0, 17), offsets.At("events", 3, 1<<60), {}}
	return s
}

// equal compares snapshots; indexes are compared as bytes.
func equal(a, b *Snapshot) bool {
	if a == nil || b == nil {
		return a == b
	}
	if (a.Index == nil) != (b.Index == nil) || a.Index != nil && !bytes.Equal(links(a), links(b)) {
		return false
	}
	c, d := *a, *b
	c.Index, d.Index = nil, nil
	return reflect.DeepEqual(c, d)
}

// links returns a snapshot's index as stored in a file.
func links(s *Snapshot) []byte {
	var b bytes.Buffer
	if n, err := encodeLinks(&b, s.Index); err != nil || n != b.Len() {
		panic(fmt.Sprintf("%d bytes of links, %d written: %v", n, b.Len(), err))
	}
	return b.Bytes()
}

// bytesOf returns the file of s.
func bytesOf(t testing.TB, s *Snapshot) []byte {
	var b bytes.Buffer
	if err := Write(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := sample(rapid.Uint64().Draw(t, "seed"), rapid.IntRange(2, 40).Draw(t, "n"),
			rapid.IntRange(1, 7).Draw(t, "q"), rapid.IntRange(1, 4).Draw(t, "d"), rapid.Bool().Draw(t, "full"))
		var b bytes.Buffer
		if err := Write(&b, s); err != nil {
			t.Fatal(err)
		}
		if b.Len()%alignment != 0 {
			t.Errorf("the file has %d bytes, not a multiple of %d", b.Len(), alignment)
		}
		for name, r := range map[string]io.Reader{
			"known size":   bytes.NewReader(b.Bytes()),
			"unknown size": iotest.OneByteReader(bytes.NewReader(b.Bytes())),
		} {
			got, err := Read(r)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !equal(got, s) {
				t.Errorf("%s: read\n%+v, want\n%+v", name, got, s)
			}
		}
	})
}

// A shift is restored, from a file of version 5, which earlier programs refuse.
func TestShiftIsKept(t *testing.T) {
	s := sample(3, 9, 3, 2, true)
	s.Encoder, s.Shift = nil, make([]float64, s.Dim)
	s.Shift[1] = 4_649_776
	data := bytesOf(t, s)
	if info, err := ReadInfo(bytes.NewReader(data)); err != nil || info.Format != 5 {
		t.Fatalf("format %+v (%v), want 5", info, err)
	}
	got, err := Read(bytes.NewReader(data))
	if err != nil || !slices.Equal(got.Shift, s.Shift) {
		t.Errorf("shift %v, error %v, want %v", got.Shift, err, s.Shift)
	}
	binary.LittleEndian.PutUint32(data[8:], 4)
	seal(data)
	if _, err := Read(bytes.NewReader(data)); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "shift") {
		t.Errorf("in a file of version 4: error %v", err)
	}
}

// The id of a model's map is read without the rest of the file.
func TestReadMapID(t *testing.T) {
	for _, want := range []string{"", NewMapID()} {
		s := sample(3, 30, 5, 2, true)
		s.MapID = want
		data := bytesOf(t, s)
		if got, err := ReadMapID(bytes.NewReader(data)); err != nil || got != want {
			t.Errorf("the id is %q (%v), want %q", got, err, want)
		}
		if want == "" {
			continue
		}
		data[bytes.Index(data, []byte(want))]++
		if _, err := ReadMapID(bytes.NewReader(data)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("a damaged id: %v", err)
		}
	}
}

// The encoder of a model is read without the rest of the file.
func TestReadEncoder(t *testing.T) {
	for _, want := range []string{"", "an encoder"} {
		s := sample(3, 30, 5, 2, true)
		s.Encoder = []byte(want)
		if got, err := ReadEncoder(bytes.NewReader(bytesOf(t, s))); err != nil || string(got) != want {
			t.Errorf("the encoder is %q (%v), want %q", got, err, want)
		}
	}
}

func TestBlocksAreAlignedAndListed(t *testing.T) {
	s := sample(3, 30, 5, 2, true)
	data, want := bytesOf(t, s), len(fields)-2-len(graphFields)+len(s.Parts) // without the distance, which is Euclidean, the shift and the graph
	info, err := ReadInfo(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if info.Format != 2 || info.Size != uint64(len(data)) || len(info.Blocks) != want {
		t.Fatalf("format %d, %d bytes, %d blocks; want 2, %d, %d", info.Format, info.Size, len(info.Blocks), len(data), want)
	}
	for _, b := range info.Blocks {
		if b.Offset%alignment != 0 {
			t.Errorf("block %s begins at %d", b.Name, b.Offset)
		}
		if crc := crc32.Checksum(data[b.Offset:b.Offset+b.Length], castagnoli); crc != b.CRC {
			t.Errorf("block %s: checksum %08x, the directory says %08x", b.Name, crc, b.CRC)
		}
	}
}

// A file with any bit changed must not load.
func TestEveryBitIsCovered(t *testing.T) {
	data := bytesOf(t, sample(5, 4, 3, 2, true))
	for i := range data {
		bit := byte(1) << (i % 8)
		data[i] ^= bit
		_, err := Read(bytes.NewReader(data))
		data[i] ^= bit
		var format *FormatError
		if !errors.As(err, &format) || !models.IsBadInput(err) {
			t.Fatalf("byte %d changed: got %v, want a *FormatError", i, err)
		}
	}
}

func TestEveryTruncationIsNoticed(t *testing.T) {
	data := bytesOf(t, sample(5, 4, 3, 2, true))
	for n := range data {
		for name, r := range map[string]io.Reader{
			"known size": bytes.NewReader(data[:n]), "unknown size": iotest.DataErrReader(bytes.NewReader(data[:n])),
		} {
			if _, err := Read(r); !errors.Is(err, ErrTruncated) || !models.IsBadInput(err) {
				t.Fatalf("%s: the first %d bytes of %d: got %v, want ErrTruncated", name, n, len(data), err)
			}
		}
	}
	for name, r := range map[string]io.Reader{
		"known size":   bytes.NewReader(append(slices.Clone(data), 0)),
		"unknown size": io.MultiReader(bytes.NewReader(data), strings.NewReader("x")),
	} {
		if _, err := Read(r); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: a byte too many: got %v, want ErrCorrupt", name, err)
		}
	}
}

// seal corrects the checksums of a header and directory that a test changed.
func seal(data []byte) []byte {
	le := binary.LittleEndian
	count := min(int(le.Uint32(data[12:])), (len(data)-headerSize)/entrySize)
	le.PutUint32(data[24:], crc32.Checksum(data[headerSize:headerSize+count*entrySize], castagnoli))
	le.PutUint32(data[28:], crc32.Checksum(data[:28], castagnoli))
	return data
}

func TestErrorsSayWhat(t *testing.T) {
	le := binary.LittleEndian
	good := bytesOf(t, sample(7, 9, 3, 2, true))
	entry := func(data []byte, name string) []byte {
		for at := headerSize; ; at += entrySize {
			if strings.TrimRight(string(data[at:at+nameSize]), "\x00") == name {
				return data[at : at+entrySize]
			}
		}
	}
	for name, c := range map[string]struct {
		change func(data []byte)
		kind   error
		text   string
	}{
		"another file":          {func(d []byte) { copy(d, "PK\x03\x04....") }, ErrNotSnapshot, "not an unfold model file"},
		"a newer version":       {func(d []byte) { le.PutUint32(d[8:], FormatVersion+1); seal(d) }, ErrNewer, "newer unfold; upgrade"},
		"a block's bit":         {func(d []byte) { d[le.Uint64(entry(d, "mu")[48:])] ^= 1 }, ErrCorrupt, `block "mu"`},
		"a required block gone": {func(d []byte) { copy(entry(d, "mu"), "nu"); seal(d) }, ErrCorrupt, `no block "mu"`},
		"another type":          {func(d []byte) { e := entry(d, "sigma2"); le.PutUint32(e[24:], uint32(Int64)); seal(d) }, ErrCorrupt, `"sigma2"`},
		"an overflowing shape": {func(d []byte) {
			e := entry(d, "sigma2")
			le.PutUint64(e[32:], 1<<31-1)
			le.PutUint64(e[40:], 1<<31-1)
			seal(d)
		}, ErrCorrupt, `"sigma2"`},
		"another shape": {func(d []byte) {
			e := entry(d, "reference")
			le.PutUint64(e[32:], 3)
			le.PutUint64(e[40:], 9)
			seal(d)
		}, ErrCorrupt, "reference points"},
		"heavy tails in version 1": {func(d []byte) { le.PutUint32(d[8:], 1); seal(d) }, ErrCorrupt, "not known to format version 1"},
		"heavy tails without unit": {func(d []byte) { copy(entry(d, "student.unit"), "student.unix"); seal(d) }, ErrCorrupt, "of the 9 blocks of heavy tails"},
		"unknown tails": {func(d []byte) {
			e := entry(d, "tails")
			at := le.Uint64(e[48:])
			copy(d[at+4:], "cauchys")
			le.PutUint32(e[28:], crc32.Checksum(d[at:at+le.Uint64(e[56:])], castagnoli))
			seal(d)
		}, ErrCorrupt, `says "cauchys"`},
		"a position without partition": {func(d []byte) { copy(entry(d, "position.partition"), "position.partitiom"); seal(d) }, ErrCorrupt, "blocks of position"},
		"a topic less": {func(d []byte) {
			// The topics become one, whose name takes all the bytes.
			e := entry(d, "position.topic")
			at, n := le.Uint64(e[48:]), le.Uint64(e[56:])
			le.PutUint64(e[32:], 1)
			le.PutUint32(d[at:], uint32(n-4))
			le.PutUint32(e[28:], crc32.Checksum(d[at:at+n], castagnoli))
			seal(d)
		}, ErrCorrupt, "rows, others of position have"},
		"a block beyond the end": {func(d []byte) { e := entry(d, "mu"); le.PutUint64(e[56:], 1<<62); seal(d) }, ErrCorrupt, `"mu"`},
		"too many blocks":        {func(d []byte) { le.PutUint32(d[12:], 1<<31); seal(d) }, ErrCorrupt, "header"},
		"a name twice":           {func(d []byte) { copy(entry(d, "names"), "mean\x00"); seal(d) }, ErrCorrupt, `"mean"`},
	} {
		data := slices.Clone(good)
		c.change(data)
		_, err := Read(bytes.NewReader(data))
		if !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %v with %q", name, err, c.kind, c.text)
		}
	}
}

// An unknown block was added by a later program; readers may skip it.
func TestUnknownBlocksAreSkipped(t *testing.T) {
	s := sample(7, 9, 3, 2, true)
	data := bytesOf(t, s)
	// "settings" is optional; under another name its content is ignored.
	at := bytes.Index(data, []byte("settings\x00"))
	copy(data[at:], "sketches")
	got, err := Read(bytes.NewReader(seal(data)))
	if err != nil {
		t.Fatal(err)
	}
	s.Settings = nil
	if !equal(got, s) {
		t.Errorf("read %+v, want %+v", got, s)
	}
}

// A header that claims a large file must not make the reader allocate that size.
func TestClaimsDoNotCostMemory(t *testing.T) {
	data := slices.Clone(bytesOf(t, sample(7, 9, 3, 2, true)))
	le := binary.LittleEndian
	at := bytes.Index(data, []byte("novelty.global\x00"))
	le.PutUint64(data[at+32:], 1<<27) // 1 GiB of float64
	le.PutUint64(data[at+56:], 1<<30)
	last := le.Uint64(data[at+48:]) + 1<<30
	end := align(last)
	for i := at + entrySize; i < headerSize+int(le.Uint32(data[12:]))*entrySize; i += entrySize {
		le.PutUint64(data[i+48:], end)
		end = align(end + le.Uint64(data[i+56:]))
	}
	le.PutUint64(data[16:], end)
	seal(data)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, r := range []io.Reader{bytes.NewReader(data), iotest.HalfReader(bytes.NewReader(data))} {
		if _, err := Read(r); !errors.Is(err, ErrTruncated) {
			t.Errorf("got %v, want ErrTruncated", err)
		}
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
		t.Errorf("a file of %d bytes that claims %d took %d bytes of memory", len(data), end, used)
	}
}

func TestReadPassesOnErrorsOfItsSource(t *testing.T) {
	data := bytesOf(t, sample(7, 9, 3, 2, false))
	broken := errors.New("network down")
	for _, n := range []int{0, 10, 100, len(data) - 1, len(data)} {
		r := io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(broken))
		if _, err := Read(r); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: got %v, want %v", n, err, broken)
		}
	}
}

func TestWritePassesOnErrorsOfItsTarget(t *testing.T) {
	s := sample(7, 9, 3, 2, true)
	full := len(bytesOf(t, s))
	for n := 0; n < full; n += 61 {
		if err := Write(&limited{n}, s); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("a target with room for %d of %d bytes: got %v", n, full, err)
		}
	}
}

// limited is a Writer with room for a limited number of bytes.
type limited struct{ room int }

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.room)
	l.room -= n
	if n < len(p) {
		return n, io.ErrShortWrite
	}
	return n, nil
}

// Rows released while they are written give the same bytes. They are released in every pass.
func TestRelease(t *testing.T) {
	s := sample(1, 30, 5, 2, true)
	want := bytesOf(t, s)
	calls := 0
	s.Release = func() { calls++ }
	if got := bytesOf(t, s); !bytes.Equal(got, want) || calls != 3 {
		t.Errorf("%d bytes, want %d, after %d calls", len(got), len(want), calls)
	}
	s.Reference = vec.New[float32](releaseBytes/2, 1)
	n, err := encode(io.Discard, reference{s})
	if err != nil || n != 2*releaseBytes || calls != 3+2 {
		t.Errorf("%d bytes and %d calls, %v", n, calls, err)
	}
}
