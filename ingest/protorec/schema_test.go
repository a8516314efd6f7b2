package protorec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Errors in a schema are reported with their cause.
func TestParseRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"syntax":         {`syntax = "proto3"; message A {`, "schema.proto:1:"},
		"not there":      {`syntax = "proto3"; import "other.proto"; message A { B b = 1; }`, `other.proto`},
		"itself":         {`syntax = "proto3"; import "schema.proto";`, "cycle"},
		"deep":           {`syntax = "proto3"; ` + strings.Repeat("message A { ", 1e5) + strings.Repeat("}", 1e5), "nests more than 100 deep"},
		"deep option":    {`syntax = "proto3"; option (x) = ` + strings.Repeat("{ a: <", 1e5), "nests more than 100 deep"},
		"large":          {strings.Repeat(" ", mostSource+1), "bytes with all that it imports"},
		"number too big": {`syntax = "proto3"; message A { int32 a = 536870912; }`, "536870912"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Parse(t.Context(), c.text, nil); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%.300v, want %s", err, c.want)
			}
		})
	}
	comments := `syntax = "proto3"; // ` + strings.Repeat("<", 200) + "\n/* " + strings.Repeat("{", 200) + ` */ message A { string s = 1 [json_name = "` + strings.Repeat("[", 200) + `\"{"]; }`
	if _, err := Parse(t.Context(), comments, nil); err != nil {
		t.Error(err)
	}
}

// Messages are found by name and by index.
func TestMessages(t *testing.T) {
	const text = `syntax = "proto3"; package a.b; message Part { message Of { int32 x = 1; } } message Whole { Part p = 1; } `
	f, err := Parse(t.Context(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"": "a.b.Whole", "Whole": "a.b.Whole", "a.b.Part": "a.b.Part", "Part.Of": "a.b.Part.Of", "a.b.Part.Of": "a.b.Part.Of"} {
		if m, err := f.Message(name); err != nil || string(m.FullName()) != want {
			t.Errorf("%q: %v %v, want %s", name, m, err, want)
		}
	}
	if _, err := f.Message("a.b.Hole"); err == nil || !strings.Contains(err.Error(), `did you mean "a.b.Whole"?`) {
		t.Error(err)
	}
	if m, err := f.At([]int{0, 0}); err != nil || m.FullName() != "a.b.Part.Of" {
		t.Error(m, err)
	}
	for _, index := range [][]int{nil, {2}, {-1}, {0, 1}} {
		if m, err := f.At(index); err == nil {
			t.Errorf("%v is %v", index, m)
		}
	}
}

// ofPython is what Confluent's client for Python registers of docs/recipes/protobuf.md's event.proto:
// the descriptor in protoc's generated code, which has no names in JSON.
const ofPython = "CgtldmVudC5wcm90bxIEc2hvcBofZ29vZ2xlL3Byb3RvYnVmL3RpbWVzdGFtcC5wcm90byKKAQoFRXZlbnQSEAoIZXZlbnRfaWQY" +
	"ASABKAkSJgoCYXQYAiABKAsyGi5nb29nbGUucHJvdG9idWYuVGltZXN0YW1wEh4KBHBhZ2UYAyABKAsyEC5zaG9wLkV2ZW50LlBh" +
	"Z2USEQoJZW1iZWRkaW5nGAQgAygCGhQKBFBhZ2USDAoEa2luZBgBIAEoCWIGcHJvdG8z"

// A schema in a registry may be a descriptor without names in JSON.
func TestDescriptorOfPython(t *testing.T) {
	f, err := Parse(t.Context(), ofPython, nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Message("shop.Event")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range m.Fields().Len() {
		names = append(names, m.Fields().Get(i).JSONName())
	}
	if got := strings.Join(names, " "); got != "eventId at page embedding" {
		t.Errorf("the names in JSON are %s", got)
	}
	for field, want := range map[string]string{"a": "a", "a_b": "aB", "_a": "A", "a__b_": "aB", "a_1": "a1", "aB_C": "aBC"} {
		if got := jsonName(field); got != want {
			t.Errorf("%s is %s in JSON, want %s", field, got, want)
		}
	}
}

// Source files and descriptor sets can be read from disk.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	write("sub/part.proto", `syntax = "proto3"; message Part { int32 x = 1; }`)
	source := write("whole.proto", `syntax = "proto3"; import "sub/part.proto"; message Whole { Part p = 1; }`)
	f, err := Read(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	m, err := f.Message("")
	if err != nil || m.FullName() != "Whole" {
		t.Fatal(m, err)
	}
	set := &descriptorpb.FileDescriptorSet{}
	for _, file := range []protoreflect.FileDescriptor{m.Fields().Get(0).Message().ParentFile(), m.ParentFile()} {
		set.File = append(set.File, protodesc.ToFileDescriptorProto(file))
	}
	b, err := proto.Marshal(set)
	if err != nil {
		t.Fatal(err)
	}
	f, err = Read(t.Context(), write("set.binpb", string(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Whole", "Part"} {
		if m, err := f.Message(name); err != nil {
			t.Error(m, err)
		}
	}
	for name, want := range map[string]string{write("x.binpb", "text"): "this is no descriptor set", filepath.Join(dir, "none.proto"): "none.proto", filepath.Join(dir, "none"): "no such file"} {
		if _, err := Read(t.Context(), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	part, _ := proto.Marshal(&descriptorpb.FileDescriptorSet{File: set.File[1:]})
	if _, err := ReadSet(part); err == nil || !strings.Contains(err.Error(), "--include_imports") {
		t.Error(err)
	}
}

// FuzzParse checks that arbitrary schema text cannot crash the process.
func FuzzParse(f *testing.F) {
	f.Add(everything)
	f.Add(colour)
	f.Add(`edition = "2023"; package x; message A { repeated int32 a = 1 [features.repeated_field_encoding = EXPANDED]; A b = 2 [features.message_encoding = DELIMITED]; }`)
	f.Add(`syntax = "proto2"; message A { optional group G = 1 { optional int32 x = 1 [default = 3]; } extensions 100 to max; } extend A { optional int32 y = 100; }`)
	f.Fuzz(func(t *testing.T, text string) {
		files, err := Parse(t.Context(), text, []Reference{{"colour.proto", colour}})
		if err != nil {
			return
		}
		if m, err := files.Message(""); err == nil {
			_ = fmt.Sprint(m.FullName())
		}
	})
}
