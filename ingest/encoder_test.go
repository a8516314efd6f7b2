package ingest_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"unfold/ingest"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

func parse(t testing.TB, text string) []ingest.ColumnSpec {
	specs, err := ingest.ParseColumns(text)
	if err != nil {
		t.Fatal(err)
	}
	return specs
}

// flows returns a small table of connections.
func flows(t testing.TB) *table.Table {
	records, err := table.NewTable(ingesttest.Here(),
		table.Int64Column("bytes", []int64{0, 10, 1000, 100000}),
		table.Float64Column("rate", []float64{0.5, -1.5, 0, 1}),
		table.BoolColumn("land", []bool{true, false, false, true}),
		table.StringColumn("proto", []string{"tcp", "udp", "tcp", "icmp"}),
		table.Int64Column("same", []int64{7, 7, 7, 7}),
		table.StringColumn("label", []string{"normal", "", "smurf", "normal"}),
		table.Int64Column("id", []int64{1, 2, 3, 4}),
	)
	if err != nil {
		t.Fatal(err)
	}
	return records
}

func fit(t testing.TB, m ingest.Mapping, tables ...*table.Table) *ingest.Encoder {
	t.Helper()
	f, err := ingest.NewFitter(m, tables[0].Schema())
	if err != nil {
		t.Fatal(err)
	}
	for _, records := range tables {
		if err := f.Add(records); err != nil {
			t.Fatal(err)
		}
	}
	e, err := f.Encoder()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEncodeByHand(t *testing.T) {
	records := flows(t)
	e := fit(t, ingest.Mapping{
		Columns:   parse(t, "bytes:log1p,rate:log1p:weight=2,land,proto:weight=0.5,same:standardize"),
		Selection: ingest.Selection{ID: "id", Keep: []string{"proto"}, Label: "label"},
	}, records)
	names := []string{"bytes", "rate", "land", "proto=icmp", "proto=tcp", "proto=udp", "proto=?", "same"}
	if e.Dim() != len(names) || !slices.Equal(e.Names(), names) {
		t.Fatalf("%d elements %v", e.Dim(), e.Names())
	}
	elements := e.Elements()
	if want := (ingest.Element{Column: "proto", Category: "tcp", Text: true}); len(elements) != e.Dim() || elements[4] != want || elements[0] != (ingest.Element{Column: "bytes"}) || elements[6].Category != "other" {
		t.Errorf("elements %+v", elements)
	}
	b, err := e.Encode(records)
	if err != nil {
		t.Fatal(err)
	}
	l := func(v float64) float32 { return float32(math.Log1p(v)) }
	want := []float32{
		0, 2 * l(0.5), 1, 0, 0.5, 0, 0, 0,
		l(10), -2 * l(1.5), 0, 0, 0, 0.5, 0, 0,
		l(1000), 0, 0, 0, 0.5, 0, 0, 0,
		l(100000), 2 * l(1), 1, 0.5, 0, 0, 0, 0,
	}
	for i, v := range b.X.Data {
		if math.Abs(float64(v-want[i])) > 1e-6 {
			t.Errorf("row %d, %s: %v, want %v", i/8, names[i%8], v, want[i])
		}
	}
	if b.ID.Text(3) != "4" || len(b.Kept) != 2 || b.Kept[0].Name() != "proto" || b.Kept[1].Name() != "label" || !slices.Equal(b.Label, []string{"normal", "", "smurf", "normal"}) {
		t.Errorf("passing through: %v, %d kept, %v", b.ID.Strings(), len(b.Kept), b.Label)
	}
}

func TestUnseenWordIsItsOwnElement(t *testing.T) {
	records := flows(t)
	e := fit(t, ingest.Mapping{Columns: parse(t, "proto"), MaxVocabulary: 2}, records)
	if got := strings.Join(e.Names(), " "); got != "proto=icmp proto=tcp proto=?" {
		t.Errorf("names %s", got)
	}
	other, _ := records.With(table.StringColumn("proto", []string{"udp", "new", "tcp", ""}))
	b, err := e.Encode(other)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 1}; !equal(b.X.Data, want) {
		t.Errorf("%v, want %v", b.X.Data, want)
	}
}

