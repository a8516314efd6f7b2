package protorec

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// foreignFile is one of those that testdata/foreign/protobuf.py has made.
func foreignFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "foreign", "protobuf", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestForeign: messages and schemas that Google's library, protoc and confluent-kafka's
// serializer have written.
func TestForeign(t *testing.T) {
	folder := filepath.Join("..", "..", "testdata", "foreign", "protobuf")
	sources := map[string]func() (*Files, error){
		"file":           func() (*Files, error) { return Read(t.Context(), filepath.Join(folder, "event.proto")) },
		"descriptor set": func() (*Files, error) { return Read(t.Context(), filepath.Join(folder, "event.binpb")) },
		"registry's text": func() (*Files, error) {
			return Parse(t.Context(), foreignFile(t, "event.proto"), []Reference{{"colour.proto", foreignFile(t, "colour.proto")}})
		},
		"registered by Python": func() (*Files, error) {
			return Parse(t.Context(), foreignFile(t, "event.schema"), []Reference{{"colour.proto", foreignFile(t, "colour.schema")}})
		},
	}
	spec := record.Spec{Types: map[string]record.Type{"large": record.Text}}
	const want = "id=é n=-7 l=1099511627776 f=0.10000000149011612 d=0.1 b=true colour=GREEN v=[0.5 -2] ints=[1 -300] raw=AACAPw== " +
		"scores.a=1.5 scores.b=0 payload.bytes=0 payload.inner.bytes=0 payload.inner.inner.bytes=10 at=1735787045678901 took=-1.5 maybe=0 " +
		"more.deep.s=t more.v=[1 2] more.x=2 name=<nil> number=9 large=18446744073709551615"
	for name, files := range sources {
		t.Run(name, func(t *testing.T) {
			f, err := files()
			if err != nil {
				t.Fatal(err)
			}
			// confluent-kafka's frame: a byte 0, the schema's id, and the path of the message.
			framed := foreignFile(t, "event.framed")
			body, whole := strings.CutPrefix(framed, "\x00\x00\x00\x00\x02\x04\x02\x00")
			if !whole {
				t.Fatalf("the framed message begins with %x", framed[:8])
			}
			m, err := f.At([]int{1, 0})
			if err != nil {
				t.Fatal(err)
			}
			d, err := Compile(m, spec)
			if err != nil {
				t.Fatal(err)
			}
			for _, value := range []string{body, foreignFile(t, "event.bin")} {
				got, err := d.Decode([]byte(value), table.Origin{})
				if err != nil {
					t.Fatal(err)
				}
				if text := shown(got.Table); !sameWords(text, want) {
					t.Errorf("%s\nwant %s", text, want)
				}
			}
		})
	}
}

// sameWords compares texts by their words: the keys of maps come in any order.
func sameWords(a, b string) bool {
	return slices.Equal(slices.Sorted(strings.FieldsSeq(a)), slices.Sorted(strings.FieldsSeq(b)))
}
