package protorec

import (
	"context"
	"embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"unfold/ingest/table"
	"unfold/internal/regular"
)

// Reference is a source file that other files import by this name.
type Reference struct{ Name, Text string }

// Files are compiled schemas.
type Files struct {
	// main is the file in which messages are found by index. others are the other files of a
	// descriptor set, or those that main imports.
	main   protoreflect.FileDescriptor
	others []protoreflect.FileDescriptor
}

const (
	// mostSource bounds the size of a schema's text with all imports, mostSet that of a descriptor
	// set, both in bytes. mostBraces bounds the nesting depth.
	mostSource = 4 << 20
	mostSet    = 16 << 20
	mostBraces = 100
	// mainName is used as the schema's file name, since it has none in a registry.
	mainName = "schema.proto"
)

// builtin holds the files that a schema registry provides without a reference.
//
//go:embed builtin
var builtin embed.FS

// Parse compiles the untrusted text of a schema. It may import the references and the files that
// come with protoc and Confluent's registry.
func Parse(ctx context.Context, text string, references []Reference) (*Files, error) {
	sources := map[string]string{mainName: text}
	size, err := len(text), nested(text)
	for _, r := range references {
		sources[r.Name] = r.Text
		size += len(r.Text)
		err = errors.Join(err, nested(r.Text))
	}
	if size > mostSource {
		return nil, fmt.Errorf("the schema has %d bytes with all that it imports, more than %d", size, mostSource)
	}
	if err != nil {
		return nil, err
	}
	return compile(ctx, mainName, protocompile.ResolverFunc(func(name string) (protocompile.SearchResult, error) {
		if text, ok := sources[name]; ok {
			return source(name, text), nil
		}
		return known(name)
	}))
}

// nested returns an error for text that nests too deep, because the compiler is recursive.
func nested(text string) error {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[', '<':
			if depth++; depth > mostBraces {
				return fmt.Errorf("the schema nests more than %d deep", mostBraces)
			}
		case '}', ']', '>':
			depth = max(0, depth-1)
		case '/', '"', '\'':
			i += aside(text[i:])
		}
	}
	return nil
}

// aside returns the length, minus one, of the comment or string with which text begins.
func aside(text string) int {
	end := 0
	switch {
	case strings.HasPrefix(text, "//"):
		end = strings.IndexByte(text, '\n')
	case strings.HasPrefix(text, "/*"):
		if end = strings.Index(text[2:], "*/"); end >= 0 {
			end += 3
		}
	case text[0] != '/':
		for end = 1; end < len(text) && text[end] != text[0] && text[end] != '\n'; end++ {
			if text[end] == '\\' {
				end++
			}
		}
	}
	if end < 0 {
		return len(text)
	}
	return end
}

// source returns a file given as text or, as some clients register it, as a base64-encoded
// descriptor.
func source(name, text string) protocompile.SearchResult {
	if b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text)); err == nil && len(b) > 0 {
		var file descriptorpb.FileDescriptorProto
		if proto.Unmarshal(b, &file) == nil {
			file.Name = &name
			for _, m := range file.MessageType {
				nameJSON(m)
			}
			return protocompile.SearchResult{Proto: &file}
		}
	}
	return protocompile.SearchResult{Source: strings.NewReader(text)}
}

// nameJSON sets the fields' missing names in JSON to the default, as protoc does. Generated code of
// Python, whose descriptors Confluent's client registers, lacks them, and the compiler takes
// missing names for equal ones.
func nameJSON(m *descriptorpb.DescriptorProto) {
	for _, f := range slices.Concat(m.Field, m.Extension) {
		if f.JsonName == nil {
			f.JsonName = proto.String(jsonName(f.GetName()))
		}
	}
	for _, nested := range m.NestedType {
		nameJSON(nested)
	}
}

// jsonName returns protoc's default name in JSON of a field: without underscores, with upper case
// after each.
func jsonName(field string) string {
	var b strings.Builder
	upper := false
	for _, r := range field {
		switch {
		case r == '_':
			upper = true
			continue
		case upper && 'a' <= r && r <= 'z':
			r -= 'a' - 'A'
		}
		b.WriteRune(r)
		upper = false
	}
	return b.String()
}

// known returns a file that a schema registry provides without a reference.
func known(name string) (protocompile.SearchResult, error) {
	text, err := builtin.Open("builtin/" + name)
	if err != nil {
		return protocompile.SearchResult{}, fmt.Errorf("%q is imported and not there", name)
	}
	return protocompile.SearchResult{Source: text}, nil
}

