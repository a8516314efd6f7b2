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
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"unfold/ingest/table"
)

// Reference is a source file that others import by its name.
type Reference struct{ Name, Text string }

// Files are compiled schemas.
type Files struct {
	// main is the schema, whose messages are meant where one is named by its index; the
	// others are what a descriptor set has besides, or what main imports.
	main   protoreflect.FileDescriptor
	others []protoreflect.FileDescriptor
}

const (
	// mostSource bounds the text of a schema with all that it imports, mostSet a descriptor
	// set, in bytes; mostBraces how deep text nests.
	mostSource = 4 << 20
	mostSet    = 16 << 20
	mostBraces = 100
	// mainName stands for the schema, which has no name in a registry.
	mainName = "schema.proto"
)

// builtin are the files that a registry knows by itself.
//
//go:embed builtin
var builtin embed.FS

// Parse compiles the text of a schema. It may import references, and what protoc and
// Confluent's registry bring along. The text need not be trusted.
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

// nested refuses text that nests deeper than schemas do: compilers call themselves.
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

// aside is the length, less one, of the comment or string that text begins with.
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

// source is a file of text or, as some clients register them, of a serialized descriptor in
// base64.
func source(name, text string) protocompile.SearchResult {
	if b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text)); err == nil && len(b) > 0 {
		var file descriptorpb.FileDescriptorProto
		if proto.Unmarshal(b, &file) == nil {
			file.Name = &name
			return protocompile.SearchResult{Proto: &file}
		}
	}
	return protocompile.SearchResult{Source: strings.NewReader(text)}
}

// known finds a file that a registry knows by itself.
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

// Read compiles a .proto file, which imports others by their paths from its folder, or
// reads a descriptor set.
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
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f, err := ReadSet(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// ReadSet reads a descriptor set, serialized. Messages are looked for in its last file
// first, which is the one that protoc was asked for.
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

// Message returns the message of a name, full or within the schema's package. "" is the
// only message, or the first that no other is made of.
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

// find looks for a message by its dotted name, and gathers the names that there are.
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

// first is the first message that no message of the file has as a field.
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

// At returns the message of an index path: the number of a message in the schema, then
// those of messages nested in it.
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
