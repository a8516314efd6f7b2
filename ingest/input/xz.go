package input

import (
	"bufio"
	"fmt"
	"io"

	"github.com/ulikunitz/xz"
	"github.com/ulikunitz/xz/lzma"
)

// xzDictionary is the maximum dictionary of xz data, which its decoder keeps in memory: that of xz -9.
const xzDictionary = 64 << 20

// Unxz decompresses xz data. It refuses a first block that asks for more memory than any level of xz,
// since the library allocates what a block asks for.
func Unxz(r io.Reader) (io.Reader, error) {
	const head = 12 + 64 // of the stream, and as much of the block as has its filters
	b := bufio.NewReaderSize(r, 1<<16)
	start, err := b.Peek(head)
	if err != nil && err != io.EOF {
		return nil, err
	}
	const least = 32 // bytes of a stream without blocks
	if len(start) < least {
		return nil, io.ErrUnexpectedEOF
	}
	if size := dictionaryOf(start); size > xzDictionary {
		return nil, fmt.Errorf("its dictionary takes %d MiB, and %d at most are allowed", size>>20, xzDictionary>>20)
	}
	return xz.NewReader(b)
}

// dictionaryOf returns the size of the dictionary of the first block, 0 if there is none.
func dictionaryOf(b []byte) int64 {
	const (
		streamHead       = 12
		compressedSize   = 0x40
		uncompressedSize = 0x80
		lzma2            = 0x21
	)
	if len(b) < streamHead+2 || b[streamHead] == 0 {
		return 0
	}
	flags, b := b[streamHead+1], b[streamHead+2:]
	skipNumber := func() {
		for len(b) > 0 && b[0] >= 0x80 {
			b = b[1:]
		}
		b = b[min(1, len(b)):]
	}
	if flags&compressedSize != 0 {
		skipNumber()
	}
	if flags&uncompressedSize != 0 {
		skipNumber()
	}
	if len(b) < 3 || b[0] != lzma2 || b[1] != 1 {
		return 0 // the library says what is wrong
	}
	size, err := lzma.DecodeDictCap(b[2])
	if err != nil {
		return 0
	}
	return size
}