func compile(ctx context.Context, name string, r protocompile.Resolver) (*Files, error) {
	c := protocompile.Compiler{Resolver: protocompile.WithStandardImports(r), MaxParallelism: 1}
	files, err := c.Compile(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be compiled: %w", err)
	}
	return &Files{main: files[0]}, nil
}

// Read compiles a .proto file, with imports relative to its folder, or reads a descriptor set.
func Read(ctx context.Context, path string) (*Files, error) {
	if filepath.Ext(path) != ".proto" {
		return readSet(path)
	}
	folder := os.DirFS(filepath.Dir(path))
	f, err := compile(ctx, filepath.Base(path), protocompile.ResolverFunc(func(name string) (protocompile.SearchResult, error) {
		if file, err := folder.Open(name); err == nil {
			return protocompile.SearchResult{Source: io.LimitReader(file, mostSource)}, nil
		}
		return known(name)
	}))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func readSet(path string) (*Files, error) {
	data, err := regular.ReadSmall(path)
	if err != nil {
		return nil, err
	}
	f, err := ReadSet(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// ReadSet reads a serialized descriptor set. Messages are first looked up in its last file, which
// is the one that protoc was called for.
func ReadSet(data []byte) (*Files, error) {
	if len(data) > mostSet {
		return nil, fmt.Errorf("the descriptor set has %d bytes, more than %d", len(data), mostSet)
	}
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(data, &set); err != nil || len(set.File) == 0 {
		return nil, fmt.Errorf("this is no descriptor set; make one with protoc --include_imports --descriptor_set_out, or name a .proto file")
	}
	all, err := protodesc.NewFiles(&set)
	if err != nil {
		return nil, fmt.Errorf("the descriptor set: %w; make it with --include_imports", err)
	}
	f := &Files{}
	for _, p := range set.File {
		d, err := all.FindFileByPath(p.GetName())
		if err != nil {
			return nil, err
		}
		f.main, f.others = d, append(f.others, d)
	}
	return f, nil
}

// Message returns the message with a name, full or relative to the schema's package. For "" it
// returns the only message, or the first one that is not a field of another.
func (f *Files) Message(name string) (protoreflect.MessageDescriptor, error) {
	if name == "" {
		return f.first()
	}
	var names []string
	for _, file := range append([]protoreflect.FileDescriptor{f.main}, f.others...) {
		if m := find(file.Messages(), strings.TrimPrefix(name, string(file.Package())+"."), &names); m != nil {
			return m, nil
		}
	}
	hint := ""
	if near := table.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q? ", near)
	}
	return nil, fmt.Errorf("the schema has no message %q; %smessages are %s", name, hint, table.List(names))
}

// find looks up a message by its dotted name, and collects all names for the error.
func find(all protoreflect.MessageDescriptors, name string, names *[]string) protoreflect.MessageDescriptor {
	for i := range all.Len() {
		m := all.Get(i)
		if m.IsMapEntry() {
			continue
		}
		*names = append(*names, string(m.FullName()))
		first, rest, nested := strings.Cut(name, ".")
		if first != string(m.Name()) {
			continue
		}
		if !nested {
			return m
		}
		if below := find(m.Messages(), rest, names); below != nil {
			return below
		}
	}
	return nil
}

// first returns the first message that is not the type of a field in any message of the file.
func (f *Files) first() (protoreflect.MessageDescriptor, error) {
	all := f.main.Messages()
	part := map[protoreflect.FullName]bool{}
	for i := range all.Len() {
		m := all.Get(i)
		for k := range m.Fields().Len() {
			if below := m.Fields().Get(k).Message(); below != nil && below != m {
				part[below.FullName()] = true
			}
		}
	}
	for i := range all.Len() {
		if !part[all.Get(i).FullName()] {
			return all.Get(i), nil
		}
	}
	if all.Len() > 0 {
		return all.Get(0), nil
	}
	return nil, fmt.Errorf("the schema has no message")
}

// At returns the message at an index path: the index of a message in the schema, then those of
// nested messages.
func (f *Files) At(index []int) (protoreflect.MessageDescriptor, error) {
	all := f.main.Messages()
	var m protoreflect.MessageDescriptor
	for _, i := range index {
		if i < 0 || i >= all.Len() {
			return nil, fmt.Errorf("the schema has no message of index %v", index)
		}
		m = all.Get(i)
		all = m.Messages()
	}
	if m == nil {
		return nil, fmt.Errorf("an index path of nothing names no message")
	}
	return m, nil
}
