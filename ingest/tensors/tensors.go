// Package tensors reads a tensor of a safetensors file. The file has the length of the header, a
// JSON header, and the tensors, by rows and in little-endian order.
package tensors

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest/dense"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

const (
	// maxHeader is the maximum length of the header in the format.
	maxHeader = 100 << 20
	// maxRead is the maximum length of a header that is read. It describes about a hundred thousand
	// tensors, and takes twenty times as much memory.
	maxRead = 8 << 20
)

// Is reports whether head begins such a file.
func Is(head []byte) bool {
	if len(head) < 10 || head[8] != '{' || head[9] != '"' && head[9] != '}' {
		return false
	}
	n := binary.LittleEndian.Uint64(head)
	return n >= 2 && n <= maxHeader
}

// types are the format's names of types. BF16 is converted to float32.
var types = map[string]arrow.FixedWidthDataType{
	"F64": arrow.PrimitiveTypes.Float64.(arrow.FixedWidthDataType), "F32": arrow.PrimitiveTypes.Float32.(arrow.FixedWidthDataType),
	"F16": arrow.FixedWidthTypes.Float16, "BF16": arrow.PrimitiveTypes.Float32.(arrow.FixedWidthDataType),
	"I64": arrow.PrimitiveTypes.Int64.(arrow.FixedWidthDataType), "I32": arrow.PrimitiveTypes.Int32.(arrow.FixedWidthDataType),
	"I16": arrow.PrimitiveTypes.Int16.(arrow.FixedWidthDataType), "I8": arrow.PrimitiveTypes.Int8.(arrow.FixedWidthDataType),
	"U8": arrow.PrimitiveTypes.Uint8.(arrow.FixedWidthDataType), "BOOL": arrow.PrimitiveTypes.Uint8.(arrow.FixedWidthDataType),
}

// tensor is the header's description of a tensor.
type tensor struct {
	Type    string   `json:"dtype"`
	Shape   []int64  `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// NewReader reads the tensor that the path names (FILE:NAME), or the only one.
func NewReader(in *input.Source, batchRows int) (table.Reader, error) {
	f, size, err := in.Seekable(math.MaxInt64)
	if err != nil {
		return nil, err
	}
	var head [8]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return nil, input.ReadError(in.Origin, err)
	}
	n := int64(binary.LittleEndian.Uint64(head[:]))
	if n > size-8 || n > maxHeader {
		return nil, in.Origin.Bad("its header says it has %d bytes, and the file has %d", n, size).Suggest("the file is truncated; get it again")
	}
	if n > maxRead {
		return nil, in.Origin.Bad("its header has %d bytes; at most %d are read", n, maxRead).Suggest("save the tensor in a file of its own")
	}
	raw := make([]byte, n)
	if _, err := f.ReadAt(raw, 8); err != nil {
		return nil, input.ReadError(in.Origin, err)
	}
	name, t, err := choose(in.Origin, raw)
	if err != nil {
		return nil, err
	}
	dt, known := types[t.Type]
	if !known {
		return nil, in.Origin.Bad("the tensor %q has the type %s, which is not read", name, table.Clip(t.Type)).Suggest("convert it to F32")
	}
	width := int64(dt.BitWidth() / 8)
	if t.Type == "BF16" {
		width = 2
	}
	from, to := t.Offsets[0], t.Offsets[1]
	if from < 0 || to < from || to > size-8-n {
		return nil, in.Origin.Bad("the tensor %q lies beyond the file's end", name).Suggest("the file is truncated; get it again")
	}
	r, err := dense.NewReader(in, dense.Element{Dt: dt, Width: dt.BitWidth() / 8, Boolean: t.Type == "BOOL"}, t.Shape, batchRows)
	if err != nil {
		return nil, err
	}
	// The shape has been checked, so the product does not overflow.
	values := int64(1)
	for _, d := range t.Shape {
		values *= d
	}
	if values*width != to-from {
		return nil, in.Origin.Bad("the tensor %q has the shape %v of %s, which are not its %d bytes", name, t.Shape, t.Type, to-from).Suggest("the file is corrupt")
	}
	data := io.Reader(io.NewSectionReader(f, 8+n+from, to-from))
	if t.Type == "BF16" {
		data = &widened{in: data}
	}
	r.From(data)
	return r, nil
}

// choose returns the requested tensor.
func choose(o table.Origin, header []byte) (string, tensor, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(header, &raw); err != nil {
		return "", tensor{}, o.Bad("its header is no JSON").Because(err)
	}
	all := map[string]tensor{}
	for name, text := range raw {
		var t tensor
		if name == "__metadata__" {
			continue
		}
		if err := json.Unmarshal(text, &t); err != nil {
			return "", tensor{}, o.Bad("its header describes the tensor %q wrongly", name).Because(err)
		}
		all[name] = t
	}
	names := slices.Sorted(maps.Keys(all))
	file, member, named := input.ArchiveMember(o.File)
	var arrays []string
	for _, name := range names {
		if len(all[name].Shape) > 1 {
			arrays = append(arrays, name)
		}
	}
	switch t, there := all[member]; {
	case named && there:
		return member, t, nil
	case named:
		e := o.Bad("there is no tensor %q in it", member)
		if near := table.Nearest(member, names); near != "" {
			return "", t, e.Suggest("did you mean %q? The tensors are %s", near, table.List(names))
		}
		return "", t, e.Suggest("the tensors are %s", table.List(names))
	case len(arrays) == 1:
		return arrays[0], all[arrays[0]], nil
	case len(names) == 1:
		return names[0], all[names[0]], nil
	case len(names) == 0:
		return "", t, o.Bad("it holds no tensors")
	}
	return "", tensor{}, o.Bad("it holds %d tensors: %s", len(names), table.List(names)).Suggest("name one: %s:%s", file, names[0])
}

// widened converts bfloat16, the upper half of a float32, to float32.
type widened struct {
	in   io.Reader
	half [2]byte
	left []byte
	out  [4]byte
}

func (w *widened) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if len(w.left) == 0 {
			if _, err = io.ReadFull(w.in, w.half[:]); err != nil {
				return n, err
			}
			w.out = [4]byte{0, 0, w.half[0], w.half[1]}
			w.left = w.out[:]
		}
		c := copy(p[n:], w.left)
		n, w.left = n+c, w.left[c:]
	}
	return n, nil
}
