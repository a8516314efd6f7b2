package emit_test

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	arrays "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/types/dynamicpb"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// shared returns three events with the probabilities of two classes, of which the second has none.
func shared() *emit.Output {
	o := events(3, 2)
	o.Version = 7
	o.ClassShares = emit.ClassShares([]string{"dns", "web\"x"}, vec.Of(3, 2, []float32{.25, .75, 0, 0, .5, .5}))
	o.ClassShares[1] = nil
	o.ClassEntropy = []float32{.5, float32(math.NaN()), .75}
	for i := range o.Probability {
		o.Probability[i] = .75
	}
	return o
}

// The likeliest class is first. Classes of equal probability are ordered by name.
func TestClassShares(t *testing.T) {
	o := shared()
	want := [][]emit.ClassShare{{{"web\"x", .75}, {"dns", .25}}, nil, {{"dns", .5}, {"web\"x", .5}}}
	if !reflect.DeepEqual(o.ClassShares, want) {
		t.Errorf("%v, want %v", o.ClassShares, want)
	}
	if got := o.Slice(2, 3); !reflect.DeepEqual(got.ClassShares, want[2:]) || got.ClassEntropy[0] != .75 {
		t.Errorf("a slice has %v, %v", got.ClassShares, got.ClassEntropy)
	}
}

func TestClassSharesAsJSON(t *testing.T) {
	got, err := emit.JSON{}.Encode(shared())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"class_probability":0.75,"class_probabilities":{"web\"x":0.75,"dns":0.25},"class_entropy":0.5,"map_epoch":3`,
		`"class_probabilities":null,"class_entropy":null,"map_epoch":3`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
}

// Arrow messages contain a map. A writer that remembers kinds writes the same bytes.
func TestClassSharesAsArrow(t *testing.T) {
	value, err := emit.EncodeMessage(shared())
	if err != nil {
		t.Fatal(err)
	}
	back, err := arrowfmt.DecodeMessage(value, ingesttest.Here(), arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	checkShares(t, back)
	var w emit.MessageWriter
	for range 3 {
		for _, o := range []*emit.Output{shared(), shared().Slice(0, 1), shared().Slice(1, 2), shared().Slice(0, 0)} {
			want, err := emit.EncodeMessage(o)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := w.Encode(o); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%d events: other bytes, %v", o.Len(), err)
			}
		}
	}
}

// checkShares checks the columns of shared.
func checkShares(t *testing.T, back *table.Table) {
	t.Helper()
	c, _ := back.Column(emit.ClassProbabilitiesName)
	entropy, _ := back.Column(emit.ClassEntropyName)
	if !c.Valid() || !entropy.Valid() {
		t.Fatalf("the columns are %s", back.Schema())
	}
	m := c.Array().(*array.Map)
	if !c.IsNull(1) || c.IsNull(2) || m.Keys().String() != `["web\"x" "dns" "dns" "web\"x"]` || m.Items().String() != `[0.75 0.25 0.5 0.5]` {
		t.Errorf("probabilities are %v", m)
	}
	if v, ok := entropy.Float(0); !ok || v != .5 {
		t.Errorf("entropy is %v", v)
	}
}

// Parquet files contain maps.
func TestClassSharesInParquet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "map.parquet")
	w, err := emit.Create(path, emit.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if err := errors.Join(w.Write(shared()), w.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := file.OpenParquetFile(path, false)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	all, err := r.ReadTable(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer all.Release()
	c := all.Column(all.Schema().FieldIndices(emit.ClassProbabilitiesName)[0])
	m, ok := c.Data().Chunk(0).(*arrays.Map)
	if !ok || !m.IsNull(1) || m.IsNull(2) || m.Keys().String() != `["web\"x" "dns" "dns" "web\"x"]` || m.Items().String() != `[0.75 0.25 0.5 0.5]` {
		t.Errorf("%s: %v", c.DataType(), c.Data().Chunk(0))
	}
}

// Arrow files hold maps, text and JSON files JSON, and npy files nothing. Reading a Parquet file omits
// maps, as it does lists of records.
func TestClassSharesInFiles(t *testing.T) {
	for _, ext := range []string{".arrow", ".parquet", ".csv", ".jsonl", ".npy"} {
		t.Run(ext, func(t *testing.T) {
			o := shared()
			o.Kept = o.Kept[1:]
			back, err := written(t, ext, o, o.Slice(1, 2)).Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			switch ext {
			case ".arrow":
				checkShares(t, back.Slice(0, 3))
			case ".csv":
				if c, ok := back.Column(emit.ClassProbabilitiesName); !ok || c.Text(0) != `{"web\"x":0.75,"dns":0.25}` || c.Text(1) != "" {
					t.Errorf("the column is %q", c.Strings())
				}
			}
			if c, ok := back.Column(emit.ClassEntropyName); ext != ".npy" && (!ok || c.Text(0) != "0.5") {
				t.Errorf("entropy is %v", c)
			}
		})
	}
}

func TestClassSharesAsAvro(t *testing.T) {
	var a emit.Avro
	for i, want := range []any{map[string]any{"web\"x": float32(.75), "dns": float32(.25)}, nil, map[string]any{"web\"x": float32(.5), "dns": float32(.5)}} {
		s, value, err := a.Encode(nil, shared().Slice(i, i+1))
		if err != nil {
			t.Fatal(err)
		}
		v := readAvro(t, s.Text, value)
		if got := v["class_probabilities"]; !reflect.DeepEqual(got, want) {
			t.Errorf("event %d: %#v, want %#v", i, got, want)
		}
		if entropy := v["class_entropy"]; (entropy == nil) != (i == 1) {
			t.Errorf("event %d: entropy %v", i, entropy)
		}
	}
}

func TestClassSharesAsProtobuf(t *testing.T) {
	var p emit.Protobuf
	value, schema, err := p.Encode(shared().Slice(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	m := readBack(t, value, schema)
	want := dynamicpb.NewMessage(m.Descriptor())
	if err := prototext.Unmarshal([]byte(`id:"ea" x:0 y:0.1 sigma:0.1 novelty_local:0.5 novelty_global:1e-09 class:"web" class_probability:0.75 map_epoch:3 model_version:7 map_id:"m-1"
		word:"w\"é\n\\xff" payload_bytes:0 class_entropy:0.5
		class_probabilities:{key:"web\"x" value:0.75} class_probabilities:{key:"dns" value:0.25}`), want); err != nil {
		t.Fatal(err, schema)
	}
	if got := prototext.Format(m); got != prototext.Format(want) {
		t.Errorf("got %s\nwant %s\n%s", got, prototext.Format(want), schema)
	}
}

// The names are reserved only if the output has these columns.
func TestClassSharesReserve(t *testing.T) {
	o := shared().Slice(0, 1)
	for _, name := range []string{emit.ClassProbabilitiesName, emit.ClassEntropyName} {
		o.Kept = []table.Column{table.StringColumn(name, []string{"mine"})}
		if _, err := emit.EncodeMessage(o); err == nil {
			t.Errorf("a kept column %s is written beside the stage's own", name)
		}
		if err := emit.CheckClassShares([]string{"a", name}); err == nil {
			t.Errorf("a kept column %s passes the check", name)
		}
	}
	o.ClassShares, o.ClassEntropy = nil, nil
	if _, err := emit.EncodeMessage(o); err != nil {
		t.Error(err)
	}
	o.Kept, o.ClassShares = nil, make([][]emit.ClassShare, 2)
	if _, err := emit.EncodeMessage(o); err == nil {
		t.Error("more maps than events are written")
	}
}
