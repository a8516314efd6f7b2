package ingest

import (
	"encoding/binary"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
)

// npyTypes are NumPy's type codes without byte order.
var npyTypes = map[string]arrow.DataType{
	"b1": arrow.PrimitiveTypes.Uint8, "i1": arrow.PrimitiveTypes.Int8, "u1": arrow.PrimitiveTypes.Uint8,
	"i2": arrow.PrimitiveTypes.Int16, "u2": arrow.PrimitiveTypes.Uint16, "i4": arrow.PrimitiveTypes.Int32, "u4": arrow.PrimitiveTypes.Uint32,
	"i8": arrow.PrimitiveTypes.Int64, "u8": arrow.PrimitiveTypes.Uint64,
	"f2": arrow.FixedWidthTypes.Float16, "f4": arrow.PrimitiveTypes.Float32, "f8": arrow.PrimitiveTypes.Float64,
}

var (
	npyDescr   = regexp.MustCompile(`'descr'\s*:\s*'([<>|=])(\w+)'`)
	npyFortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	npyShape   = regexp.MustCompile(`'shape'\s*:\s*\(([\d,\sL]*)\)`)
)

// newNPYReader reads NumPy's format: "\x93NUMPY", a version, the header's
// length, the header (a Python dictionary), then the elements.
func newNPYReader(in *opened, origin Origin, opts Options) (Reader, error) {
	header, err := npyHeader(in, origin)
	if err != nil {
		return nil, err
	}
	descr, order, shape := npyDescr.FindStringSubmatch(header), npyFortran.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if descr == nil || order == nil || shape == nil {
		return nil, origin.bad("its npy header is not one of a plain array: %q", clip(header)).
			hint("save a numeric array with numpy.save")
	}
	dt, ok := npyTypes[descr[2]]
	if !ok {
		return nil, origin.bad("its elements have the type %q", descr[1]+descr[2]).
			hint("floats of 2, 4, 8 bytes, integers of 1 to 8 and booleans are known; convert with astype")
	}
	dims, err := npyDims(shape[1])
	if err != nil {
		return nil, origin.bad("its shape (%s) is wrong", shape[1])
	}
	if order[1] == "True" && len(dims) > 1 {
		return nil, origin.bad("it is stored column by column (Fortran order)").hint("save numpy.ascontiguousarray(x)")
	}
	r := &rawReader{in: in, close: in.Close, origin: origin, dt: dt, width: dt.(arrow.FixedWidthDataType).BitWidth() / 8,
		big: descr[1] == ">", boolean: descr[2] == "b1", batch: opts.BatchRows}
	return r, r.shape(dims)
}

func npyHeader(in io.Reader, origin Origin) (string, error) {
	head := make([]byte, 10)
	if _, err := io.ReadFull(in, head); err != nil {
		return "", readError(origin, err)
	}
	n := int64(binary.LittleEndian.Uint16(head[8:]))
	switch head[6] {
	case 1:
	case 2, 3:
		more := make([]byte, 2)
		if _, err := io.ReadFull(in, more); err != nil {
			return "", readError(origin, err)
		}
		n |= int64(binary.LittleEndian.Uint16(more)) << 16
	default:
		return "", origin.bad("npy version %d is not known", head[6])
	}
	if n > 1<<20 {
		return "", origin.bad("its npy header says it has %d bytes", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(in, b); err != nil {
		return "", readError(origin, err)
	}
	return string(b), nil
}

func npyDims(text string) ([]int64, error) {
	var dims []int64
	for _, s := range strings.Split(text, ",") {
		if s = strings.TrimSuffix(strings.TrimSpace(s), "L"); s == "" {
			continue
		}
		d, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, err
		}
		dims = append(dims, d)
	}
	return dims, nil
}
