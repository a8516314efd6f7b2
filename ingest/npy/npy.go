package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"

	"unfold/ingest/dense"
	"unfold/ingest/input"
	"unfold/ingest/table"
)

// types are NumPy's type codes without byte order.
var types = map[string]arrow.DataType{
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

// npyDimensions is the maximum number of dimensions in NumPy.
const npyDimensions = 64

// NewReader reads NumPy's format: "\x93NUMPY", a version, the header's
// length, the header (a Python dictionary), then the elements.
func NewReader(in *input.Source, batchRows int) (table.Reader, error) {
	origin := in.Origin
	e, dims, err := header(in, origin)
	if err != nil {
		return nil, err
	}
	if e.Text != 0 && len(dims) > 1 {
		return nil, origin.Bad("it is an array of texts in %d dimensions", len(dims)).Suggest("texts are read as one column: save an array of one dimension")
	}
	r, err := dense.NewReader(in, e.Element, dims, batchRows)
	if err != nil {
		return nil, err
	}
	if e.fortran && len(dims) > 1 {
		return r, r.Transpose(in, dims, e.size)
	}
	return r, nil
}

// plain is the description of an array in a header, without its shape.
type plain struct {
	dense.Element
	fortran bool  // stored with its first index fastest
	size    int64 // bytes before the elements
}

// header parses everything before an array's elements.
func header(in io.Reader, origin table.Origin) (e plain, dims []int64, err error) {
	header, size, err := readHeader(in, origin)
	if err != nil {
		return e, nil, err
	}
	descr, order, shape := npyDescr.FindStringSubmatch(header), npyFortran.FindStringSubmatch(header), npyShape.FindStringSubmatch(header)
	if strings.Contains(header, "'descr': [") {
		return e, nil, origin.Bad("its elements are records (a structured array)").Suggest("write columns: pandas.DataFrame(numpy.load(FILE)).to_parquet(\"x.parquet\")")
	}
	if strings.Contains(header, "M8[") || strings.Contains(header, "m8[") {
		return e, nil, origin.Bad("its elements are times").Suggest("as numbers: x.astype(\"int64\")")
	}
	if descr == nil || order == nil || shape == nil {
		return e, nil, origin.Bad("its npy header is not one of a plain array: %q", table.Clip(header)).
			Suggest("save a numeric array with numpy.save")
	}
	if dims, err = dimsOf(shape[1]); err != nil {
		return e, nil, origin.Bad("its shape (%s) is wrong", table.Clip(shape[1])).Because(err)
	}
	e.fortran, e.size = order[1] == "True", size
	e.Element, err = elementOf(origin, descr[1], descr[2])
	return e, dims, err
}

// elementOf parses the type of an array's elements.
func elementOf(origin table.Origin, order, code string) (dense.Element, error) {
	if n, err := strconv.Atoi(code[1:]); err == nil && (code[0] == 'U' || code[0] == 'S') {
		each := 1
		if code[0] == 'U' {
			each = 4
		}
		if n > dense.MaxRow/each {
			return dense.Element{}, origin.Bad("its header says texts of %d characters; at most %d are read", n, dense.MaxRow/each)
		}
		if n == 0 {
			// Any number of empty strings would take no bytes.
			return dense.Element{}, origin.Bad("its texts have no length: all are empty").Suggest("save an array that holds something")
		}
		return dense.Element{Dt: arrow.BinaryTypes.String, Width: each * n, Big: order == ">", Text: code[0]}, nil
	}
	dt, ok := types[code]
	switch {
	case code == "O":
		return dense.Element{}, origin.Bad(`its elements are Python objects ("O"), a pickle, which is not read: its elements have no type`).Suggest("convert it with astype, to float or str")
	case !ok:
		return dense.Element{}, origin.Bad("its elements have the type %q", order+code).
			Suggest("floats of 2, 4, 8 bytes, integers of 1 to 8, booleans and texts are known; convert with astype")
	}
	return dense.Element{Dt: dt, Width: dt.(arrow.FixedWidthDataType).BitWidth() / 8, Big: order == ">", Boolean: code == "b1"}, nil
}

// readHeader returns the header's dictionary and the number of bytes before the elements.
func readHeader(in io.Reader, origin table.Origin) (header string, size int64, err error) {
	head := make([]byte, 10)
	if _, err := io.ReadFull(in, head); err != nil {
		return "", 0, input.ReadError(origin, err)
	}
	size = int64(len(head))
	n := int64(binary.LittleEndian.Uint16(head[8:]))
	switch head[6] {
	case 1:
	case 2, 3:
		more := make([]byte, 2)
		if _, err := io.ReadFull(in, more); err != nil {
			return "", 0, input.ReadError(origin, err)
		}
		size += int64(len(more))
		n |= int64(binary.LittleEndian.Uint16(more)) << 16
	default:
		return "", 0, origin.Bad("npy version %d is not known", head[6])
	}
	if n > 1<<20 {
		return "", 0, origin.Bad("its npy header says it has %d bytes", n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(in, b); err != nil {
		return "", 0, input.ReadError(origin, err)
	}
	return string(b), size + n, nil
}

func dimsOf(text string) ([]int64, error) {
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
