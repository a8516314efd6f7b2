package jsonrec

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unfold/ingest/input"
	"unfold/ingest/record"
	"unfold/ingest/table"
)

// readFile reads a file with this text completely.
func readFile(t *testing.T, text string, opts FileOptions) (schema, all string, err error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	in, err := input.Open(t.Context(), path, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	opts.BatchRows = 2
	r, err := NewReader(in, opts, nil)
	if err != nil {
		return "", "", err
	}
	var lines []string
	for {
		next, err := r.Next(context.Background())
		if err == io.EOF {
			return r.Schema().String(), strings.Join(lines, "\n"), nil
		}
		if err != nil {
			return "", "", err
		}
		if got := next.Schema().String(); got != r.Schema().String() {
			t.Errorf("a table has columns %s, the reader %s", got, r.Schema())
		}
		lines = append(lines, rows(next))
	}
}

// Files give the expected tables.
func TestFiles(t *testing.T) {
	for _, c := range []struct {
		name, text   string
		opts         FileOptions
		schema, want string
	}{
		{"lines", "{\"a\":1,\"v\":[1,2]}\n\n{\"v\":[0.5],\"b\":{\"c\":\"x\"}}\r\n{}", FileOptions{},
			"a int64, v list<float64>, b.c string", "a=1 v=[1 2] b.c=-\na=- v=[0.5] b.c=x\na=- v=- b.c=-"},
		{"list", "\xef\xbb\xbf [\n {\"a\" : \"}{\"} ,\n{\"a\":\"\\\"]\"}\n]\n", FileOptions{}, "a string", "a=}{\na=\"]"},
		{"one behind the other", `{"a":{"b":1}}{"a":{"b":2}} {"a":{}}`, FileOptions{}, "a.b int64", "a.b=1\na.b=2\na.b=-"},
		{"types of all", `{"a":1,"b":true,"c":null,"d":1}{"a":1.5,"b":1,"c":null,"d":"x"}{"d":false}`, FileOptions{},
			"a float64, b string, c string, d string", "a=1 b=true c=- d=1\na=1.5 b=1 c=- d=x\na=- b=- c=- d=false"},
		{"vectors as text", `{"v":"[1,2]"}{"v":[3]}`, FileOptions{}, "v list<float64>", "v=[1 2]\nv=[3]"},
		{"types that are set", `{"a":1,"b":"2"}`, FileOptions{Types: map[string]record.Type{"a": record.Text, "b": record.Float}}, "a string, b float64", "a=1 b=2"},
		{"fields behind the look", "{\"a\":1}\n{\"a\":2,\"b\":3}", FileOptions{LookBytes: 8}, "a int64", "a=1\na=2"},
		{"envelopes are objects", `{"payload":{"after":{"id":1}},"schema":null}`, FileOptions{}, "payload.after.id int64, schema string", "payload.after.id=1 schema=-"},
		{"lists of texts, some empty or missing", `{"a":null} {"a":[]} {"a":["x"]} {"a":[null]}`, FileOptions{}, "a string", "a=-\na=[]\na=[\"x\"]\na=[null]"},
		{"none", "[]", FileOptions{}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema, all, err := readFile(t, c.text, c.opts)
			if err != nil || schema != c.schema || all != c.want {
				t.Errorf("%s\n%s, %v; want %s\n%s", schema, all, err, c.schema, c.want)
			}
		})
	}
}

// Errors of bad files have a description, row, line and advice.
func TestBadFiles(t *testing.T) {
	for _, c := range []struct {
		name, text string
		opts       FileOptions
		want       string
	}{
		{"no JSON", "{\"a\":1}\n{\"a\":}\n", FileOptions{}, "row 2 (line 2): there is '}' where a value is expected, at byte 6"},
		{"truncated", "{\"a\":1}\n{\"a\":1", FileOptions{}, "row 2 (line 2): the record that begins here has no end"},
		{"truncated list", `[{"a":1}`, FileOptions{}, "(line 1): the list of records has no end; the file is truncated"},
		{"comma", `[{"a":1},]`, FileOptions{}, `there is ']' where a record is expected, an object`},
		{"no comma", `[{"a":1}{"a":1}]`, FileOptions{}, `there is '{' where a comma or ']' is expected`},
		{"behind the list", "[{}]\n{}", FileOptions{}, "(line 2): there is '{' behind the list of records"},
		{"no object", "{}\n7", FileOptions{}, "row 2 (line 2): there is '7' where a record is expected"},
		{"twice", "{\"a\":1,\"a\":2}", FileOptions{}, `row 1 (line 1): the field "a" comes twice in its object, at byte 8`},
		{"not UTF-8", "{}\n{\"a\":\"\xff\"}", FileOptions{}, "row 2 (line 2): it is not UTF-8, at byte 7"},
		{"a type that comes later", "{\"a\":1}\n{\"a\":1}\n{\"a\":\"x\"}", FileOptions{LookBytes: 8}, `row 3 (line 3), column "a": the text "x" cannot be a value of type int`},
		{"unknown column", `{"abc":1}`, FileOptions{Types: map[string]record.Type{"abd": record.Int}}, `column "abd": there is no such column; did you mean "abc"?`},
		{"vectors beside ids", `{"embeddings":[[1,2],[3,4]],"ids":[0,1]}`, FileOptions{}, `no record; its records may be in the list "embeddings"; write a record a line, for instance by jq -c '.embeddings[]'`},
		{"an API's answer", `{"object":"list","data":[{"index":0,"embedding":[1,2]}],"usage":{"total_tokens":4}}`, FileOptions{}, `its records may be in the list "data"`},
		{"vectors by name", `{"a":[1,2],"b":[3,4],"c":[5,6]}`, FileOptions{}, `a vector for each of 3 names, no record; write a record a line: jq -c 'to_entries[] | {id: .key, vector: .value}'`},
		{"pandas' split", `{"columns":["a","b"],"index":[0,1],"data":[[1,2],[3,4]]}`, FileOptions{}, `its records may be in the list "data"`},
		{"pandas' table", `{"schema":{"fields":[{"name":"a"}],"pandas_version":"1.4.0"},"data":[{"a":1},{"a":2}]}`, FileOptions{}, `its records may be in the list "data"`},
		{"columns, not records", `{"a":{"0":1,"1":2},"b":{"0":1,"1":2}}`, FileOptions{}, "this is one JSON object that holds others, no record; write an object a line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, all, err := readFile(t, c.text, c.opts)
			if err == nil || !strings.Contains(err.Error(), c.want) || !table.IsBadInput(err) {
				t.Errorf("%s, %v, want %s", all, err, c.want)
			}
		})
	}
}
