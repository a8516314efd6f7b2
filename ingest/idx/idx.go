package idx

import (
	"encoding/binary"
	"io"
	"unfold/ingest/dense"
	"unfold/ingest/input"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
)

// types are the third byte of an IDX file: big-endian element types.
var types = map[byte]arrow.FixedWidthDataType{
	0x08: arrow.PrimitiveTypes.Uint8.(arrow.FixedWidthDataType), 0x09: arrow.PrimitiveTypes.Int8.(arrow.FixedWidthDataType),
	0x0B: arrow.PrimitiveTypes.Int16.(arrow.FixedWidthDataType), 0x0C: arrow.PrimitiveTypes.Int32.(arrow.FixedWidthDataType),
	0x0D: arrow.PrimitiveTypes.Float32.(arrow.FixedWidthDataType), 0x0E: arrow.PrimitiveTypes.Float64.(arrow.FixedWidthDataType),
}

// Is recognises 00 00 TYPE DIMENSIONS.
func Is(head []byte) bool {
	return len(head) >= 4 && head[0] == 0 && head[1] == 0 && types[head[2]] != nil && head[3] >= 1 && head[3] <= 8
}

// NewReader reads the format of MNIST: 00 00 type d, then d big-endian
// uint32 sizes, then the elements, big-endian, last index fastest.
func NewReader(in *input.Source, batchRows int) (table.Reader, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, input.ReadError(in.Origin, err)
	}
	sizes := make([]byte, 4*int(head[3]))
	if _, err := io.ReadFull(in, sizes); err != nil {
		return nil, input.ReadError(in.Origin, err)
	}
	dims := make([]int64, head[3])
	for i := range dims {
		dims[i] = int64(binary.BigEndian.Uint32(sizes[4*i:]))
	}
	dt := types[head[2]]
	return dense.NewReader(in, dense.Element{Dt: dt, Width: dt.BitWidth() / 8, Big: true}, dims, batchRows)
}
