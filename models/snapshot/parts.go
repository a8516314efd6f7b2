package snapshot

import (
	"fmt"
	"math"
	"strings"
)

// partPrefix is the prefix of the names of blocks with parts.
const partPrefix = "model."

// Part is an array that belongs to the model of one kind. Only that kind's package knows its
// meaning. Parts may be added without a new format version, because a program that does not know
// them does not know the kind either. For exceptions see laterParts.
type Part struct {
	// Name has up to 18 letters, digits, dots and underscores. Its block is named model.NAME.
	Name       string
	Rows, Cols int
	// Data are Rows x Cols elements of type []byte, []uint32, []uint64, []int64, []float32 or
	// []float64. All must be finite.
	Data any
}

// partType returns the block type and the length of Part.Data.
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

// Part returns the part with the given name.
func (s *Snapshot) Part(name string) (Part, bool) {
	for _, p := range s.Parts {
		if p.Name == name {
			return p, true
		}
	}
	return Part{}, false
}

// PartOf returns the data of a part. It returns an error unless the part has the given numbers of
// rows and columns; 0 accepts any number.
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
			// Some parts represent infinity by the largest number.
			err = finiteBut(p.Name, v, math.MaxFloat64)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// partFields returns the parts as fields for writing.
func (s *Snapshot) partFields() (list []field) {
	for _, p := range s.Parts {
		t, _ := partType(p.Data)
		list = append(list, field{name: partPrefix + p.Name, typ: t, put: func(*Snapshot) content { return content{p.Rows, p.Cols, p.Data} }})
	}
	return list
}

// takePart stores a block that is a part.
func (s *Snapshot) takePart(b Block, c content) {
	name, is := strings.CutPrefix(b.Name, partPrefix)
	if t, _ := partType(c.data); is && t == b.Type {
		s.Parts = append(s.Parts, Part{Name: name, Rows: c.rows, Cols: c.cols, Data: c.data})
	}
}
