package format

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/registry"
)

// deleted returns the id of a deleted record: from its row, or else from its key.
func (d *Decoder) deleted(t *table.Table, m *stream.Message) (string, error) {
	if d.set.ID != "" && t != nil && t.Len() > 0 {
		if c, ok := t.Column(d.set.ID); ok && !c.IsNull(0) {
			return c.Text(0), table.CheckID(c, t.Origin)
		}
	}
	return d.gone(m)
}

// gone returns the id in a message's key. A key in no other form is the id itself. The error is a
// *stream.UnavailableError, or reports a number that cannot be an id.
func (d *Decoder) gone(m *stream.Message) (string, error) {
	if len(m.Key) == 0 {
		return "", table.Origin{Position: m.Position()}.Bad("a deletion has no key, so it names no event").Suggest("write the event's id as the key")
	}
	if d.set.Format != Arrow {
		r, value, err := d.keyReader(m)
		if err != nil {
			return "", err
		}
		if r != nil {
			if got, err := r.Decode(value, table.Origin{Position: m.Position()}); err == nil && got.Table.Len() == 1 {
				if c, ok := d.idOf(got.Table); ok && !c.IsNull(0) {
					return d.plainID(c.Text(0)), table.CheckID(c.Renamed("key: "+c.Name()), got.Table.Origin)
				}
			}
		}
		if id, ok := scalar(value); ok {
			return id, nil
		}
	}
	if n, ok := d.binary(m.Key); ok {
		return strconv.FormatInt(n, 10), nil
	}
	return string(m.Key), nil
}

// plainID returns the id in a MongoDB key, which is JSON in a text: text in quotes, or an object of
// one field such as {"$oid": "65"}.
func (d *Decoder) plainID(id string) string {
	if d.set.ID != "_id" || !strings.HasPrefix(id, `"`) && !strings.HasPrefix(id, `{"$`) {
		return id
	}
	var text string
	if json.Unmarshal([]byte(id), &text) == nil {
		return text
	}
	var extended map[string]json.RawMessage
	if json.Unmarshal([]byte(id), &extended) != nil || len(extended) != 1 {
		return id
	}
	for _, v := range extended {
		if json.Unmarshal(v, &text) == nil {
			return text
		}
		return string(v)
	}
	return id
}

// binary decodes keys of Kafka's integer serializers: 4 or 8 bytes, big-endian. The byte values
// distinguish them from text of that length. If ids are pinned to integers, only digits count as
// text.
func (d *Decoder) binary(key []byte) (n int64, ok bool) {
	if len(key) != 4 && len(key) != 8 {
		return 0, false
	}
	other := func(r rune) bool { return !unicode.IsPrint(r) }
	if pin := d.set.Spec.Types[d.set.ID]; d.set.ID != "" && (pin == record.Int || pin == record.Uint) {
		other = func(r rune) bool { return (r < '0' || r > '9') && r != '-' }
	}
	if utf8.Valid(key) && !bytes.ContainsFunc(key, other) {
		return 0, false
	}
	if len(key) == 4 {
		return int64(int32(binary.BigEndian.Uint32(key))), true
	}
	return int64(binary.BigEndian.Uint64(key)), true
}

// scalar decodes a JSON text or number, alone or as the payload of Connect's envelope.
func scalar(key []byte) (string, bool) {
	var v struct {
		Schema  json.RawMessage `json:"schema"`
		Payload json.RawMessage `json:"payload"`
	}
	if json.Unmarshal(key, &v) == nil && v.Schema != nil && v.Payload != nil {
		key = v.Payload
	}
	if string(bytes.TrimSpace(key)) == "null" {
		return "", false
	}
	var text string
	if json.Unmarshal(key, &text) == nil {
		return text, true
	}
	var number json.Number
	if json.Unmarshal(key, &number) != nil {
		return "", false
	}
	if v, err := number.Float64(); err == nil && strings.ContainsAny(number.String(), ".eE") && v == math.Trunc(v) && math.Abs(v) < table.ExactFloat {
		return strconv.FormatInt(int64(v), 10), true // as the same number in an event is written
	}
	return number.String(), true
}

// keyReader returns the decoder for a message's key, and the bytes to decode; nil for a key that is
// text.
func (d *Decoder) keyReader(m *stream.Message) (reader, []byte, error) {
	header, named := m.Header(registry.KeyHeader)
	if d.set.Registry != nil && (named || registry.Framed(m.Key)) {
		r, wire, err := d.keys.find(header, m.Key)
		var missing *stream.UnavailableError
		if errors.As(err, &missing) {
			return nil, nil, err
		}
		if err == nil {
			return r, wire.Value, nil
		}
	}
	key := m.Key
	if registry.Framed(key) && (len(key) != 8 || binary.BigEndian.Uint32(key[1:]) != 0) { // no registry has a schema 0
		key = key[registry.FrameSize:]
	}
	if trimmed := bytes.TrimSpace(key); len(trimmed) > 0 && trimmed[0] == '{' {
		return d.keys.json, trimmed, nil
	}
	return nil, key, nil
}

// idOf finds the id column in a key: the one with its name, by its whole path or the last part of
// that, or the only one.
func (d *Decoder) idOf(t *table.Table) (table.Column, bool) {
	if id := d.set.ID; id != "" {
		if c, ok := t.Column(id); ok {
			return c, true
		}
		if c, ok := t.Column(id[strings.LastIndexByte(id, '.')+1:]); ok {
			return c, true
		}
	}
	if all := t.Columns(); len(all) == 1 {
		return all[0], true
	}
	return table.Column{}, false
}
