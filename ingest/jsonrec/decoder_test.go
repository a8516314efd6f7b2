package jsonrec

import (
	"strings"
	"testing"

	"unfold/ingest/record"
	"unfold/ingest/table"
)

// rows formats a table with one line per row, each with its columns and values.
func rows(t *table.Table) string {
	var lines []string
	for i := range t.Len() {
		var parts []string
		for _, c := range t.Columns() {
			text := c.Text(i)
			if c.IsNull(i) {
				text = "-"
			}
			parts = append(parts, c.Name()+"="+text)
		}
		lines = append(lines, strings.Join(parts, " "))
	}
	return strings.Join(lines, "\n")
}

var decoded = []struct {
	name, message string
	spec          record.Spec
	want          string
	deleted       bool
}{
	{name: "object", message: ` {"id": 7, "v": [0.5, -2e1], "ok": true, "s": "a\u00e9\ud83d\ude00\n", "n": null} `, want: "id=7 v=[0.5 -20] ok=true s=aé😀\n n=-"},
	{name: "nested", message: `{"a":{"b":{"c":1},"d":2.5}}`, want: "a.b.c=1 a.d=2.5"},
	{name: "paths in order", message: `{"a":{"b":1},"c":2,"d":3}`, spec: record.Spec{Paths: []string{"c", "a.b", "gone"}}, want: "c=2 a.b=1 gone=-"},
	{name: "name with a dot", message: `{"a.b":1}`, spec: record.Spec{Paths: []string{"a.b"}}, want: "a.b=1"},
	{name: "list of records", message: `[{"a":1},{"b":"x","a":2},{}]`, want: "a=1 b=-\na=2 b=x\na=- b=-"},
	{name: "integers become floats", message: `[{"a":1},{"a":1.5}]`, want: "a=1\na=1.5"},
	{name: "lists of others are left out", message: `{"tags":["a"],"objects":[{}],"none":[],"a":1}`, want: "none=- a=1"},
	{name: "own text by name", message: `{"tags":["a", 1],"o":{"x" : 1}}`, spec: record.Spec{Paths: []string{"tags", "o"}}, want: `tags=["a", 1] o={"x" : 1}`},
	{name: "own text and what is in it", message: `{"o":{"x":1}}`, spec: record.Spec{Paths: []string{"o", "o.x"}}, want: `o={"x":1} o.x=1`},
	{name: "no numbers in a list", message: `{"v":[1,null,"NaN","-Infinity"]}`, want: "v=[1 NaN NaN -Inf]"},
	{name: "bracket text", message: `{"v":"[1,2.5]"}`, want: "v=[1 2.5]"},
	{name: "comma text", message: `{"v":"1, 2.5"}`, spec: record.Spec{Vector: "v"}, want: "v=[1 2.5]"},
	{name: "base64 text", message: `{"v":"AACAPwAAAMA="}`, spec: record.Spec{Vector: "v"}, want: "v=[1 -2]"},
	{name: "pins", message: `{"i":"5","f":"1e3","b":"true","s":12345678901234567890123,"t":"1970-01-01T00:00:01Z","ms":1500}`,
		spec: record.Spec{Types: map[string]record.Type{"i": "int", "f": "float", "b": "bool", "s": "text", "t": "time", "ms": "time"}},
		want: "i=5 f=1000 b=true s=12345678901234567890123 t=1970-01-01 00:00:01Z ms=1970-01-01 00:00:01.5Z"},
	{name: "largest integers", message: `{"a":9223372036854775807,"b":-9223372036854775808,"c":9223372036854775808,"d":-0}`,
		want: "a=9223372036854775807 b=-9223372036854775808 c=9223372036854775808 d=0"},
	{name: "sparse", message: `{"v":{"dimensions":5,"vector":{"1":0.5,"5":2}}}`, want: "v=[0.5 0 0 0 2]"},
	{name: "sparse in pairs", message: `{"v":{"vector":[[2,1.5]],"dimensions":3}}`, want: "v=[0 1.5 0]"},
	{name: "entries", message: `[{"v":[{"index":3,"value":0.5},{"value":2,"index":-1}]},{"v":[]},{"v":null}]`, want: "v=[{index:3 value:0.5} {index:-1 value:2}]\nv=-\nv=-"},
	{name: "entries of the vector", message: `[{"v":[]},{"v":[{"index":3,"value":null}]}]`, spec: record.Spec{Vector: "v"}, want: "v=[]\nv=[{index:3 value:NaN}]"},
	{name: "entries of a file", message: `[{"v":[]},{"v":null}]`, spec: record.Spec{Types: map[string]record.Type{"v": record.Sparse}}, want: "v=[]\nv=-"},
	{name: "entries by name", message: `{"v":[{"index":3,"value":0.5}]}`, spec: record.Spec{Paths: []string{"v"}}, want: `v=[{"index":3,"value":0.5}]`},
	{name: "entries with more", message: `{"a":1,"v":[{"index":3,"value":0.5,"name":"x"}]}`, want: "a=1"},
	{name: "entries of halves", message: `{"a":1,"v":[{"index":3,"value":0.5},{"index":3}]}`, want: "a=1"},
	{name: "sparse by no means", message: `{"v":{"vector":[2],"dimensions":3}}`, want: "v.vector=[2] v.dimensions=3"},
	{name: "Connect without schema", message: `{"schema":null,"payload":{"id":1}}`, want: "id=1"},
	{name: "Connect, tombstone", message: `{"schema":{"type":"struct","fields":[{"field":"id","type":"int32"}]},"payload":null}`, deleted: true,
		spec: record.Spec{Paths: []string{"id"}}, want: "id=-"},
	{name: "Connect by its looks", message: `{"schema":1,"payload":{"id":1}}`, want: "schema=1 payload.id=1"},
	{name: "Connect's types", message: `{"payload":{"d":1,"t":1500,"m":1500000,"z":"1970-01-01T00:00:01.5Z","c":"Aw8=","b":"aGk=","v":{"scale":1,"value":"/w=="},"i":3,"f":3,"n":null},"schema":{"type":"struct","fields":[
		{"field":"d","type":"int32","name":"io.debezium.time.Date"},{"field":"t","type":"int64","name":"org.apache.kafka.connect.data.Timestamp"},
		{"field":"m","type":"int64","name":"io.debezium.time.MicroTimestamp"},{"field":"z","type":"string","name":"io.debezium.time.ZonedTimestamp"},
		{"field":"c","type":"bytes","name":"org.apache.kafka.connect.data.Decimal","parameters":{"scale":"2"}},{"field":"b","type":"bytes"},
		{"field":"v","type":"struct","name":"io.debezium.data.VariableScaleDecimal"},{"field":"i","type":"int64"},{"field":"f","type":"double"},{"field":"n","type":"string","optional":true}]}}`,
		want: "d=1970-01-02 00:00:00Z t=1970-01-01 00:00:01.5Z m=1970-01-01 00:00:01.5Z z=1970-01-01 00:00:01.5Z c=7.83 b=hi v=-0.1 i=3 f=3 n=-"},
	{name: "insert", message: `{"before":null,"after":{"id":1,"v":[1,2]},"source":{"lsn":5},"op":"c","ts_ms":9,"transaction":null}`, want: "id=1 v=[1 2]"},
	{name: "update", message: `{"op":"u","before":{"id":1,"a":1},"after":{"id":1,"a":2},"source":{}}`, want: "id=1 a=2"},
	{name: "snapshot", message: `{"op":"r","after":{"id":1},"source":{}}`, want: "id=1"},
	{name: "delete", message: `{"op":"d","before":{"id":1,"v":null},"after":null,"source":{},"ts_ms":1}`, deleted: true, want: "id=1 v=-"},
	{name: "delete of what is not known", message: `{"op":"d","before":null,"after":null}`, deleted: true, spec: record.Spec{Paths: []string{"id"}}, want: "id=-"},
	{name: "fields of a change", message: `{"op":"c","after":{"id":1,"op":"own"},"source":{"lsn":5},"ts_ms":9}`,
		spec: record.Spec{Paths: []string{"id", "op", "source.lsn", "ts_ms", "after.id"}}, want: "id=1 op=own source.lsn=5 ts_ms=9 after.id=1"},
	{name: "no change by its looks", message: `{"op":"c","after":{"id":1},"more":2}`, want: "op=c after.id=1 more=2"},
}

