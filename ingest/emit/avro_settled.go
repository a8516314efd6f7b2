package emit

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// In Avro, columns whose types were inferred from values must also have one type each, because
// connectors that read a topic need it. It is the type of the first value written, or that of the
// schema registered before. Integers become long, and later double when a fraction occurs, which
// Avro's readers accept as a wider type.

// anyOf stands for the union that earlier versions used for such columns. It is kept in schemas
// that are already registered.
const anyOf = "any"

// settledTypes maps field names to types. A map is replaced instead of modified.
type settledTypes map[string]string

// Settle adopts the field types of a schema that was registered before.
func (a *Avro) Settle(schema string) error {
	var s struct {
		Fields []struct {
			Name string `json:"name"`
			Type any    `json:"type"`
		} `json:"fields"`
	}
	if err := json.Unmarshal([]byte(schema), &s); err != nil {
		return fmt.Errorf("the schema that is registered cannot be read: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	next := settledTypes{}
	for _, f := range s.Fields {
		union, _ := f.Type.([]any)
		if len(union) == 4 {
			next[f.Name] = anyOf
		}
		if len(union) == 2 && union[0] == "null" {
			if t, plain := union[1].(string); plain {
				next[f.Name] = t
			}
		}
	}
	maps.Copy(next, a.settled)
	a.settled = next
	return nil
}

// settle returns the types of an output's columns, including ones that occur for the first time.
func (a *Avro) settle(o *Output) (settledTypes, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var next settledTypes
	see := func(name string, c table.Column) error {
		if !c.Valid() || !record.Inferred(c.ArrowField()) || c.IsNull(0) {
			return nil
		}
		now := a.settled[name]
		if next != nil {
			now = next[name]
		}
		to, ok := widened(now, c.Array())
		if !ok {
			return fmt.Errorf("column %q is %s in the schema of the outputs, and %q does not fit; pin its type, as in source.types: [\"%s:text\"], and write to a new topic, or one whose subject allows the change",
				c.Name(), now, table.Clip(c.Text(0)), c.Name())
		}
		if to != now {
			if next == nil {
				next = settledTypes{}
				maps.Copy(next, a.settled)
			}
			next[name] = to
		}
		return nil
	}
	if err := see(IDName, o.ID); err != nil {
		return nil, err
	}
	for _, c := range o.Kept {
		if o.repeated(c) {
			continue
		}
		if err := see(avroName(c.Name()), c); err != nil {
			return nil, err
		}
	}
	if next != nil {
		a.settled = next
	}
	return a.settled, nil
}

// widened returns the new type of a column with type was ("" for none) after a value of the array.
// It returns false if the value does not fit.
func widened(was string, a arrow.Array) (to string, ok bool) {
	is := "string"
	switch a := a.(type) {
	case *array.Boolean:
		is = "boolean"
	case *array.Int64:
		is = "long"
		if v := a.Value(0); was == "double" && v >= -table.ExactFloat && v <= table.ExactFloat {
			is = "double"
		}
	case *array.Float64:
		is = "double"
	}
	switch {
	case was == "" || was == is || was == "long" && is == "double":
		return is, true
	case was == "string" || was == anyOf:
		return was, true // anything has a text
	}
	return was, false
}

// settledAvroType writes values of a settled type.
func settledAvroType(t string) avroType {
	if t == anyOf {
		return avroType{[]string{"null", "boolean", "double", "string"}, appendInferred}
	}
	return avroType{[]any{"null", t}, func(to []byte, a arrow.Array, i int) ([]byte, error) {
		to = append(to, branch)
		switch a := a.(type) {
		case *array.Boolean:
			if t == "boolean" {
				return appendAvroBool(to, a.Value(i)), nil
			}
		case *array.Int64:
			if t == "long" {
				return appendLong(to, a.Value(i)), nil
			}
			if t == "double" {
				return appendAvroDouble(to, float64(a.Value(i))), nil
			}
		case *array.Float64:
			if t == "double" {
				return appendAvroDouble(to, a.Value(i)), nil
			}
		}
		if t != "string" {
			return nil, fmt.Errorf("a value of type %s where the schema has %s", table.TypeName(a.DataType()), t)
		}
		return appendAvroText(to, table.NewColumn("", a).Text(i)), nil
	}}
}
