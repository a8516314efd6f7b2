package ingest

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"unfold/ingest/table"
)

// TestDecodeExactly: all numbers with few digits are equal after encoding and decoding.
func TestDecodeExactly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		digits := rapid.IntRange(-99999, 99999).Draw(rt, "digits")
		v := float64(digits) * math.Pow10(rapid.IntRange(-3, 3).Draw(rt, "power"))
		c := columnCode{Name: "bytes", Kind: table.Number, Log1p: rapid.Bool().Draw(rt, "log"), Scale: scale{
			Mean: rapid.Float64Range(-3, 3).Draw(rt, "mean"), Factor: rapid.Float64Range(0.1, 5).Draw(rt, "factor")}}
		e := &Encoder{columns: []columnCode{c}}
		e.finish()
		w := v
		if c.Log1p {
			w = log1p(w)
		}
		element := float32((w - c.Scale.Mean) * c.Scale.Factor)
		got := e.DecodeExactly(0, element)
		again := got
		if c.Log1p {
			again = log1p(again)
		}
		if float32((again-c.Scale.Mean)*c.Scale.Factor) != element {
			rt.Errorf("%v comes back as %v, which is another element", v, got)
		}
		if loose := e.Decode(0, float64(element)); math.Abs(loose-got) > 1e-5*(1+math.Abs(v)) {
			rt.Errorf("%v is decoded as %v, exactly as %v", v, loose, got)
		}
	})
	e := &Encoder{columns: []columnCode{
		{Name: "bytes", Kind: table.Number, Log1p: true, Scale: scale{3.7, 0.4}},
		{Name: "rate", Kind: table.Number, Scale: scale{0.31, 2.2}},
		{Name: "same", Kind: table.Number, Scale: scale{7, 0}},
		{Name: "service", Kind: table.Text, Scale: scale{0, 2}, Categories: []string{"http", "ftp"}},
	}}
	e.finish()
	for source, values := range [][]float64{{0, 12, 40, 51000, 1}, {0, 0.17, 1, 0.03}} {
		log, s := e.code(source)
		for _, v := range values {
			w := v
			if log {
				w = log1p(w)
			}
			if got := e.DecodeExactly(source, float32((w-s.Mean)*s.Factor)); got != v {
				t.Errorf("source %d: %v comes back as %v", source, v, got)
			}
		}
	}
	if got := e.DecodeExactly(2, 0); got != 7 {
		t.Errorf("a column without variance is %v", got)
	}
}

func TestSources(t *testing.T) {
	e := &Encoder{columns: []columnCode{{Name: "bytes", Kind: table.Number}, {Name: "service", Kind: table.Text, Categories: []string{"http", "ftp"}}, {Name: "up", Kind: table.Bool}}}
	e.finish()
	want := []Source{{"bytes", "bytes", table.Number, 0, 1}, {"service", "service", table.Text, 1, 4}, {"up", "up", table.Bool, 4, 5}}
	for i, s := range e.Sources() {
		if s != want[i] {
			t.Errorf("source %d is %+v, want %+v", i, s, want[i])
		}
	}
	if word, ok := e.Category(1, 1); word != "ftp" || !ok {
		t.Errorf("category 1 is %q, %v", word, ok)
	}
	if word, ok := e.Category(1, 2); word != "" || ok {
		t.Errorf("the last category is %q, %v", word, ok)
	}
	v := &Encoder{vector: "embedding", dim: 3, element: []scale{{0, 1}, {0, 1}, {5, 2}}}
	if s := v.Sources(); len(s) != 3 || s[2] != (Source{"embedding[2]", "embedding", table.Number, 2, 3}) {
		t.Errorf("the elements are %+v", s)
	}
	if got := v.Decode(2, 4); got != 7 {
		t.Errorf("element 2 is %v, want 7", got)
	}
	if got := (&Encoder{vector: "embedding", dim: 3}).Decode(2, 4); got != 4 {
		t.Errorf("an element that is not scaled is %v, want 4", got)
	}
}
