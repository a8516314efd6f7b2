package arrays

import (
	"bytes"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// validateRuns returns an error unless the ends of the runs increase and reach the array's length,
// with one value per run.
func validateRuns(a *array.RunEndEncoded) error {
	ends := a.RunEndsArr()
	if err := validateFixed(ends); err != nil {
		return err
	}
	if ends.NullN() > 0 {
		return fmt.Errorf("the end of a run is null")
	}
	get, last := runEnd(ends), int64(0)
	for k := range ends.Len() {
		e := get(k)
		if e <= last {
			return fmt.Errorf("run %d ends at %d, not after %d", k, e, last)
		}
		last = e
	}
	if last < int64(a.Offset()+a.Len()) {
		return fmt.Errorf("its runs end at %d of %d rows", last, a.Len())
	}
	if a.Values().Len() < ends.Len() {
		return fmt.Errorf("its %d runs have only %d values", ends.Len(), a.Values().Len())
	}
	return ValidateArray(a.Values())
}

func runEnd(ends arrow.Array) func(k int) int64 {
	switch ends := ends.(type) {
	case *array.Int16:
		return func(k int) int64 { return int64(ends.Value(k)) }
	case *array.Int32:
		return func(k int) int64 { return int64(ends.Value(k)) }
	}
	return ends.(*array.Int64).Value
}

// runs expands a run-end encoded array.
func (p *Plainer) runs(a *array.RunEndEncoded) (arrow.Array, error) {
	values, err := p.array(a.Values())
	if err != nil {
		return nil, err
	}
	r := repeats{n: a.Len(), get: runEnd(a.RunEndsArr()), p: p}
	if d, ok := values.(*array.Dictionary); ok {
		indices, err := r.expand(d.Indices())
		if err != nil {
			return nil, err
		}
		return array.NewDictionaryArray(d.DataType(), indices, d.Dictionary()), nil
	}
	return r.expand(values)
}

// repeats expands runs to n values; get(k) is the end of run k.
type repeats struct {
	n   int
	get func(k int) int64
	p   *Plainer
}

// each calls f with the index and the length of every run.
func (r repeats) each(f func(k, times int)) {
	for k, at := 0, 0; at < r.n; k++ {
		end := int(min(r.get(k), int64(r.n)))
		f(k, end-at)
		at = end
	}
}

func (r repeats) expand(values arrow.Array) (arrow.Array, error) {
	data := values.Data()
	dt := values.DataType()
	if dt.ID() == arrow.NULL {
		return array.NewNull(r.n), nil
	}
	validity, nulls := r.validity(values)
	buffers := []*memory.Buffer{validity}
	switch fixed, isFixed := dt.(arrow.FixedWidthDataType); {
	case dt.ID() == arrow.BOOL:
		v := values.(*array.Boolean)
		buffers = append(buffers, r.bits(v.Value))
	case dt.ID() == arrow.STRING || dt.ID() == arrow.BINARY:
		more, err := repeatBytes(r, Offsets32(data), data, 4, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, more...)
	case dt.ID() == arrow.LARGE_STRING || dt.ID() == arrow.LARGE_BINARY:
		more, err := repeatBytes(r, Offsets64(data), data, 8, 1<<40)
		if err != nil {
			return nil, err
		}
		buffers = append(buffers, more...)
	case isFixed && fixed.BitWidth()%8 == 0:
		buffers = append(buffers, r.fixed(data, fixed.BitWidth()/8))
	default:
		return nil, fmt.Errorf("run-end encoding of %s is not supported", dt)
	}
	return array.MakeFromData(array.NewData(dt, r.n, buffers, nil, nulls, 0)), nil
}

func (r repeats) validity(values arrow.Array) (bits *memory.Buffer, nulls int) {
	if values.NullN() == 0 {
		return nil, 0
	}
	r.each(func(k, times int) {
		if values.IsNull(k) {
			nulls += times
		}
	})
	return r.bits(values.IsValid), nulls
}

// bits returns a bitmap in which get(k) is repeated for every value of run k.
func (r repeats) bits(get func(k int) bool) *memory.Buffer {
	r.p.Mem.Charge(int64(r.n+7) / 8)
	out, at := make([]byte, (r.n+7)/8), 0
	r.each(func(k, times int) {
		if get(k) {
			bitutil.SetBitsTo(out, int64(at), int64(times), true)
		}
		at += times
	})
	return memory.NewBufferBytes(out)
}

func (r repeats) fixed(data arrow.ArrayData, width int) *memory.Buffer {
	r.p.Mem.Charge(int64(r.n) * int64(width))
	out := make([]byte, 0, r.n*width)
	r.each(func(k, times int) {
		at := (data.Offset() + k) * width
		out = append(out, bytes.Repeat(data.Buffers()[1].Bytes()[at:at+width], times)...)
	})
	return memory.NewBufferBytes(out)
}

// repeatBytes expands text or binary values and returns their offsets, width bytes each, and their
// bytes, at most most of these.
func repeatBytes[T int32 | int64](r repeats, off []T, data arrow.ArrayData, width, most int64) ([]*memory.Buffer, error) {
	var bytesOf []byte
	if b := data.Buffers()[2]; b != nil {
		bytesOf = b.Bytes()
	}
	size, fits := int64(0), true
	r.each(func(k, times int) {
		n := int64(off[k+1] - off[k])
		if fits = fits && n <= (most-size)/int64(times); fits {
			size += n * int64(times)
		}
	})
	if !fits {
		return nil, MemoryLimit(most)
	}
	r.p.Mem.Charge(size)
	r.p.Mem.Charge(width * int64(r.n+1))
	offsets, out := make([]T, 1, r.n+1), make([]byte, 0, size)
	r.each(func(k, times int) {
		value := bytesOf[off[k]:off[k+1]]
		for range times {
			out = append(out, value...)
			offsets = append(offsets, T(len(out)))
		}
	})
	return []*memory.Buffer{memory.NewBufferBytes(arrow.GetBytes(offsets)), memory.NewBufferBytes(out)}, nil
}
