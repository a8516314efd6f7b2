package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// The library's decoders of Snappy and Zstandard make room for what the data say of themselves.
// The decoders here fill the room that the page's header asks for, which is bounded. The library
// has no decoder for LZ4 as Hadoop writes it.

func init() {
	own := map[compress.Compression]decoder{compress.Codecs.Snappy: unsnappy, compress.Codecs.Zstd: unzstd, compress.Codecs.Lz4: unlz4}
	for _, c := range []compress.Compression{compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Lz4, compress.Codecs.Zstd, compress.Codecs.Lz4Raw} {
		library, _ := compress.GetCodec(c) // nil: it only has ours
		decode := own[c]
		if decode == nil {
			decode = func(dst, src []byte) ([]byte, error) { return compress.Decode(library, dst, src) }
		}
		compress.RegisterCodec(c, bounded{library, decode})
	}
}

// decoder decompresses src into dst.
type decoder func(dst, src []byte) ([]byte, error)

// bounded decompresses into the room it is given, and never into more.
type bounded struct {
	compress.Codec
	decode decoder
}

// DecodeWithError fills dst, which has the length that the page's header says.
func (b bounded) DecodeWithError(dst, src []byte) ([]byte, error) {
	if len(dst) == 0 && len(src) == 0 {
		return dst, nil // a page of nulls alone may be compressed to nothing
	}
	out, err := b.decode(dst, src)
	if err == nil && len(out) != len(dst) {
		err = fmt.Errorf("its data decompress to %d bytes, it says %d", len(out), len(dst))
	}
	return out, err
}

func unsnappy(dst, src []byte) ([]byte, error) {
	n, err := snappy.DecodedLen(src)
	if err != nil {
		return nil, err
	}
	if n != len(dst) {
		return nil, fmt.Errorf("its data decompress to %d bytes, it says %d", n, len(dst))
	}
	return snappy.Decode(dst, src)
}

// zstdDecoder may be used by several goroutines at once.
var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true))
})

func unzstd(dst, src []byte) ([]byte, error) {
	d, err := zstdDecoder()
	if err != nil {
		return nil, err
	}
	return d.DecodeAll(src, dst[:0:len(dst)])
}

// unlz4 decodes LZ4 as Hadoop frames it, or a bare block, which other writers have put under the
// same name.
func unlz4(dst, src []byte) ([]byte, error) {
	if out, ok := hadoopLZ4(dst, src); ok {
		return out, nil
	}
	n, err := lz4.UncompressBlock(src, dst)
	if err != nil {
		return nil, errors.New("it is neither LZ4 as Hadoop writes it nor a block of LZ4")
	}
	return dst[:n], nil
}

// hadoopLZ4 decodes blocks that each follow their length decompressed and their length as they
// stand, four bytes each, the most significant first.
func hadoopLZ4(dst, src []byte) ([]byte, bool) {
	at := 0
	for len(src) > 0 {
		if len(src) < 8 {
			return nil, false
		}
		size, length := uint64(binary.BigEndian.Uint32(src)), uint64(binary.BigEndian.Uint32(src[4:]))
		src = src[8:]
		if length > uint64(len(src)) || size > uint64(len(dst)-at) {
			return nil, false
		}
		n, err := lz4.UncompressBlock(src[:length], dst[at:at+int(size)])
		if err != nil || uint64(n) != size {
			return nil, false
		}
		at, src = at+n, src[length:]
	}
	return dst[:at], true
}
