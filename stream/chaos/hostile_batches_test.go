//go:build linux

package chaos

import (
	"bytes"
	"encoding/binary"
	"io"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/s2"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// batchBomb is a batch that lies, or is small on the wire and large in memory.
type batchBomb struct {
	name  string
	batch []byte
}

const gigabyte = 1 << 30

// batchBombs returns batches with each codec that expand to a gigabyte, and batches that lie about
// their records.
func batchBombs(t *testing.T) (all []batchBomb) {
	t.Helper()
	packings := []struct {
		name  string
		codec uint16
		open  func(w io.Writer) io.WriteCloser
	}{
		{"gzip", 1, func(w io.Writer) io.WriteCloser { z, _ := gzip.NewWriterLevel(w, 1); return z }},
		{"lz4", 3, func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) }},
		{"zstd", 4, func(w io.Writer) io.WriteCloser {
			z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
			if err != nil {
				t.Fatal(err)
			}
			return z
		}},
	}
	one := recordHead(gigabyte)
	for _, p := range packings {
		all = append(all,
			batchBomb{p.name + ": a record of a gigabyte", hostileBatch(p.codec, 1, packed(t, p.open, one, gigabyte))},
			batchBomb{p.name + ": a record that claims an exabyte", hostileBatch(p.codec, 1, packed(t, p.open, recordHead(1<<60), 1<<20))},
			batchBomb{p.name + ": bytes that are no record", hostileBatch(p.codec, 1, packed(t, p.open, bytes.Repeat([]byte{0xff}, 100), gigabyte))},
			batchBomb{p.name + ": a million records of nothing", hostileBatch(p.codec, 1<<20, packed(t, p.open, nil, 1<<20))},
			batchBomb{p.name + ": not compressed at all", hostileBatch(p.codec, 1, append(recordHead(5), 1, 2, 3, 4, 5))})
	}
	zeros := append(recordHead(200<<20), make([]byte, 200<<20)...)
	all = append(all,
		batchBomb{"snappy: a record of 200 MB", hostileBatch(2, 1, s2.EncodeSnappy(nil, zeros))},
		batchBomb{"snappy: a block that claims four gigabytes", hostileBatch(2, 1, []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0, 1})},
		batchBomb{"zstd: a window of two gigabytes", hostileBatch(4, 1, []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 21 << 3, 1, 0, 0})},
		batchBomb{"plain: no records where a million are claimed", hostileBatch(0, 1<<20, nil)},
		batchBomb{"plain: a record of a negative length", hostileBatch(0, 1, binary.AppendVarint(nil, -5))},
		batchBomb{"plain: a number without an end", hostileBatch(0, 1, bytes.Repeat([]byte{0xff}, 1<<10))},
		batchBomb{"plain: headers without an end", hostileBatch(0, 1, manyHeaders())},
	)
	return all
}

// recordHead returns the begin of a record with a value of n bytes, which follow.
func recordHead(n int64) []byte {
	body := []byte{0, 0, 0, 1} // attributes, time and offset, no key
	body = binary.AppendVarint(body, n)
	return append(binary.AppendVarint(nil, int64(len(body))+n+1), body...)
}

// manyHeaders returns a record that claims more headers than it has bytes.
func manyHeaders() []byte {
	body := append([]byte{0, 0, 0, 1, 2, 'x'}, binary.AppendVarint(nil, 1<<30)...)
	return append(binary.AppendVarint(nil, int64(len(body))), body...)
}

// packed compresses a head and zeros after it.
func packed(t *testing.T, open func(w io.Writer) io.WriteCloser, head []byte, zeros int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := open(&out)
	if _, err := w.Write(head); err != nil {
		t.Fatal(err)
	}
	piece := make([]byte, 1<<20)
	for left := zeros; left > 0; left -= len(piece) {
		if _, err := w.Write(piece[:min(left, len(piece))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
