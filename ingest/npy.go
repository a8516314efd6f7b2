package ingest

import (
	"encoding/binary"
	"fmt"
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

// npyDimensions is as many as NumPy has.
const npyDimensions = 64

// newNPYReader reads NumPy's format: "\x93NUMPY", a version, the header's
// length, the header (a Python dictionary), then the elements.
func newNPYReader(in *opened, batchRows int) (Reader, error) {
	origin := in.origin
	header, size, err := npyHeader(in, origin)
	if err != nil {
		return nil, err
	}
	descr, order, shape := npyDescr.FindStringSubmatch(header), npyFortran.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if descr == nil || order == nil || shape == nil {
		return nil, origin.bad("its npy header is not one of a plain array: %q", clip(header)).
			hint("save a numeric array with numpy.save")
	}
	dims, err := npyDims(shape[1])
	if err != nil {
		return nil, origin.bad("its shape (%s) is wrong", clip(shape[1])).cause(err)
	}
	e, err := elementOf(origin, descr[1], descr[2])
	if err != nil {
		return nil, err
	}
	if e.text != 0 && len(dims) > 1 {
		return nil, origin.bad("it is an array of texts in %d dimensions", len(dims)).hint("texts are read as one column: save an array of one dimension")
	}
	r, err := newRawReader(in, e, dims, batchRows)
	if err != nil {
		return nil, err
	}
	if order[1] == "True" && len(dims) > 1 {
		return r, r.transpose(in, dims, size)
	}
	return r, nil
}

// elementOf reads the type of an array's elements.
func elementOf(origin Origin, order, code string) (element, error) {
	if n, err := strconv.Atoi(code[1:]); err == nil && (code[0] == 'U' || code[0] == 'S') {
		each := 1
		if code[0] == 'U' {
			each = 4
		}
		if n > maxRow/each {
			return element{}, origin.bad("its header says texts of %d characters; at most %d are read", n, maxRow/each)
		}
		if n == 0 {
			// Any number of them would take no bytes.
			return element{}, origin.bad("its texts have no length: all are empty").hint("save an array that holds something")
		}
		return element{dt: arrow.BinaryTypes.String, width: each * n, big: order == ">", text: code[0]}, nil
	}
	dt, ok := npyTypes[code]
	switch {
	case code == "O":
		return element{}, origin.bad(`its elements are Python objects ("O"), a pickle, which is not read: its elements have no type`).hint("convert it with astype, to float or str")
	case !ok:
		return element{}, origin.bad("its elements have the type %q", order+code).
			hint("floats of 2, 4, 8 bytes, integers of 1 to 8, booleans and texts are known; convert with astype")
	}
	return element{dt: dt, width: dt.(arrow.FixedWidthDataType).BitWidth() / 8, big: order == ">", boolean: code == "b1"}, nil
}

// npyHeader returns the header's dictionary and the length of all that comes before the
// elements.
func npyHeader(in io.Reader, origin Origin) (header string, size int64, err error) {
	head := make([]byte, 10)
	if _, err := io.ReadFull(in, head); err != nil {
		return "", 0, readError(origin, err)
	}
	size = int64(len(head))
	n := int64(binary.LittleEndian.Uint16(head[8:]))
	switch head[6] {
	case 1:
	case 2, 3:
		more := make([]byte, 2)
		if _, err := io.ReadFull(in, more); err != nil {
			return "", 0, readError(origin, err)
		}
		size += int64(len(more))
		n |= int64(binary.LittleEndian.Uint16(more)) << 16
	default:
		return "", 0, origin.bad("npy version %d is not known", head[6])
	}
	if n > 1<<20 {
		return "", 0, origin.bad("its npy header says it has %d bytes", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(in, b); err != nil {
		return "", 0, readError(origin, err)
	}
	return string(b), size + n, nil
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
		if dims = append(dims, d); len(dims) > npyDimensions {
			return nil, fmt.Errorf("more than %d dimensions", npyDimensions)
		}
	}
	return dims, nil
}
