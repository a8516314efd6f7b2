package avrorec

import (
	"fmt"
	"slices"
	"strings"

	"unfold/ingest/record"
)

// maxTies bounds the number of fields visited, in all nested types, when all columns are requested,
// as a multiple of record.Limits.Fields.
const maxTies = 16

// columns collects the columns of all fields of a row.
type columns struct {
	most  int
	ties  int
	paths []string
	known map[string]bool
	above map[*shape]bool // records around the one at hand
}

// all returns the names of a row's columns in the order of the schema.
func all(row *shape, most int) ([]string, error) {
	c := columns{most: most, known: map[string]bool{}, above: map[*shape]bool{}}
	err := c.add(row, "")
	return c.paths, err
}

func (c *columns) add(s *shape, path string) error {
	if c.ties++; len(c.paths) > c.most || c.ties > c.most*maxTies {
		return fmt.Errorf("the Avro schema has more than %d fields: name the columns to use", c.most)
	}
	switch {
	case s.kind == kindUnion:
		for _, b := range s.branches {
			if err := c.add(b, path); err != nil {
				return err
			}
		}
	case s.kind == kindRecord && !s.sparse() && !s.variable():
		if c.above[s] {
			return nil
		}
		c.above[s] = true
		defer delete(c.above, s)
		for _, f := range s.fields {
			if err := c.add(f.shape, record.Join(path, f.name)); err != nil {
				return err
			}
		}
	case pinOf(s) != record.Auto && !c.known[path]:
		c.known[path] = true
		c.paths = append(c.paths, path)
	}
	return nil
}

// pinOf returns the column type of a value, or Auto if the schema does not determine it.
func pinOf(s *shape) record.Type {
	_, time := s.time()
	switch {
	case s.kind == kindInt && time, s.text && s.logical == record.ZonedTime:
		return record.Time
	case s.kind == kindInt:
		return record.Int
	case s.kind == kindFloat, s.kind == kindDouble, s.decimal(), s.variable():
		return record.Float
	case s.kind == kindBoolean:
		return record.Bool
	case s.kind == kindBytes, s.kind == kindFixed, s.kind == kindEnum:
		return record.Text
	case s.vector(), s.sparse():
		return record.Vector
	}
	return record.Auto
}

// pin returns the type of the column at a path, or Auto if the path does not exist or has several
// types.
func pin(s *shape, path string) record.Type {
	if s == nil {
		return record.Auto
	}
	if s.kind == kindUnion {
		return pinUnion(s, path)
	}
	if path == "" {
		if t := pinOf(s); t != record.Auto {
			return t
		}
		// JSON.
		return record.Text
	}
	name, rest, _ := strings.Cut(path, ".")
	switch {
	case s.kind == kindRecord:
		return pin(s.field(name), rest)
	case s.kind == kindMap:
		return pin(s.items, rest)
	}
	return record.Auto
}

func pinUnion(s *shape, path string) record.Type {
	found := record.Auto
	for _, b := range s.branches {
		if b.kind == kindNull {
			continue
		}
		t := pin(b, path)
		switch {
		case t == found, t == record.Auto, t == record.Int && found == record.Float:
		case found == record.Auto, found == record.Int && t == record.Float:
			found = t
		default:
			return record.Auto
		}
	}
	return found
}

// specOf completes the spec from the schema: all columns if none is named, and their types.
func (d *Decoder) specOf(spec record.Spec) (record.Spec, error) {
	spec.Limits = spec.Limits.Filled()
	if spec.Paths == nil {
		paths, err := all(d.row, spec.Limits.Fields)
		if err != nil {
			return spec, err
		}
		spec.Paths = append([]string{}, paths...)
		for _, name := range spec.Named {
			if !slices.Contains(spec.Paths, name) {
				spec.Paths = append(spec.Paths, name)
			}
		}
	}
	types := map[string]record.Type{}
	for _, path := range spec.Paths {
		t := pin(d.row, path)
		if t == record.Auto && d.change != nil {
			t = pin(d.change.shape, path)
		}
		if path == spec.ID && t == record.Float {
			t = record.Auto // a decimal of an integer is one, which is exact
		}
		if path == spec.Vector {
			t = record.Vector
		}
		if user := spec.Types[path]; user != record.Auto {
			t = user
		}
		if t != record.Auto {
			types[path] = t
		}
	}
	spec.Types = types
	return spec, nil
}