func TestStarAndMinus(t *testing.T) {
	records := flows(t)
	sel := ingest.Selection{ID: "id", Label: "label"}
	for text, want := range map[string]string{
		"*":             "bytes rate land same",
		"*,-same,-rate": "bytes land",
		"land,*":        "land bytes rate same",
		"proto,bytes":   "proto=icmp proto=tcp proto=udp proto=? bytes",
	} {
		e := fit(t, ingest.Mapping{Columns: parse(t, text), Selection: sel}, records)
		if got := strings.Join(e.Names(), " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestParseColumns(t *testing.T) {
	got := parse(t, `src_bytes:log1p:standardize, a\,b\:c :weight=0.5,*`)
	want := []ingest.ColumnSpec{{Name: "src_bytes", Log1p: true, Standardize: true}, {Name: "a,b:c", Weight: 0.5}, {Name: "*"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	for text, wrong := range map[string]string{
		"a,,b":        "a name is empty",
		"a:lg1p":      `did you mean "log1p"?`,
		"a:weight=-1": "not a positive number",
		"a:weight=x":  "not a positive number",
		"a:twice":     "options are log1p",
	} {
		if _, err := ingest.ParseColumns(text); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: error %v, want one with %q", text, err, wrong)
		}
	}
}

func TestMappingErrors(t *testing.T) {
	s := flows(t).Schema()
	for _, c := range []struct {
		m    ingest.Mapping
		want string
	}{
		{ingest.Mapping{Vector: "a", Columns: parse(t, "b")}, "name one or the other"},
		{ingest.Mapping{Columns: parse(t, "bytes,bytes")}, "named twice"},
		{ingest.Mapping{Columns: parse(t, "*,-bites")}, `did you mean "bytes"?`},
		{ingest.Mapping{Columns: parse(t, "*,-bytes,-rate,-land,-same,-id")}, "no column is left"},
		{ingest.Mapping{Columns: parse(t, "proto:log1p")}, "cannot be scaled"},
		{ingest.Mapping{Vector: "proto"}, "not a list of numbers"},
		{ingest.Mapping{MaxVocabulary: -1}, "must be positive"},
		{ingest.Mapping{Columns: parse(t, "bytes"), Selection: ingest.Selection{Keep: []string{"labl"}}}, `did you mean "label"?`},
	} {
		if _, err := ingest.NewFitter(c.m, s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// genTable draws a table of numbers, words and booleans.
func genTable(rt *rapid.T) *table.Table {
	n := rapid.IntRange(1, 30).Draw(rt, "rows")
	numbers, words, flags := make([]float64, n), make([]string, n), make([]bool, n)
	for i := range n {
		numbers[i] = rapid.Float64Range(-1e6, 1e6).Draw(rt, "number")
		words[i] = rapid.SampledFrom([]string{"a", "b", "c", "", "\xff", "é", "long word"}).Draw(rt, "word")
		flags[i] = rapid.Bool().Draw(rt, "flag")
	}
	records, err := table.NewTable(table.Origin{}, table.Float64Column("x", numbers), table.StringColumn("w", words), table.BoolColumn("f", flags))
	if err != nil {
		rt.Fatal(err)
	}
	return records
}

func genMapping(rt *rapid.T) ingest.Mapping {
	return ingest.Mapping{
		Columns: []ingest.ColumnSpec{
			{Name: "x", Log1p: rapid.Bool().Draw(rt, "log1p"), Standardize: rapid.Bool().Draw(rt, "standardize"), Weight: rapid.Float64Range(0, 3).Draw(rt, "weight")},
			{Name: "w"}, {Name: "f", Standardize: rapid.Bool().Draw(rt, "standardize")},
		},
		MaxVocabulary: rapid.IntRange(0, 3).Draw(rt, "vocabulary"),
	}
}

// Encoding is a pure function of encoder and record: the bits are the same in any batch, and after
// a JSON round trip of the encoder.
func TestEncodePure(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		records := genTable(rt)
		e := fit(t, genMapping(rt), records)
		whole, err := e.Encode(records)
		if err != nil {
			rt.Fatal(err)
		}
		text, err := json.Marshal(e)
		if err != nil {
			rt.Fatal(err)
		}
		again := new(ingest.Encoder)
		if err := json.Unmarshal(text, again); err != nil {
			rt.Fatal(err)
		}
		if !slices.Equal(again.Names(), e.Names()) {
			rt.Fatalf("names %v after JSON, %v before", again.Names(), e.Names())
		}
		cut := rapid.IntRange(0, records.Len()).Draw(rt, "cut")
		at := 0
		for _, part := range []*table.Table{records.Slice(0, cut), records.Slice(cut, records.Len())} {
			b, err := again.Encode(part)
			if err != nil {
				rt.Fatal(err)
			}
			if !equal(b.X.Data, whole.X.Data[at:at+len(b.X.Data)]) {
				rt.Fatal("a part is encoded otherwise than the whole")
			}
			at += len(b.X.Data)
		}
	})
}

// Standardized columns have mean 0 and variance 1 on the fitted rows, or are 0. Every word sets
// exactly one element.
func TestEncodeStatistics(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		records := genTable(rt)
		m := genMapping(rt)
		m.Columns[0].Standardize, m.Columns[0].Weight = true, 1
		e := fit(t, m, records)
		b, err := e.Encode(records)
		if err != nil {
			rt.Fatal(err)
		}
		var sum, sum2 float64
		for i := range b.Len() {
			row := b.X.Row(i)
			sum += float64(row[0])
			sum2 += float64(row[0]) * float64(row[0])
			ones := 0
			for k, name := range e.Names() {
				if strings.HasPrefix(name, "w=") && row[k] == 1 {
					ones++
				}
			}
			if ones != 1 {
				rt.Fatalf("row %d has %d words", i, ones)
			}
		}
		n := float64(b.Len())
		if math.Abs(sum/n) > 1e-5 || sum2 != 0 && math.Abs(sum2/n-1) > 1e-4 {
			rt.Fatalf("mean %v, variance %v", sum/n, sum2/n)
		}
	})
}

// Numbers whose squares underflow in float64 still have a mean and a deviation.
func TestStandardizeExtremes(t *testing.T) {
	for name, values := range map[string][]float64{
		"squares vanish": {1.4e-160, 2.2e-162, 7e-161, 3e-160},
		"growing":        {1e-170, 1e-160, 1, 1e30},
	} {
		records, err := table.NewTable(ingesttest.Here(), table.Float64Column("a", values))
		if err != nil {
			t.Fatal(err)
		}
		b, err := fit(t, ingest.Mapping{Columns: parse(t, "a:standardize")}, records).Encode(records)
		if err != nil {
			t.Fatal(err)
		}
		var sum, sum2 float64
		for i := range b.Len() {
			v := float64(b.X.Row(i)[0])
			sum, sum2 = sum+v, sum2+v*v
		}
		if n := float64(b.Len()); math.Abs(sum/n) > 1e-6 || math.Abs(sum2/n-1) > 1e-6 {
			t.Errorf("%s: mean %v, variance %v", name, sum/n, sum2/n)
		}
	}
}

// The vocabulary does not depend on the order of the rows.
func TestVocabularyIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 1, 40).Draw(rt, "words")
		other := rapid.Permutation(words).Draw(rt, "order")
		m := ingest.Mapping{Columns: []ingest.ColumnSpec{{Name: "w"}}, MaxVocabulary: 3}
		var names [2][]string
		for i, ws := range [][]string{words, other} {
			records, _ := table.NewTable(table.Origin{}, table.StringColumn("w", ws))
			names[i] = fit(t, m, records).Names()
		}
		if !slices.Equal(names[0], names[1]) {
			rt.Fatalf("%v and %v", names[0], names[1])
		}
	})
}

