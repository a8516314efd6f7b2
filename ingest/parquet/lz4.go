package parquet

import (
	"fmt"
	_ "unsafe" // for go:linkname

	"github.com/apache/arrow/go/v15/parquet/compress"
	"github.com/pierrec/lz4/v4"
)

// The library decompresses by a table of codecs that has no LZ4_RAW and that nobody can
// add to from outside. Versions that have a way would change all of the package's
// imports; until then this reaches into the table. Should it move, the program no longer
// links.
//
//go:linkname parquetCodecs github.com/apache/arrow/go/v15/parquet/compress.codecs
var parquetCodecs map[compress.Compression]compress.Codec

// lz4Raw is Parquet's number for blocks of LZ4 without a frame.
const lz4Raw compress.Compression = 7

func init() { parquetCodecs[lz4Raw] = lz4Codec{} }

// lz4Codec decompresses blocks of LZ4. Parquet's pages are read by Decode; nothing is
// written by it.
type lz4Codec struct{ compress.Codec }

// Decode fills dst, which has the length that the page's header says. It panics, as the
// library's other codecs do, if src is damaged; pages are decoded where that is caught.
func (lz4Codec) Decode(dst, src []byte) []byte {
	n, err := lz4.UncompressBlock(src, dst)
	if err == nil && n != len(dst) {
		err = fmt.Errorf("it has %d bytes, its page says %d", n, len(dst))
	}
	if err != nil {
		panic(fmt.Errorf("lz4: %w", err))
	}
	return dst
}
