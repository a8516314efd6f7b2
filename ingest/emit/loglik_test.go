package emit_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/ingesttest"
	"unfold/ingest/table"
)

// Every message format has the column of likelihoods if it is requested. Otherwise a kept column
// may have its name.
func TestLogLik(t *testing.T) {
	o := events(1, 2)
	o.Class, o.Probability, o.Version, o.LogLik = nil, nil, 7, []float32{-12.5}
	value, err := emit.EncodeMessage(o)
	if err != nil {
		t.Fatal(err)
	}
	if fast, err := (&emit.MessageWriter{}).Encode(o); err != nil || !bytes.Equal(fast, value) {
		t.Errorf("the fast writer writes something else: %v", err)
	}
	records, err := arrowfmt.DecodeMessage(value, ingesttest.Here(), arrowfmt.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if got := records.Schema().String(); !strings.Contains(got, "novelty_global float32, loglik float32, map_epoch uint32") {
		t.Errorf("columns %s", got)
	}
	if text, err := (emit.JSON{}).Encode(o); err != nil || !strings.Contains(string(text), `"loglik":-12.5,`) {
		t.Errorf("%s, %v", text, err)
	}
	v, m := inRegistryFormats(t, o)
	if v["loglik"] != float32(-12.5) {
		t.Errorf("Avro: %v", v)
	}
	if f := m.Descriptor().Fields().ByName("loglik"); f.Number() != 20 || m.Get(f).Float() != -12.5 {
		t.Errorf("Protobuf: %v at %d", m.Get(f), f.Number())
	}
	if back := o.Slice(0, 1); !slices.Equal(back.LogLik, o.LogLik) {
		t.Errorf("a slice has %v", back.LogLik)
	}

	mine := []table.Column{table.StringColumn(emit.LogLikName, []string{"mine"})}
	o.Kept = mine
	if _, err := emit.EncodeMessage(o); err == nil {
		t.Error("a kept column of that name is written beside the likelihoods")
	}
	o.LogLik = nil
	if _, err := emit.EncodeMessage(o); err != nil {
		t.Error(err)
	}
	if emit.CheckLogLik([]string{emit.LogLikName}) == nil || emit.CheckLogLik([]string{"a"}) != nil || emit.CheckKept("", []string{emit.LogLikName}) != nil {
		t.Error("the name is reserved where it is free, or free where it is reserved")
	}
	if w, _ := inRegistryFormats(t, o); !reflect.DeepEqual(w["loglik"], "mine") {
		t.Errorf("Avro: the kept column is %v", w["loglik"])
	}
}
