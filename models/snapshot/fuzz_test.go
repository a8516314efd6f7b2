package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"testing"
	"testing/iotest"
)

// reseal corrects all checksums of a file, so that tests reach the checks behind them. It also pads
// the file to the size in its header if that is small.
func reseal(data []byte) []byte {
	le := binary.LittleEndian
	if len(data) < headerSize {
		return data
	}
	data = slices.Clone(data)
	if size := le.Uint64(data[16:]); size > uint64(len(data)) && size < 1<<20 {
		data = append(data, make([]byte, size-uint64(len(data)))...)
	}
	count := min(int(le.Uint32(data[12:])), (len(data)-headerSize)/entrySize, maxBlocks)
	for i := range count {
		e := data[headerSize+i*entrySize:]
		from, length := le.Uint64(e[48:]), le.Uint64(e[56:])
		if from <= uint64(len(data)) && length <= uint64(len(data))-from {
			le.PutUint32(e[28:], crc32.Checksum(data[from:from+length], castagnoli))
		}
	}
	return seal(data)
}

// FuzzRead reads arbitrary bytes, with and without corrected checksums. A snapshot that is read
// must be valid and stay the same after writing. Anything else must give a *FormatError, whether
// the size is known or not.
func FuzzRead(f *testing.F) {
	f.Add(bytesOf(f, sample(1, 3, 2, 1, true)))
	f.Add(bytesOf(f, sample(2, 5, 1, 2, false)))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, data := range [][]byte{data, reseal(data)} {
			s, err := Read(bytes.NewReader(data))
			streamed, streamErr := Read(iotest.DataErrReader(bytes.NewReader(data)))
			if (err == nil) != (streamErr == nil) || !equal(s, streamed) {
				t.Fatalf("with the size known: %v, without: %v", err, streamErr)
			}
			id, idErr := ReadMapID(bytes.NewReader(data))
			for _, err := range []error{err, idErr} {
				if format := (*FormatError)(nil); err != nil && !errors.As(err, &format) {
					t.Fatalf("an error that is no *FormatError: %v", err)
				}
			}
			if err != nil {
				continue
			}
			if idErr != nil || id != "" && id != s.MapID {
				t.Fatalf("the map is %q, alone it is read as %q (%v)", s.MapID, id, idErr)
			}
			var out bytes.Buffer
			if err := Write(&out, s); err != nil {
				t.Fatalf("what was read cannot be written: %v", err)
			}
			again, err := Read(&out)
			if err != nil || !equal(again, s) {
				t.Fatalf("what was read is another after writing (%v)", err)
			}
		}
	})
}
