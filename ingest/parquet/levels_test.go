package parquet

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// encoded encodes values as runs. draw returns a number from 0 to most; it chooses the kinds and
// lengths of the runs.
func encoded(values []uint64, bits int, draw func(most int) int) []byte {
	var out []byte
	for at := 0; at < len(values); {
		if draw(1) == 0 {
			same := at
			for same < len(values) && values[same] == values[at] {
				same++
			}
			n := 1 + draw(same-at-1)
			out = binary.AppendUvarint(out, uint64(n)<<1)
			for k := 0; k < bits; k += 8 {
				out = append(out, byte(values[at]>>k))
			}
			at += n
			continue
		}
		groups := 1 + draw((len(values)-at-1)/8)
		packed := make([]byte, groups*bits)
		for i := range min(8*groups, len(values)-at) {
			for k := range bits {
				packed[(i*bits+k)/8] |= byte(values[at+i]>>k&1) << ((i*bits + k) % 8)
			}
		}
		out = append(binary.AppendUvarint(out, uint64(groups)<<1|1), packed...)
		at += 8 * groups
	}
	return out
}

// expanded decodes values one by one, as the format's text says. It returns false if there are
// fewer than n.
func expanded(b []byte, bits, n int) (out []uint64, ok bool) {
	for len(out) < n {
		head, size := binary.Uvarint(b)
		if size <= 0 {
			return out, false
		}
		b = b[size:]
		if head&1 == 0 {
			if len(b) < (bits+7)/8 {
				return out, false
			}
			var v uint64
			for k := range (bits + 7) / 8 {
				v |= uint64(b[k]) << (8 * k)
			}
			b = b[(bits+7)/8:]
			for range min(head>>1, uint64(n-len(out))) {
				out = append(out, v)
			}
			continue
		}
		for i := uint64(0); i < head>>1*8 && len(out) < n; i++ {
			var v uint64
			for k := range uint64(bits) {
				at := i*uint64(bits) + k
				if at/8 >= uint64(len(b)) {
					return out, false
				}
				v |= uint64(b[at/8]>>(at%8)&1) << k
			}
			out = append(out, v)
		}
		b = b[min(head>>1*uint64(bits), uint64(len(b))):]
	}
	return out, true
}

func regularLevels(phase, d, n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = 1
		if (phase+i)%d == 0 {
			out[i] = 0
		}
	}
	return out
}

// places lists the levels that are not want.
func places(levels []uint64, want uint64) (out []level) {
	for i, v := range levels {
		if v != want {
			out = append(out, level{int32(i), uint8(v)})
		}
	}
	return out
}

// startsOf lists the levels that are 0.
func startsOf(levels []uint64) (out []int32) {
	for i, v := range levels {
		if v == 0 {
			out = append(out, int32(i))
		}
	}
	return out
}

// Starts of rows and missing values are found however a writer divides their levels into runs.
func TestLevelsOfInterestAreFound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(most int) int { return rapid.IntRange(0, most).Draw(t, "run") }
		n := rapid.IntRange(1, 700).Draw(t, "levels")
		d := rapid.IntRange(1, 200).Draw(t, "length")
		phase := rapid.IntRange(0, d-1).Draw(t, "phase")
		most := uint64(rapid.IntRange(1, 200).Draw(t, "maximum"))
		width := bits.Len64(most)
		repetition, definition := regularLevels(phase, d, n), slices.Repeat([]uint64{most}, n)
		for range rapid.IntRange(0, 9).Draw(t, "others") {
			at := rapid.IntRange(0, n-1).Draw(t, "at")
			repetition[at] ^= 1
			definition[at] = uint64(rapid.Uint64Range(0, most).Draw(t, "level"))
		}
		if got, ok := starts(encoded(repetition, 1, draw), n); !ok || !slices.Equal(got, startsOf(repetition)) {
			t.Fatalf("rows start at %v, want %v", got, startsOf(repetition))
		}
		if got, ok := othersThan(most, encoded(definition, width, draw), width, n); !ok || !slices.Equal(got, places(definition, most)) {
			t.Fatalf("levels other than %d: %v, want %v", most, got, places(definition, most))
		}
	})
}

// FuzzLevels compares the levels that are listed, and the decoding of indices, with levels that are
// decoded one by one. The library reads what they refuse.
func FuzzLevels(f *testing.F) {
	drawn := 0
	draw := func(most int) int { drawn = (drawn*31 + 7) % 1009; return drawn % (most + 1) }
	f.Add(encoded(regularLevels(3, 5, 40), 1, draw), uint16(40), byte(1))
	f.Add(encoded(slices.Repeat([]uint64{3}, 100), 2, draw), uint16(100), byte(2))
	f.Add([]byte{0x80, 0x80, 0x80, 0x80, 0x10, 1}, uint16(9), byte(1))
	f.Fuzz(func(t *testing.T, b []byte, n uint16, width byte) {
		n, width = n%4096, width%8+1
		levels, ok := expanded(b, 1, int(n))
		if got, is := starts(b, int(n)); is && (!ok || !slices.Equal(got, startsOf(levels))) {
			t.Errorf("rows start at %v, want %v", got, startsOf(levels))
		}
		most := uint64(1)<<width - 1
		levels, ok = expanded(b, int(width), int(n))
		if got, is := othersThan(most, b, int(width), int(n)); is && (!ok || !slices.Equal(got, places(levels, most))) {
			t.Errorf("levels other than %d: %v, want %v", most, got, places(levels, most))
		}
		dictionary := make([]uint32, 100)
		for i := range dictionary {
			dictionary[i] = uint32(3 * i)
		}
		good := ok && !slices.ContainsFunc(levels, func(v uint64) bool { return v >= 100 })
		dst := make([]uint32, n)
		got := lookUp(dst, dictionary, append([]byte{width}, b...))
		if got && !good {
			t.Errorf("%d indices are decoded, which are wrong", n)
		}
		for i := range dst {
			if got && dst[i] != uint32(3*levels[i]) {
				t.Fatalf("value %d is %d, want %d", i, dst[i], 3*levels[i])
			}
		}
	})
}

// Values whose bytes were split are joined, whatever their number.
func TestUnsplitJoinsBytes(t *testing.T) {
	for _, width := range []int{2, 4, 8} {
		for n := range 50 {
			want, src, dst := make([]byte, n*width), make([]byte, n*width), make([]byte, n*width)
			for i := range want {
				want[i] = byte(i*i*7 + i*13 + i>>3)
				src[i%width*n+i/width] = want[i]
			}
			if unsplit(dst, src, width); !slices.Equal(dst, want) {
				t.Errorf("%d values of %d bytes: %v, want %v", n, width, dst, want)
			}
		}
	}
}
