package format_test

import (
	"strings"
	"testing"

	"unfold/ingest/record"
	"unfold/stream"
	"unfold/stream/format"
)

// Ids of 64 bits that differ in the last digit are distinct, and a number that cannot be exact is
// rejected, not rounded.
func TestIDsAreExact(t *testing.T) {
	read := func(text string) (string, error) {
		spec := record.Spec{ID: "id", Paths: []string{"id", "v"}, Vector: "v"}
		got, err := decoder(t, format.Decoding{ID: "id", Spec: spec}).DecodeNow(t.Context(), &stream.Message{Value: []byte(text)})
		if err != nil {
			return "", err
		}
		c, _ := got.Table.Column("id")
		return strings.Join(c.Strings(), " "), nil
	}
	decimal := `{"schema": {"type": "struct", "fields": [{"field": "id", "type": "bytes", "name": "org.apache.kafka.connect.data.Decimal", "parameters": {"scale": "` + "%" + `"}}, ` +
		`{"field": "v", "type": "array", "items": {"type": "float"}}]}, "payload": {"id": "EtZE", "v": [1, 2]}}`
	for _, c := range []struct{ name, text, want, bad string }{
		{"neighbours", `[{"id": 9223372036854775808, "v": [1, 2]}, {"id": 9223372036854775809, "v": [1, 2]}, {"id": 18446744073709551615, "v": [1, 2]}]`, "9223372036854775808 9223372036854775809 18446744073709551615", ""},
		{"small and large", `[{"id": 7, "v": [1, 2]}, {"id": 18446744073709551615, "v": [1, 2]}]`, "7 18446744073709551615", ""},
		{"negative", `{"id": -9223372036854775808, "v": [1, 2]}`, "-9223372036854775808", ""},
		{"negative and beyond", `[{"id": -1, "v": [1, 2]}, {"id": 18446744073709551615, "v": [1, 2]}]`, "", `row 2, column "id"`},
		{"beyond and negative", `[{"id": 18446744073709551615, "v": [1, 2]}, {"id": -1, "v": [1, 2]}]`, "", `row 2, column "id"`},
		{"beyond all", `[{"id": 1, "v": [1, 2]}, {"id": 18446744073709551616, "v": [1, 2]}]`, "", "the id 18446744073709551616 is beyond 64 bits"},
		{"a decimal", strings.Replace(decimal, "%", "0", 1), "1234500", ""},
		{"a decimal of a whole", strings.Replace(decimal, "%", "2", 1), "12345", ""},
		{"a decimal with a fraction", strings.Replace(decimal, "%", "3", 1), "", `column "id": the decimal 1234.500 is no integer`},
	} {
		got, err := read(c.text)
		if c.bad == "" && (err != nil || got != c.want) {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
		if c.bad != "" && (err == nil || !strings.Contains(err.Error(), c.bad)) {
			t.Errorf("%s: %q, error %v; want %q", c.name, got, err, c.bad)
		}
	}
}
