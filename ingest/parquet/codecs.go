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

// The library's decoders of Snappy and Zstandard allocate the size that the compressed data claim.
// The decoders here use the size in the page's header, which is limited. The library has no decoder
// for Hadoop's LZ4.

func init() {
	own := map[compress.Compression]decoder{compress.Codecs.Snappy: unsnappy, compress.Codecs.Zstd: unzstd, compress.Codecs.Lz4: unlz4}
	for _, c := range []compress.Compression{compress.Codecs.Snappy, compress.Codecs.Gzip, compress.Codecs.Brotli, compress.Codecs.Lz4, compress.Codecs.Zstd, compress.Codecs.Lz4Raw} {
		library, _ := compress.GetCodec(c) // nil: only our decoder exists
		decode := own[c]
		if decode == nil {
			decode = func(dst, src []byte) ([]byte, error) { return compress.Decode(library, dst, src) }
		}
		compress.RegisterCodec(c, bounded{library, decode})
	}
}

// decoder decompresses src into dst.
type decoder func(dst, src []byte) ([]byte, error)

// bounded decompresses into the given memory, and never into more.
type bounded struct {
	compress.Codec
	decode decoder
}

// DecodeWithError fills dst, whose length is that in the page's header.
func (b bounded) DecodeWithError(dst, src []byte) ([]byte, error) {
	if len(dst) == 0 && len(src) == 0 {
		return dst, nil // a page with only nulls may be compressed to nothing
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

// zstdDecoder can be used by several goroutines at once.
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

// unlz4 decodes LZ4 with Hadoop's framing, or a bare block, which other writers use under the same
// name.
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

// hadoopLZ4 decodes blocks. Each block comes after its decompressed length and its stored length,
// four bytes each in big-endian order.
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
