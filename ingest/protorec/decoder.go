package protorec

import (
	"fmt"
	"strings"
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// Decoder decodes messages of one type. It is safe for concurrent use.
type Decoder struct {
	message  protoreflect.MessageDescriptor
	layout   *record.Layout
	limits   record.Limits
	envelope *envelope
	aside    string // the kind of messages that are no changes

	pool sync.Pool // of *worker
}

// Compile returns a decoder for a message type and the columns that the spec requests. Column types
// follow from the schema unless the spec sets them.
func Compile(m protoreflect.MessageDescriptor, spec record.Spec) (*Decoder, error) {
	d := &Decoder{message: m, envelope: envelopeOf(m)}
	if spec.Changes {
		d.aside = asideOf(m)
	}
	types, err := d.pins(spec)
	if err != nil {
		return nil, fmt.Errorf("message %s: %w", m.FullName(), err)
	}
	spec.Types = types
	d.layout = record.NewLayout(spec)
	d.limits = d.layout.Limits()
	d.pool.New = func() any { return &worker{d: d, b: d.layout.Builder()} }
	return d, nil
}

// Decode decodes a message from untrusted bytes. Its errors are *table.Error with the given origin.
func (d *Decoder) Decode(value []byte, origin table.Origin) (record.Decoded, error) {
	if err := d.limits.CheckSize(value, origin); err != nil {
		return record.Decoded{}, err
	}
	if d.aside != "" {
		return record.Decoded{Aside: d.aside}, nil
	}
	w := d.pool.Get().(*worker)
	defer func() {
		w.reset()
		d.pool.Put(w)
	}()
	return w.decode(value, origin)
}

// pins returns the column types: those that the spec sets, and the schema's for all others.
func (d *Decoder) pins(spec record.Spec) (map[string]record.Type, error) {
	all := map[string]record.Type{}
	add := func(path string, t record.Type) {
		if path != spec.Vector && t != record.Auto {
			all[path] = t
		}
	}
	if spec.Paths == nil {
		everywhere(d.row(), spec.Limits.Filled().Fields, add)
	}
	seen := map[string]string{}
	for _, path := range spec.Paths {
		f, rest, way := follow(d.row(), path)
		if f == nil && d.envelope != nil {
			f, rest, way = follow(d.message, path)
		}
		if f == nil {
			continue
		}
		if rest == "" {
			if other, twice := seen[way]; twice && other != path {
				return nil, fmt.Errorf("columns %q and %q are the same field; name it once", other, path)
			}
			seen[way] = path
		}
		t, err := pinAt(f, rest, path)
		if err != nil {
			return nil, err
		}
		add(path, t)
	}
	for path, t := range spec.Types {
		all[path] = t
	}
	return all, nil
}

// follow follows a dotted path through nested messages. It returns the field that it reaches, the
// rest of the path, and the followed part in the names of the .proto file.
func follow(m protoreflect.MessageDescriptor, path string) (f protoreflect.FieldDescriptor, rest, way string) {
	for m != nil {
		var name string
		name, rest, _ = strings.Cut(path, ".")
		f = field(m, name)
		if f == nil {
			return nil, "", ""
		}
		way += "." + string(f.Name())
		if o, _ := opOf(f); o != opMessage || rest == "" {
			return f, rest, way
		}
		m, path = f.Message(), rest
	}
	return f, rest, way
}

// field returns the message's field with this name, either that of the .proto file or that in JSON.
func field(m protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if f := m.Fields().ByName(protoreflect.Name(name)); f != nil {
		return f
	}
	return m.Fields().ByJSONName(name)
}

// pinAt returns the type of the column of a field, or of the part of it that rest names.
func pinAt(f protoreflect.FieldDescriptor, rest, path string) (record.Type, error) {
	o, ok := opOf(f)
	switch {
	case !ok:
		return "", fmt.Errorf("column %q: %s", path, unheld(f))
	case o == opMessage && rest == "":
		return "", fmt.Errorf("column %q is a message; name one of its fields, as in %q", path, path+"."+example(f.Message()))
	case o == opMap && rest == "":
		return "", fmt.Errorf("column %q is a map; name one of its keys, as in %q", path, path+".key")
	case o == opStruct && rest == "":
		return "", fmt.Errorf("column %q is a struct; name one of its fields, as in %q", path, path+".field")
	case o == opMap:
		return pinOf(mapValue(f.Message()).Kind()), nil
	case rest == "":
		return pinFor(f), nil
	case o == opStruct || o == opValue:
		return record.Auto, nil
	}
	return "", fmt.Errorf("column %q: nothing lies below %s, which is one value", path, strings.TrimSuffix(path, "."+rest))
}

// unheld explains why no column can hold the field.
func unheld(f protoreflect.FieldDescriptor) string {
	if f.IsMap() {
		return "maps of messages are not supported"
	}
	if f.Message() != nil {
		return "lists of messages are not supported"
	}
	return "it is not supported"
}

// example returns the name of a message's first field, for error messages.
func example(m protoreflect.MessageDescriptor) string {
	if m.Fields().Len() == 0 {
		return "field"
	}
	return string(m.Fields().Get(0).Name())
}

// everywhere calls add for all fields and those of nested messages, breadth first, up to most of
// them. The limit is needed because messages may be recursive.
func everywhere(m protoreflect.MessageDescriptor, most int, add func(path string, t record.Type)) {
	type level struct {
		path string
		m    protoreflect.MessageDescriptor
	}
	for todo := []level{{"", m}}; len(todo) > 0 && most > 0; todo = todo[1:] {
		at := todo[0]
		for i := range at.m.Fields().Len() {
			f := at.m.Fields().Get(i)
			most--
			o, ok := opOf(f)
			switch path := record.Join(at.path, string(f.Name())); {
			case !ok:
			case o == opMessage:
				if most > len(todo) {
					todo = append(todo, level{path, f.Message()})
				}
			default:
				add(path, pinFor(f))
			}
		}
	}
}
