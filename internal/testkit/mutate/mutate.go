// Package mutate changes documents like damage or an attacker. The structure of a document is kept,
// so that a decoder gets far, and values become absurd. For model files use modeltest.Mutate.
package mutate

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// absurd are values that a decoder of numbers, texts and lists may not expect.
var absurd = []any{
	nil, true, "", "../../x", "\x00\x1b[2J", "1e308", strings.Repeat("a", 1<<16), []any{}, map[string]any{},
	json.Number("-1"), json.Number("0"), json.Number("1e308"), json.Number("-1e308"), json.Number("1e-320"), json.Number("0.5"),
	json.Number("2147483648"), json.Number("9223372036854775807"), json.Number("-9223372036854775808"), json.Number("18446744073709551615"), json.Number("1e400"),
}

// JSON returns a document with one to three changes: a value is absurd, missing, renamed, repeated
// or replaced by another. In one of ten documents bytes are changed instead. raw must be JSON.
func JSON(r *rand.Rand, raw []byte) []byte {
	if r.IntN(10) == 0 {
		return Bytes(r, raw)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		panic(err) // the caller passed invalid JSON
	}
	for range 1 + r.IntN(3) {
		doc = change(r, doc)
	}
	out, err := json.Marshal(doc)
	if err != nil {
		panic(err) // all values are valid in JSON
	}
	return out
}

// Bytes returns a document with some changed bytes, or without its end.
func Bytes(r *rand.Rand, raw []byte) []byte {
	out := bytes.Clone(raw)
	if len(out) == 0 || r.IntN(4) == 0 {
		return out[:r.IntN(len(out)+1)]
	}
	for range 1 + r.IntN(4) {
		out[r.IntN(len(out))] = byte(r.Uint32())
	}
	return out
}

// change makes one change in a value, or in a value inside it.
func change(r *rand.Rand, v any) any {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 || r.IntN(8) == 0 {
			break
		}
		keys := slices.Sorted(maps.Keys(v))
		key, other := keys[r.IntN(len(keys))], keys[r.IntN(len(keys))]
		switch r.IntN(8) {
		case 0:
			delete(v, key)
		case 1:
			v[key], v[other] = v[other], v[key]
		case 2:
			name := absurd[2+r.IntN(4)].(string)
			v[name] = v[key]
			delete(v, key)
		default:
			v[key] = change(r, v[key])
		}
		return v
	case []any:
		if len(v) == 0 || r.IntN(8) == 0 {
			break
		}
		i := r.IntN(len(v))
		switch r.IntN(6) {
		case 0:
			return slices.Delete(v, i, i+1)
		case 1:
			return append(v, v[i])
		default:
			v[i] = change(r, v[i])
		}
		return v
	}
	return absurd[r.IntN(len(absurd))]
}