// Messages give the expected tables.
func TestDecode(t *testing.T) {
	for _, c := range decoded {
		t.Run(c.name, func(t *testing.T) {
			d := New(c.spec)
			for range 2 { // decode twice, to check that a reused parser gives the same result
				got, err := d.Decode([]byte(c.message), table.Origin{})
				if err != nil {
					t.Fatal(err)
				}
				if text := rows(got.Table); text != c.want || got.Deleted != c.deleted {
					t.Errorf("%s, deleted %t; want %s, %t", text, got.Deleted, c.want, c.deleted)
				}
			}
		})
	}
}

var refused = []struct {
	name, message string
	spec          record.Spec
	want          string
}{
	{name: "empty", message: " ", want: "the message is empty, at byte 2"},
	{name: "no record", message: `7`, want: `there is '7' where a record is expected, at byte 1; write an object`},
	{name: "no record in a list", message: `[{}, 7]`, want: `there is '7' where record 2 is expected, an object, at byte 6`},
	{name: "trailing", message: `{"a":1} {"a":2}`, want: `there is '{' behind the record, at byte 9; write one record per message`},
	{name: "truncated", message: `{"a":1`, want: `it ends where a comma or '}' is expected, at byte 7`},
	{name: "truncated text", message: `{"a":"x`, want: `the text that begins here has no end, at byte 6`},
	{name: "truncated list", message: `{"a":[1,`, want: `it ends where a value is expected, at byte 9`},
	{name: "trailing comma", message: `{"a":1,}`, want: `there is '}' where a field's name in quotes is expected, at byte 8`},
	{name: "no colon", message: `{"a" 1}`, want: `there is '1' where a colon is expected, at byte 6`},
	{name: "no value", message: `{"a":nul}`, want: `there is 'n' where a value is expected, at byte 6`},
	{name: "leading zero", message: `{"a":01}`, want: `a number begins with 0, at byte 6`},
	{name: "point alone", message: `{"a":1.}`, want: `there is '}' where a digit is expected, at byte 8`},
	{name: "no digits in a list", message: `{"a":[1,-]}`, want: `there is ']' where a digit is expected, at byte 10`},
	{name: "point alone in a list", message: `{"a":[1.,2]}`, want: `there is ',' where a digit is expected, at byte 9`},
	{name: "leading zero in a list", message: `{"a":[00.5]}`, want: `a number begins with 0, at byte 7`},
	{name: "no exponent", message: `{"a":[1e]}`, want: `there is ']' where a digit is expected, at byte 9`},
	{name: "bad escape", message: `{"a":"\x"}`, want: `a backslash does not begin an escape that JSON has, at byte 7`},
	{name: "control", message: "{\"a\":\"\n\"}", want: `the control character '\n' stands in a text, at byte 7`},
	{name: "not UTF-8", message: "{\"a\":\"\xff\"}", want: "it is not UTF-8, at byte 7"},
	{name: "byte order mark", message: "\xef\xbb\xbf{}", want: "the message begins with a byte order mark, at byte 1; write UTF-8 without it"},
	{name: "what nobody wants is JSON", message: `{"a":1,"b":[{"c":}]}`, spec: record.Spec{Paths: []string{"a"}}, want: `there is '}' where a value is expected, at byte 18`},
	{name: "twice", message: `{"a":1,"a":2}`, want: `the field "a" comes twice in its object, at byte 8`},
	{name: "object twice", message: `{"a":{"b":1},"a":{"c":2}}`, want: `the field "a" comes twice in its object, at byte 14`},
	{name: "one column by two ways", message: `{"a":{"b":1},"a.b":2}`, want: `row 1, column "a.b": it comes twice`},
	{name: "huge number", message: `{"a":1e999}`, want: `row 1, column "a": the number 1e999 is beyond a double's range, at byte 6`},
	{name: "huge number in a list", message: `{"a":[1,-1e999]}`, want: `row 1, column "a": the number -1e999 is beyond a double's range, at byte 9`},
	{name: "too deep", message: strings.Repeat(`{"a":`, 70) + "1" + strings.Repeat("}", 70), want: "values are nested more than 64 deep, at byte 321"},
	{name: "too deep to pass over", message: `{"b":` + strings.Repeat("[", 70), spec: record.Spec{Paths: []string{"a"}}, want: "values are nested more than 64 deep, at byte 69"},
	{name: "too many fields", message: `{"a":1,"b":2,"c":3}`, spec: record.Spec{Limits: record.Limits{Fields: 2}}, want: "the message has more than 2 fields; name the columns to use"},
	{name: "too many empty objects", message: `{"a":{},"b":{},"c":{}}`, spec: record.Spec{Limits: record.Limits{Fields: 2}}, want: "the message has more than 2 fields"},
	{name: "too many records", message: `[{},{},{}]`, spec: record.Spec{Limits: record.Limits{Rows: 2}}, want: "the message has more than 2 records"},
	{name: "too much", message: `{"a":[1,2,3,4,5,6,7,8,9]}`, spec: record.Spec{Limits: record.Limits{Memory: 150}}, want: "its values take more than 150 bytes"},
	{name: "too long", message: `{"a":1}`, spec: record.Spec{Limits: record.Limits{Bytes: 6}}, want: "the message has 7 bytes, at most 6 are allowed"},
	{name: "no vector", message: `{"v":["a"]}`, spec: record.Spec{Vector: "v"}, want: `row 1, column "v": a list that is not of numbers cannot be a value of type vector, at byte 6`},
	{name: "entries beside numbers", message: `[{"v":[1]},{"v":[{"index":3,"value":1}]}]`, spec: record.Spec{Vector: "v"}, want: `row 2, column "v": a list of entries cannot be a value of type vector`},
	{name: "a value beyond", message: `{"v":[{"index":3,"value":1e999}]}`, want: `column "v": the number 1e999 is beyond a double's range`},
	{name: "sparse beyond its dimensions", message: `{"v":{"dimensions":2,"vector":{"3":1}}}`, spec: record.Spec{Vector: "v"}, want: `column "v": it has element 3 of a sparse vector of 2 dimensions`},
	{name: "a date too far away", message: `{"schema":{"type":"struct","fields":[{"field":"d","type":"int32","name":"io.debezium.time.Date"}]},"payload":{"d":213503982334602}}`, want: `column "d": the date 213503982334602 is too far away`},
	{name: "truncate", message: `{"op":"t","before":null,"after":null,"source":{}}`, want: `Debezium's operation 't' holds no record, at byte 7; let the connector skip it`},
	{name: "insert of nothing", message: `{"op":"c","before":null,"after":null,"source":{}}`, want: `Debezium's operation 'c' has no record after it, at byte 7`},
	{name: "payload is no record", message: `{"schema":null,"payload":5}`, want: `there is '5' where the payload's record is expected, an object, at byte 26`},
	{name: "bad schema", message: `{"schema":{"type":5},"payload":{}}`, want: "Connect's schema cannot be read"},
	{name: "bytes that are none", message: `{"schema":{"type":"struct","fields":[{"field":"b","type":"bytes"}]},"payload":{"b":"?"}}`, want: `column "b": the schema says bytes, but "?" is no base64`},
}

// Errors have a description, a position and advice.
func TestRefused(t *testing.T) {
	for _, c := range refused {
		t.Run(c.name, func(t *testing.T) {
			d := New(c.spec)
			for range 2 {
				_, err := d.Decode([]byte(c.message), table.Origin{})
				if err == nil || !strings.Contains(err.Error(), c.want) || !table.IsBadInput(err) {
					t.Errorf("%v, want %s", err, c.want)
				}
			}
		})
	}
}

// JSON messages are recognized by their first bytes.
func TestLooks(t *testing.T) {
	for value, want := range map[string]bool{`{}`: true, " \n[": true, bom + "{": true, "": false, "7": false, "\x00{": false, "\xff\xff\xff\xff": false} {
		if Looks([]byte(value)) != want {
			t.Errorf("%q: want %t", value, want)
		}
	}
}
