package jsonrec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// specs returns the requests with which messages are tested.
func specs() []record.Spec {
	return []record.Spec{
		{},
		{Paths: []string{"id", "v", "after.id", "source.lsn", "a.b", "a"}, Vector: "v"},
		{Types: map[string]record.Type{"id": record.Text, "v": record.Vector, "a": record.Time}},
		{Types: map[string]record.Type{"v": record.Sparse}, Lists: true},
	}
}

// check tests properties that hold for arbitrary bytes.
func check(t interface{ Errorf(string, ...any) }, value []byte) {
	s := scanner{data: value, most: 10000}
	sound := s.skip()
	s.peek()
	sound = sound && s.at == len(value)
	// Python's json writes numbers that JSON does not have.
	named := bytes.Contains(value, []byte("NaN")) || bytes.Contains(value, []byte("Infinity"))
	if utf8.Valid(value) && sound != json.Valid(value) && !named {
		t.Errorf("%q: sound %t, encoding/json says %t", value, sound, json.Valid(value))
	}
	for i, spec := range specs() {
		d := New(spec)
		first, err := d.Decode(value, table.Origin{})
		if err != nil && !table.IsBadInput(err) {
			t.Errorf("spec %d: %q: %v is not said to be of the message", i, value, err)
		}
		if err == nil && !json.Valid(value) && !named {
			t.Errorf("spec %d: %q is not JSON", i, value)
		}
		if records, wrong := Records(value); err == nil && !first.Deleted && (wrong != nil || len(records) != first.Table.Len()) {
			t.Errorf("spec %d: %q: %d rows, %d records, %v", i, value, first.Table.Len(), len(records), wrong)
		}
		// Another message before it makes no difference.
		d.Decode([]byte(`{"z":{"y":1},"id":"x","v":[1],"a":{"b":true}}`), table.Origin{})
		again, err2 := d.Decode(value, table.Origin{})
		if fmt.Sprint(err) != fmt.Sprint(err2) || err == nil && (!first.Table.Record().Schema().Equal(again.Table.Record().Schema()) || rows(first.Table) != rows(again.Table)) {
			t.Errorf("spec %d: %q: %v, %v, and after another message %v, %v", i, value, first, err, again, err2)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, c := range decoded {
		f.Add([]byte(c.message))
	}
	for _, c := range refused {
		f.Add([]byte(c.message))
	}
	for _, file := range []string{"create.json", "update.schema.json", "delete.json", "key.schema.json", "truncate.json"} {
		f.Add(message(f, file))
	}
	f.Fuzz(func(t *testing.T, value []byte) { check(t, value) })
}

// Messages with bytes removed, repeated or changed are accepted exactly if encoding/json accepts
// them.
func TestMutated(t *testing.T) {
	var all []string
	for _, c := range decoded {
		all = append(all, c.message)
	}
	rapid.Check(t, func(t *rapid.T) {
		value := []byte(rapid.SampledFrom(all).Draw(t, "message"))
		for range rapid.IntRange(1, 3).Draw(t, "changes") {
			at := rapid.IntRange(0, len(value)-1).Draw(t, "at")
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				value[at] = rapid.SampledFrom([]byte(`{}[]",:\0123456789.eE+-ntfu `)).Draw(t, "byte")
			case 1:
				value = append(value[:at], value[min(len(value), at+rapid.IntRange(0, 8).Draw(t, "n")):]...)
			case 2:
				value = append(value[:at:at], append([]byte(rapid.SampledFrom(all).Draw(t, "other")), value[at:]...)...)
			case 3:
				value[at] = rapid.Byte().Draw(t, "byte")
			}
			if len(value) == 0 {
				return
			}
		}
		check(t, value)
	})
}

// Numbers are parsed as by strconv.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.Map(rapid.Float64(), func(v float64) string { return fmt.Sprint(v) }),
			rapid.Map(rapid.Float32(), func(v float32) string { return fmt.Sprint(v) }),
			rapid.Map(rapid.Int64(), func(v int64) string { return fmt.Sprint(v) }),
			rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?`),
			rapid.StringMatching(`-?(0|[1-9][0-9]{0,16})(\.[0-9]{1,16})?`),
		).Draw(t, "number")
		var want float64
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			return // beyond float64, or no finite number
		}
		got, err := New(record.Spec{Vector: "v"}).Decode([]byte(`{"v":[`+text+`,`+text+` ,`+text+`]}`), table.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		c, _ := got.Table.Column("v")
		for _, v := range table.VectorRows(c)(0) {
			if math.Float64bits(v) != math.Float64bits(want) {
				t.Errorf("%s is %v, want %v", text, v, want)
			}
		}
	})
}

// Texts are decoded as by encoding/json.
func TestTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		quoted := `"` + strings.Join(rapid.SliceOf(rapid.OneOf(
			rapid.SampledFrom([]string{`\n`, `\"`, `\\`, `\/`, `\b`, `\f`, `\r`, `\t`, `\ud83d\ude00`, `\ud83d`, `\ude00`, `\u00e9`, `\uD83Dx`, `\ud83d\u0041`, "é", "😀", "x", " "}),
			rapid.StringMatching(`[a-z]{1,9}`))).Draw(t, "parts"), "") + `"`
		want := map[string]any{}
		if err := json.Unmarshal([]byte(`{"a":`+quoted+`}`), &want); err != nil {
			t.Fatal(err)
		}
		got, err := New(record.Spec{Types: map[string]record.Type{"a": record.Text}}).Decode([]byte(`{"a":`+quoted+`}`), table.Origin{})
		if err != nil {
			t.Fatal(err)
		}
		c, _ := got.Table.Column("a")
		if !reflect.DeepEqual(c.Text(0), want["a"]) {
			t.Errorf("%s is %q, want %q", quoted, c.Text(0), want["a"])
		}
	})
}
