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

// foreignFile returns the path of a file made by testdata/foreign/protobuf.py.
func foreignFile(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "..", "testdata", "foreign", "protobuf", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Messages and schemas written by Google's library, protoc and confluent-kafka's serializer can be
// read.
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
			// The header of confluent-kafka consists of a zero byte, the schema's id, and the
			// message's index path.
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

// sameWords compares texts as sets of words, because map keys come in any order.
func sameWords(a, b string) bool {
	return slices.Equal(slices.Sorted(strings.FieldsSeq(a)), slices.Sorted(strings.FieldsSeq(b)))
}