// An encoder in a snapshot of version 1 stays readable and encodes the same.
func TestEncoderVersion1(t *testing.T) {
	const frozen = `{"version":1,"dim":5,"columns":[
		{"name":"bytes","kind":"number","log1p":true,"scale":{"mean":4,"factor":0.5}},
		{"name":"land","kind":"boolean","scale":{"mean":0,"factor":1}},
		{"name":"proto","kind":"text","scale":{"mean":0,"factor":2},"words":["tcp","udp"]}],
		"id":"id","keep":["rate"],"label":"label"}`
	e := new(ingest.Encoder)
	if err := json.Unmarshal([]byte(frozen), e); err != nil {
		t.Fatal(err)
	}
	b, err := e.Encode(flows(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(b.X.Row(3)), fmt.Sprint([]float32{float32((math.Log1p(100000) - 4) / 2), 1, 0, 0, 2}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s := e.Selection(); s.ID != "id" || s.Label != "label" || !slices.Equal(s.Keep, []string{"rate"}) {
		t.Errorf("selection %+v", s)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(text), `{"version":1,`) {
		t.Errorf("written as %s", text)
	}
}

func TestEncoderRefusesBadJSON(t *testing.T) {
	for text, want := range map[string]string{
		`{"version":5,"vector":"v","dim":3}`:                                         "written by a newer unfold: upgrade",
		`{"version":2,"vector":"v","dim":3,"metric":"taxicab"}`:                      `the metric "taxicab" is not known`,
		`{"version":2,"vector":"v","dim":3,"metric":"haversine"}`:                    "the metric haversine of 3 elements",
		`{"version":2,"vector":"v","dim":3,"fill":[1]}`:                              "it fills 1 elements of 3",
		`{"version":2,"dim":1,"columns":[{"name":"a","kind":"number","period":-1}]}`: "a period of -1",
		`{"version":3,"vector":"v","dim":3,"shift":[1]}`:                             "it subtracts 1 finite numbers of 3 elements",
		`{"version":3,"vector":"v","dim":3,"blank":true}`:                            "an element for rows without a direction, with the metric euclidean",
		`{"vector":"v","dim":3}`:                                                     "version 0 is not known",
		`{"version":1,"vector":"v"}`:                                                 "a dimension of 0",
		`{"version":1,"dim":3}`:                                                      "neither or both",
		`{"version":1,"vector":"v","dim":3,"element":[{}]}`:                          "1 scales for 3 elements",
		`{"version":1,"dim":3,"columns":[{"name":"a","kind":"number"}]}`:             "1 elements, it says 3",
		`{"version":1,"dim":1,"columns":[{"name":"a","kind":"vector"}]}`:             "kind",
		`{"version":1,"dim":1,"columns":[{"name":"a","kind":"imaginary"}]}`:          "no kind of column",
		`{"version":"one"}`:                                                          "encoder",
	} {
		if err := json.Unmarshal([]byte(text), new(ingest.Encoder)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}

// The columns of a record deviate from those that were fitted.
func TestEncodeDrift(t *testing.T) {
	records := flows(t)
	e := fit(t, ingest.Mapping{Columns: parse(t, "bytes,proto")}, records)
	text, _ := records.With(table.StringColumn("bytes", []string{"1", " 2.5 ", "3e2", "-4"}))
	b, err := e.Encode(text)
	if err != nil {
		t.Fatalf("numbers as text: %v", err)
	}
	if got := []float32{b.X.Row(0)[0], b.X.Row(1)[0], b.X.Row(2)[0], b.X.Row(3)[0]}; !equal(got, []float32{1, 2.5, 300, -4}) {
		t.Errorf("numbers as text: %v", got)
	}
	bad, _ := records.With(table.StringColumn("bytes", []string{"1", "2", "many", "4"}))
	if _, err := e.Encode(bad); !table.IsBadInput(err) || !strings.Contains(err.Error(), `row 3, column "bytes": "many" is not a number`) {
		t.Errorf("error %v", err)
	}
	gone, _ := table.NewTable(ingesttest.Here(), table.Int64Column("byts", []int64{1}), table.StringColumn("proto", []string{"tcp"}))
	if _, err := e.Encode(gone); !table.IsBadInput(err) || !strings.Contains(err.Error(), `column "bytes": there is no such column; did you mean "byts"?`) {
		t.Errorf("error %v", err)
	}
}

func TestScaledVectors(t *testing.T) {
	records, _ := table.NewTable(ingesttest.Here(), vectors(0, 5, 2, 5, 4, 5))
	e := fit(t, ingest.Mapping{Standardize: true, Log1p: true}, records)
	b, err := e.Encode(records)
	if err != nil {
		t.Fatal(err)
	}
	var mean, sd float64
	for _, v := range []float64{0, 2, 4} {
		mean += math.Log1p(v) / 3
	}
	for _, v := range []float64{0, 2, 4} {
		sd += (math.Log1p(v) - mean) * (math.Log1p(v) - mean) / 3
	}
	sd = math.Sqrt(sd)
	for i, v := range []float64{0, 2, 4} {
		if want := (math.Log1p(v) - mean) / sd; math.Abs(float64(b.X.Row(i)[0])-want) > 1e-6 || b.X.Row(i)[1] != 0 {
			t.Errorf("row %d: %v, want %v and 0", i, b.X.Row(i), want)
		}
	}
}
