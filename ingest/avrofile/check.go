package avrofile

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"

	"github.com/twmb/avro/ocf"

	"unfold/ingest/avrorec"
	"unfold/ingest/input"
)

const (
	// maxHead is the maximum size of a file's head, which is its schema mostly.
	maxHead = 4 << 20
	// maxBlock is the maximum size of a block of records, compressed or not.
	maxBlock = 256 << 20
	// maxRecord is the maximum size of a decoded record, and maxDepth of values within values.
	maxRecord = 256 << 20
	maxDepth  = 100
)

// heading fails where a file's head is too long.
type heading struct {
	io.Reader
	left int64
}

func (h *heading) Read(p []byte) (int, error) {
	if h.left <= 0 {
		return 0, fmt.Errorf("its head is longer than %d MiB", maxHead>>20)
	}
	n, err := h.Reader.Read(p[:min(int64(len(p)), h.left)])
	h.left -= int64(n)
	return n, err
}

// checks has the schema of the blocks, which the codecs do not know when the file is opened.
type checks struct{ scale *avrorec.Scale }

// checked decompresses blocks and checks their records before they are decoded. A record of a few
// kilobytes can decompress to a list that takes gigabytes.
type checked struct {
	ocf.Codec
	*checks
}

// DecompressBounded implements ocf.BoundedDecompressor.
func (c checked) DecompressBounded(src []byte, most int64) ([]byte, error) {
	block, err := c.Codec.(ocf.BoundedDecompressor).DecompressBounded(src, most)
	if err != nil {
		return nil, err
	}
	return block, c.scale.Check(block, maxDepth, maxRecord)
}

// stored is the codec of blocks that are not compressed.
type stored struct{}

func (stored) Name() string                          { return "null" }
func (stored) Compress(src []byte) ([]byte, error)   { return src, nil }
func (stored) Decompress(src []byte) ([]byte, error) { return src, nil }
func (stored) Close() error                          { return nil }

func (stored) DecompressBounded(src []byte, most int64) ([]byte, error) {
	if int64(len(src)) > most {
		return nil, fmt.Errorf("a block of %d bytes", len(src))
	}
	return src, nil
}

// unpacked is a codec whose blocks are only read.
type unpacked struct {
	name string
	open func(io.Reader) (io.Reader, error)
}

var (
	bzipped = &unpacked{"bzip2", func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil }}
	xzipped = &unpacked{"xz", input.Unxz}
)

func (u *unpacked) Name() string                          { return u.name }
func (u *unpacked) Compress([]byte) ([]byte, error)       { return nil, errors.New(u.name + " is only read") }
func (u *unpacked) Decompress(src []byte) ([]byte, error) { return u.DecompressBounded(src, maxBlock) }
func (*unpacked) Close() error                            { return nil }

func (u *unpacked) DecompressBounded(src []byte, most int64) ([]byte, error) {
	r, err := u.open(bytes.NewReader(src))
	if err != nil {
		return nil, err
	}
	block, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(block)) > most {
		err = fmt.Errorf("a block of more than %d bytes", most)
	}
	return block, err
}
