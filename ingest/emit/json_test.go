package emit_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"pgregory.net/rapid"

	"unfold/ingest/emit"
	"unfold/ingest/jsonrec"
	"unfold/ingest/table"
	"unfold/internal/vec"
)

// events returns n placed events with all columns.
func events(n, dims int) *emit.Output {
	o := &emit.Output{Embedding: vec.New[float32](n, dims), Epoch: 3, Version: 1<<63 + 1, MapID: "m-1"}
	ids, words := make([]string, n), make([]string, n)
	for i := range n {
		ids[i], words[i] = "e"+string(rune('a'+i)), "w\"é\n\xff"
		for k := range dims {
			o.Embedding.Row(i)[k] = float32(i) + float32(k)/10
		}
		o.Sigma = append(o.Sigma, 0.1)
		o.NoveltyLocal = append(o.NoveltyLocal, 0.5)
		o.NoveltyGlobal = append(o.NoveltyGlobal, 1e-9)
		o.Class = append(o.Class, "web")
		o.Probability = append(o.Probability, float32(math.NaN()))
	}
	o.ID = table.StringColumn("event", ids)
	o.Kept = []table.Column{table.StringColumn("word", words), table.Float64Column("payload.bytes", make([]float64, n))}
	return o
}

// An event has the expected JSON form.
func TestJSON(t *testing.T) {
	const rest = `"sigma":0.1,"novelty_local":0.5,"novelty_global":1e-09,"class":"web","class_probability":null,"map_epoch":3,"model_version":9223372036854775809,"map_id":"m-1"}`
	one := `{"id":"ea","word":"w\"é\n` + "\ufffd" + `","payload.bytes":0,"x":0,"y":0.1,` + rest
	bare := events(1, 1)
	bare.ID, bare.Kept, bare.Class, bare.Probability, bare.Sigma, bare.Version, bare.MapID, bare.FirstRow = table.Column{}, nil, nil, nil, nil, 0, "", 7
	for name, c := range map[string]struct {
		o    *emit.Output
		want string
	}{
		"one":      {events(1, 2), one},
		"several":  {events(2, 2), "[" + one + "," + strings.NewReplacer(`"ea"`, `"eb"`, `"x":0,"y":0.1`, `"x":1,"y":1.1`).Replace(one) + "]"},
		"none":     {events(0, 2), "[]"},
		"of three": {events(1, 3), strings.Replace(one, `"x":0,"y":0.1`, `"embedding":[0,0.1,0.2]`, 1)},
		"bare":     {bare, `{"id":7,"embedding":[0],"novelty_local":0.5,"novelty_global":1e-09}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := emit.JSON{}.Encode(c.o)
			if err != nil || string(got) != c.want || !json.Valid(got) {
				t.Errorf("%s, %v, want %s", got, err, c.want)
			}
		})
	}
}

// Pass copies the records as they are written and adds the output's fields.
func TestJSONPass(t *testing.T) {
	const added = `"sigma":0.1,"novelty_local":0.5,"novelty_global":1e-09,"class":"web","class_probability":null,"map_epoch":3,"model_version":9223372036854775809,"map_id":"m-1"`
	for _, c := range []struct {
		name, message string
		rows          int
		want          string
	}{
		{"no id", ` {"event": "ea" , "n":1.50} `, 1, `{"id":"ea","event": "ea" , "n":1.50,"x":0,"y":0.1,` + added + `}`},
		{"id", `{"id":"own"}`, 1, `{"id":"own","x":0,"y":0.1,` + added + `}`},
		{"nothing", `{ }`, 1, `{"id":"ea","x":0,"y":0.1,` + added + `}`},
		{"list", `[{"id":1}, {"id":2}]`, 2, `[{"id":1,"x":0,"y":0.1,` + added + `},{"id":2,"x":1,"y":1.1,` + added + `}]`},
		{"Connect", `{"schema":{"type":"struct"}, "payload": {"id":1}}`, 1, `{"id":1,"x":0,"y":0.1,` + added + `}`},
		{"Debezium", `{"payload":{"before":null,"after":{"id":1},"op":"c"},"schema":null}`, 1, `{"id":1,"x":0,"y":0.1,` + added + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			records, err := jsonrec.Records([]byte(c.message))
			if err != nil {
				t.Fatal(err)
			}
			got, err := emit.JSON{}.Pass(events(c.rows, 2), records)
			if err != nil || string(got) != c.want || !json.Valid(got) {
				t.Errorf("%s, %v, want %s", got, err, c.want)
			}
		})
	}
}

// Two fields with the same name are an error with advice.
func TestJSONClashes(t *testing.T) {
	kept := func(name string) *emit.Output {
		o := events(1, 2)
		o.Kept = append(o.Kept, table.Int64Column(name, []int64{1}))
		return o
	}
	for name, want := range map[string]string{"x": `column "x" cannot be kept in JSON`, "map_id": `column "map_id"`, "word": `two columns are called "word"`, "sigma": `column "sigma" cannot be kept`} {
		if _, err := (emit.JSON{}).Encode(kept(name)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	for _, field := range []string{"x", "y", "sigma", "map_id", `s\u0069gma`} {
		_, err := emit.JSON{}.Pass(events(1, 2), [][]byte{[]byte(`{"` + field + `":1}`)})
		if err == nil || !strings.Contains(err.Error(), "rename it in the source") {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := (emit.JSON{}).Pass(events(2, 2), [][]byte{[]byte(`{}`)}); err == nil {
		t.Error("fewer records than events were passed")
	}
}

// Numbers and texts are equal after reading back.
func TestJSONValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, d, s := rapid.Float32().Draw(t, "float32"), rapid.Float64().Draw(t, "float64"), rapid.String().Draw(t, "text")
		i, u := rapid.Int64().Draw(t, "int64"), rapid.Uint64().Draw(t, "uint64")
		o := &emit.Output{Embedding: vec.Matrix[float32]{Rows: 1, Cols: 2, Data: []float32{v, v}}, ID: table.StringColumn("id", []string{s}),
			Kept: []table.Column{table.Float64Column("d", []float64{d}), table.Int64Column("i", []int64{i}), table.Uint64Column("u", []uint64{u})}}
		text, err := emit.JSON{}.Encode(o)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			ID string
			X  *float32
			D  *float64
			I  int64
			U  uint64
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got.ID != s || got.I != i || got.U != u || got.X != nil && *got.X != v || got.D != nil && *got.D != d {
			t.Errorf("%s is %+v", text, got)
		}
	})
}

// TestJSONTypes: columns of every kind.
func TestJSONTypes(t *testing.T) {
	at := func(unit arrow.TimeUnit, zone string, v int64) table.Column {
		dt := &arrow.TimestampType{Unit: unit, TimeZone: zone}
		return table.NewColumn("v", table.FixedArray(dt, 1, arrow.Int64Traits.CastToBytes([]int64{v})))
	}
	lists := array.NewListBuilder(table.Heap, arrow.PrimitiveTypes.Int16)
	lists.Append(true)
	lists.ValueBuilder().(*array.Int16Builder).AppendValues([]int16{1, -2}, nil)
	null := array.NewStringBuilder(table.Heap)
	null.AppendNull()
	for want, c := range map[string]table.Column{
		`"1970-01-01T00:00:01.5Z"`: at(arrow.Millisecond, "UTC", 1500),
		`"1970-01-01T00:00:02"`:    at(arrow.Second, "", 2),
		`[1,-2]`:                   table.NewColumn("v", lists.NewArray()),
		`null`:                     table.NewColumn("v", null.NewArray()),
		`true`:                     table.BoolColumn("v", []bool{true}),
		`7`:                        table.Uint32Column("v", []uint32{7}),
		`-0.1`:                     table.Float32Column("v", []float32{-0.1}),
	} {
		got, err := emit.JSON{}.Encode(&emit.Output{Embedding: vec.New[float32](1, 1), Kept: []table.Column{c}})
		if err != nil || !strings.Contains(string(got), `"v":`+want+`,`) {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

// BenchmarkJSON writes a message of one event with 10 or more fields.
func BenchmarkJSON(b *testing.B) {
	o := events(1, 2)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := (emit.JSON{}).Encode(o); err != nil {
			b.Fatal(err)
		}
	}
}

func TestEncodeRowsJSON(t *testing.T) {
	b, err := table.NewTable(table.Origin{}, table.StringColumn("id", []string{"a", "b\"\n"}), table.Int64Column("n", []int64{1 << 60, -1}),
		table.ListColumn("v", vec.Matrix[float32]{Rows: 2, Cols: 2, Data: []float32{0.1, 2, -3, 1e-9}}), table.BoolColumn("ok", []bool{true, false}))
	if err != nil {
		t.Fatal(err)
	}
	rows := emit.EncodeRowsJSON(b)
	for i, want := range []string{`{"id":"a","n":1152921504606846976,"v":[0.1,2],"ok":true}`, `{"id":"b\"\n","n":-1,"v":[-3,1e-09],"ok":false}`} {
		if string(rows[i]) != want {
			t.Errorf("row %d is %s, expected %s", i+1, rows[i], want)
		}
	}
}
