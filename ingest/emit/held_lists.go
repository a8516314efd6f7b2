package emit

import (
	"fmt"
	"math"
	"unfold/ingest/bridge"
	"unfold/ingest/table"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// listOf32 returns a plain list with the rows of another list and new element values.
func listOf32(l array.ListLike, values arrow.Array) (arrow.Array, error) {
	element := l.DataType().(arrow.ListLikeType).ElemField()
	element.Type = values.DataType()
	offsets, at := make([]int32, l.Len()+1), int64(0)
	take := array.NewInt64Builder(table.Heap)
	for i := range l.Len() {
		if !l.IsNull(i) {
			from, to := l.ValueOffsets(i)
			for k := from; k < to; k++ {
				take.Append(k)
			}
			at += to - from
		}
		if at > math.MaxInt32 {
			return nil, fmt.Errorf("its lists have more than %d elements together", math.MaxInt32)
		}
		offsets[i+1] = int32(at)
	}
	own, err := bridge.Take(values, take.NewInt64Array())
	if err != nil {
		return nil, err
	}
	buffers := append(table.ValidityOf(l.Data()), memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets)))
	return array.MakeFromData(array.NewData(arrow.ListOfField(element), l.Len(), buffers, []arrow.ArrayData{own.Data()}, l.NullN(), 0)), nil
}
