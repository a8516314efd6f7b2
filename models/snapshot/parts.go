package snapshot

import (
	"fmt"
	"math"
	"strings"
)

// partPrefix begins the names of the blocks that hold parts.
const partPrefix = "model."

// Part is an array that belongs to the model of one kind: what it means is known to
// that kind's package alone. Blocks of that sort may be there whatever the format's
// version is, as a program that does not know them does not know the kind either; but see
// laterParts.
type Part struct {
	// Name has up to 18 letters, digits, dots and underscores; its block is called
	// model.NAME.
	Name       string
	Rows, Cols int
	// Data are Rows x Cols elements: []byte, []uint32, []uint64, []int64, []float32 or
	// []float64, of which all are finite.
	Data any
}

// partTypes are the types of Part.Data.
func partType(data any) (t Type, length int) {
	switch v := data.(type) {
	case []byte:
		return Bytes, len(v)
	case []uint32:
		return Uint32, len(v)
	case []uint64:
		return Uint64, len(v)
	case []int64:
		return Int64, len(v)
	case []float32:
		return Float32, len(v)
	case []float64:
		return Float64, len(v)
	}
	return 0, 0
}

// Part returns the part of that name.
func (s *Snapshot) Part(name string) (Part, bool) {
	for _, p := range s.Parts {
		if p.Name == name {
			return p, true
		}
	}
	return Part{}, false
}

// PartOf returns the data of a part that has to have so many rows and columns, 0 where
// any number will do.
func PartOf[T any](s *Snapshot, name string, rows, cols int) ([]T, error) {
	p, ok := s.Part(name)
	if !ok {
		return nil, fmt.Errorf("there is no part %q", name)
	}
	data, ok := p.Data.([]T)
	if !ok || rows != 0 && p.Rows != rows || cols != 0 && p.Cols != cols {
		return nil, fmt.Errorf("part %q is %d x %d of %T, want %d x %d of %T", name, p.Rows, p.Cols, p.Data, rows, cols, []T{})
	}
	return data, nil
}

// validateParts checks shapes, names and numbers.
func (s *Snapshot) validateParts() error {
	seen := make(map[string]bool, len(s.Parts))
	for _, p := range s.Parts {
		if strings.Trim(p.Name, "abcdefghijklmnopqrstuvwxyz0123456789._") != "" || p.Name == "" || len(partPrefix+p.Name) > nameSize || seen[p.Name] {
			return fmt.Errorf("a part has the name %q, want a new one of up to %d small letters, digits, dots and underscores", p.Name, nameSize-len(partPrefix))
		}
		seen[p.Name] = true
		t, length := partType(p.Data)
		if t == 0 || p.Rows < 1 || p.Cols < 1 || length != p.Rows*p.Cols {
			return fmt.Errorf("part %q is %d x %d and holds %d elements of %T", p.Name, p.Rows, p.Cols, length, p.Data)
		}
		var err error
		switch v := p.Data.(type) {
		case []float32:
			err = finite(p.Name, v)
		case []float64:
			// The largest number stands for infinity in some parts.
			err = finiteBut(p.Name, v, math.MaxFloat64)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// partFields are the parts as blocks, for writing.
func (s *Snapshot) partFields() (list []field) {
	for _, p := range s.Parts {
		t, _ := partType(p.Data)
		list = append(list, field{name: partPrefix + p.Name, typ: t, put: func(*Snapshot) content { return content{p.Rows, p.Cols, p.Data} }})
	}
	return list
}

// takePart keeps a block that holds a part.
func (s *Snapshot) takePart(b Block, c content) {
	name, is := strings.CutPrefix(b.Name, partPrefix)
	if t, _ := partType(c.data); is && t == b.Type {
		s.Parts = append(s.Parts, Part{Name: name, Rows: c.rows, Cols: c.cols, Data: c.data})
	}
}
