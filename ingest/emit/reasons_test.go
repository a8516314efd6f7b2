package emit_test

import (
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/array"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/types/dynamicpb"

	"unfold/ingest"
	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// explained returns three events: with reasons, not explained, and explained with empty lists.
func explained() *emit.Output {
	o := events(3, 2)
	nan := math.NaN()
	o.Reasons = [][]emit.Reason{
		{
			{Column: "bytes", Share: 0.75, Direction: emit.Above, Value: 51000, Low: 12, High: 40},
			{Column: "service", Share: 0.25, Direction: emit.Other, Value: nan, Low: nan, High: nan, Text: true, Category: "x\"1", Expected: "http"},
		},
		nil,
		{},
	}
	o.Neighbors = [][]emit.Neighbor{{{ID: "e7", Distance: 0.5}, {ID: "12", Distance: 2}}, nil, {{ID: "e1", Distance: 1}}}
	return o
}

// first returns the first event alone.
func first() *emit.Output {
	o := explained().Slice(0, 1)
	o.Version = 7
	o.Probability[0] = 0.75
	return o
}

func TestReasonsAsJSON(t *testing.T) {
	got, err := emit.JSON{}.Encode(explained())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"class_probability":null,"reasons":[{"column":"bytes","share":0.75,"direction":"above","value":51000,"expected_low":12,"expected_high":40},` +
			`{"column":"service","share":0.25,"direction":"other","category":"x\"1","expected_category":"http"}],"neighbors":[{"id":"e7","distance":0.5},{"id":"12","distance":2}],"map_epoch":3`,
		`"reasons":null,"neighbors":null,"map_epoch":3`,
		`"reasons":[],"neighbors":[{"id":"e1","distance":1}],"map_epoch":3`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	if _, err := (emit.JSON{}).Pass(first(), [][]byte{[]byte(`{"id":1,"reasons":"mine"}`)}); err == nil || !strings.Contains(err.Error(), `"reasons"`) {
		t.Errorf("a record with a field of that name: %v", err)
	}
}

func TestReasonsAsArrow(t *testing.T) {
	value, err := emit.EncodeMessage(explained())
	if err != nil {
		t.Fatal(err)
	}
	back, err := arrowfmt.DecodeMessage(value, ingesttest.Here(), arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	checkReasons(t, back)
}

// checkReasons checks the nested columns of explained.
func checkReasons(t *testing.T, back *table.Table) {
	t.Helper()
	reasons, _ := back.Column(emit.ReasonsName)
	near, _ := back.Column(emit.NeighborsName)
	if !reasons.Valid() || !near.Valid() {
		t.Fatalf("the columns are %s", back.Schema())
	}
	lists := reasons.Array().(*array.List)
	items := lists.ListValues().(*array.Struct)
	if !reasons.IsNull(1) || reasons.IsNull(2) || lists.Len() != 3 || items.Len() != 2 || near.Array().(*array.List).ListValues().Len() != 3 {
		t.Errorf("reasons %v, neighbours %v", reasons.Array(), near.Array())
	}
	const want = `{["bytes" "service"] [0.75 0.25] ["above" "other"] [51000 (null)] [12 (null)] [40 (null)] [(null) "x\"1"] [(null) "http"]}`
	if got := items.String(); got != want {
		t.Errorf("reasons are\n%s, want\n%s", got, want)
	}
}

// written writes parts to a file with this extension and opens it.
func written(t *testing.T, ext string, parts ...*emit.Output) table.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "map"+ext)
	w, err := emit.Create(path, emit.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, part := range parts {
		if err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := ingest.Open(t.Context(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// Arrow files have reasons as nested columns, text and JSON files as JSON, and npy files not at
// all. Reading a Parquet file omits columns of records.
func TestReasonsInFiles(t *testing.T) {
	for _, ext := range []string{".arrow", ".parquet", ".csv", ".jsonl", ".npy"} {
		t.Run(ext, func(t *testing.T) {
			o := explained()
			o.Kept = o.Kept[1:]
			// Write two parts, of which the second has nulls instead of reasons.
			if ext == ".jsonl" {
				o = o.Slice(0, 2) // an empty JSON list may also be one of numbers
			}
			r := written(t, ext, o, o.Slice(1, 2))
			back, err := r.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			switch ext {
			case ".arrow":
				checkReasons(t, back.Slice(0, 3))
			case ".csv", ".jsonl":
				c, ok := back.Column(emit.ReasonsName)
				if !ok || !strings.Contains(c.Text(0), `"column":"bytes"`) || !strings.Contains(c.Text(0), `51000`) || c.Text(1) != "" {
					t.Errorf("the column is %q", c.Strings())
				}
			}
		})
	}
}

func TestReasonsAsAvro(t *testing.T) {
	var a emit.Avro
	for _, o := range []*emit.Output{first(), explained().Slice(1, 2), explained().Slice(2, 3)} {
		o.Version = 7
		s, value, err := a.Encode(nil, o)
		if err != nil {
			t.Fatal(err)
		}
		v := readAvro(t, s.Text, value)
		switch list := o.Reasons[0]; {
		case list == nil:
			if v["reasons"] != nil || v["neighbors"] != nil {
				t.Errorf("not explained: %v", v)
			}
		case len(list) == 0:
			if got := v["reasons"]; !reflect.DeepEqual(got, []any{}) {
				t.Errorf("explained by nothing: %#v", got)
			}
		default:
			want := []any{
				map[string]any{"column": "bytes", "share": 0.75, "direction": "above", "value": 51000.0, "expected_low": 12.0, "expected_high": 40.0, "category": nil, "expected_category": nil},
				map[string]any{"column": "service", "share": 0.25, "direction": "other", "value": nil, "expected_low": nil, "expected_high": nil, "category": "x\"1", "expected_category": "http"},
			}
			if got := v["reasons"]; !reflect.DeepEqual(got, want) {
				t.Errorf("reasons are %#v", got)
			}
			if got, want := v["neighbors"], []any{map[string]any{"id": "e7", "distance": float32(0.5)}, map[string]any{"id": "12", "distance": float32(2)}}; !reflect.DeepEqual(got, want) {
				t.Errorf("neighbours are %#v", got)
			}
		}
	}
}

func TestReasonsAsProtobuf(t *testing.T) {
	var p emit.Protobuf
	value, schema, err := p.Encode(first())
	if err != nil {
		t.Fatal(err)
	}
	m := readBack(t, value, schema)
	want := dynamicpb.NewMessage(m.Descriptor())
	if err := prototext.Unmarshal([]byte(`id:"ea" x:0 y:0.1 sigma:0.1 novelty_local:0.5 novelty_global:1e-09 class:"web" class_probability:0.75 map_epoch:3 model_version:7 map_id:"m-1"
		word:"w\"é\n\\xff" payload_bytes:0
		reasons:{column:"bytes" share:0.75 direction:"above" value:51000 expected_low:12 expected_high:40}
		reasons:{column:"service" share:0.25 direction:"other" category:"x\"1" expected_category:"http"}
		neighbors:{id:"e7" distance:0.5} neighbors:{id:"12" distance:2}`), want); err != nil {
		t.Fatal(err, schema)
	}
	if got := prototext.Format(m); got != prototext.Format(want) {
		t.Errorf("got %s\nwant %s\n%s", got, prototext.Format(want), schema)
	}
	for i := range 2 {
		o := explained().Slice(i+1, i+2)
		value, schema, err := p.Encode(o)
		if err != nil {
			t.Fatal(err)
		}
		if d := readBack(t, value, schema); d.Has(d.Descriptor().Fields().ByName("reasons")) {
			t.Errorf("an event without reasons has some: %v", d)
		}
	}
}

// Names of the columns of reasons are reserved only if there are reasons.
func TestReasonsReserve(t *testing.T) {
	o := first()
	o.Kept = []table.Column{table.StringColumn(emit.ReasonsName, []string{"mine"})}
	if _, err := emit.EncodeMessage(o); err == nil {
		t.Error("a kept column of that name is written beside the reasons")
	}
	o.Reasons, o.Neighbors = nil, nil
	if _, err := emit.EncodeMessage(o); err != nil {
		t.Error(err)
	}
	var p emit.Protobuf
	if _, schema, err := p.Encode(o); err != nil || !strings.Contains(schema, "optional string reasons = 100 ") {
		t.Errorf("%v\n%s", err, schema)
	}
	o.Neighbors = make([][]emit.Neighbor, 1)
	o.Kept = nil
	if _, err := emit.EncodeMessage(o); err == nil {
		t.Error("neighbours alone are written")
	}
	o.Reasons = make([][]emit.Reason, 2)
	if _, err := emit.EncodeMessage(o); err == nil {
		t.Error("more lists than events are written")
	}
	if err := emit.CheckReasons([]string{"a", emit.NeighborsName}); err == nil || emit.CheckReasons([]string{"a"}) != nil {
		t.Error(err)
	}
	if got := slices.Concat(first().Reasons, first().Slice(0, 0).Reasons); len(got) != 1 {
		t.Errorf("a slice has %d lists", len(got))
	}
}
