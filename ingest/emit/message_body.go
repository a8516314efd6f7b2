package emit

import (
	"slices"
	"unfold/ingest/arrowipc"
	"unfold/ingest/table"
	"unfold/internal/vec"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// write writes an output's message with the pattern, or returns false if the kind has no suitable
// pattern.
func (k *messageKind) write(o *Output) ([]byte, bool) {
	n := o.Len()
	b := body{nodes: make([]arrowipc.Node, 0, 15+len(k.kept)), buffers: make([][]byte, 0, 32+3*len(k.kept)), rows: n}
	for _, c := range outputColumns {
		if c.there(o) {
			c.write(&b, o)
		}
	}
	return k.pattern.Write(n, b.nodes, b.buffers)
}

// body collects the parts of a batch.
type body struct {
	rows    int
	nodes   []arrowipc.Node
	buffers [][]byte
}

// fixed adds a column of fixed-width values without nulls.
func (b *body) fixed(values []byte) {
	b.nodes = append(b.nodes, arrowipc.Node{Len: int64(b.rows)})
	b.buffers = append(b.buffers, nil, values)
}

func (b *body) floats(values []float32) { b.fixed(arrow.Float32Traits.CastToBytes(values)) }
func (b *body) int64s(values []int64)   { b.fixed(arrow.Int64Traits.CastToBytes(values)) }
func (b *body) uint32s(values []uint32) { b.fixed(arrow.Uint32Traits.CastToBytes(values)) }
func (b *body) uint64s(values []uint64) { b.fixed(arrow.Uint64Traits.CastToBytes(values)) }

// lists adds a column of lists of the same length, the rows of x.
func (b *body) lists(x vec.Matrix[float32]) {
	b.nodes = append(b.nodes, arrowipc.Node{Len: int64(b.rows)}, arrowipc.Node{Len: int64(len(x.Data))})
	b.buffers = append(b.buffers, nil, nil, arrow.Float32Traits.CastToBytes(x.Data))
}

// strings adds a text column without nulls.
func (b *body) strings(values []string) {
	size := 0
	for _, s := range values {
		size += len(s)
	}
	offsets, text := make([]int32, len(values)+1), make([]byte, 0, size)
	for i, s := range values {
		text = append(text, s...)
		offsets[i+1] = int32(len(text))
	}
	b.nodes = append(b.nodes, arrowipc.Node{Len: int64(b.rows)})
	b.buffers = append(b.buffers, nil, arrow.Int32Traits.CastToBytes(offsets), text)
}

// column adds a column for which simpleColumn is true, with its buffers cut to its rows as Arrow's
// writer does.
func (b *body) column(c table.Column) {
	data, n := c.Array().Data(), b.rows
	nulls := c.Array().NullN()
	b.nodes = append(b.nodes, arrowipc.Node{Len: int64(n), Nulls: int64(nulls)})
	b.buffers = append(b.buffers, validity(data, n, nulls))
	if data.DataType().ID() == arrow.BOOL {
		b.buffers = append(b.buffers, bitmap(data.Buffers()[1], n))
		return
	}
	if dt, ok := data.DataType().(arrow.FixedWidthDataType); ok {
		b.buffers = append(b.buffers, data.Buffers()[1].Bytes()[:n*dt.BitWidth()/8])
		return
	}
	offsets := arrow.Int32Traits.CastFromBytes(data.Buffers()[1].Bytes())[:n+1]
	var text []byte
	if data.Buffers()[2] != nil {
		text = data.Buffers()[2].Bytes()[offsets[0]:offsets[n]]
	}
	if offsets[0] != 0 {
		from := offsets[0]
		offsets = slices.Clone(offsets)
		for i := range offsets {
			offsets[i] -= from
		}
	}
	b.buffers = append(b.buffers, arrow.Int32Traits.CastToBytes(offsets), text)
}

// array adds a list, map or struct column and its children, without cutting buffers.
func (b *body) array(a arrow.Array) {
	all := b.rows
	b.rows = a.Len()
	switch a := a.(type) {
	case *array.Map:
		b.listed(a.List)
	case *array.List:
		b.listed(a)
	case *array.Struct:
		b.nodes = append(b.nodes, arrowipc.Node{Len: int64(b.rows)})
		b.buffers = append(b.buffers, nil)
		for i := range a.NumField() {
			b.array(a.Field(i))
		}
	default:
		if b.rows == 0 {
			b.none(a)
			break
		}
		b.column(table.NewColumn("", a))
	}
	b.rows = all
}

// listed adds a column of lists, or of maps, which are laid out as lists of pairs.
func (b *body) listed(a *array.List) {
	b.nodes = append(b.nodes, arrowipc.Node{Len: int64(b.rows), Nulls: int64(a.NullN())})
	b.buffers = append(b.buffers, validity(a.Data(), b.rows, a.NullN()), a.Data().Buffers()[1].Bytes()[:4*(b.rows+1)])
	b.array(a.ListValues())
}

// none adds a column without rows, with empty buffers.
func (b *body) none(a arrow.Array) {
	b.nodes = append(b.nodes, arrowipc.Node{})
	b.buffers = append(b.buffers, nil, nil)
	if a.DataType().ID() == arrow.STRING {
		b.buffers = append(b.buffers, nil)
	}
}

// validity returns a column's validity bitmap, with zeros after the last bit, or no bytes if there
// are no nulls.
func validity(data arrow.ArrayData, n, nulls int) []byte {
	switch nulls {
	case 0:
		return nil
	case n:
		return make([]byte, ((n+7)/8+63)&^63)
	}
	return bitmap(data.Buffers()[0], n)
}

// bitmap returns the first n bits, with zeros after the last.
func bitmap(b *memory.Buffer, n int) []byte {
	bits := slices.Clone(b.Bytes()[:(n+7)/8])
	if n%8 != 0 {
		bits[len(bits)-1] &= 1<<(n%8) - 1
	}
	return bits
}
