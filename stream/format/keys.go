package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/registry"
)

// deleted returns the id of a record that is no more: that of its row, or else its key's.
func (d *Decoder) deleted(t *table.Table, m *stream.Message) (string, error) {
	if d.set.ID != "" && t != nil && t.Len() > 0 {
		if c, ok := t.Column(d.set.ID); ok && !c.IsNull(0) {
			return c.Text(0), nil
		}
	}
	return d.gone(m)
}

// gone returns the id that a message's key names. A key that cannot be read as anything
// else is the id as it is; the error is a *stream.UnavailableError.
func (d *Decoder) gone(m *stream.Message) (string, error) {
	if d.set.Format == Arrow {
		return string(m.Key), nil
	}
	r, value, err := d.keyReader(m)
	if err != nil {
		return "", err
	}
	if r != nil {
		if got, err := r.Decode(value, table.Origin{Position: m.Position()}); err == nil && got.Table.Len() == 1 {
			if c, ok := d.idOf(got.Table); ok && !c.IsNull(0) {
				return c.Text(0), nil
			}
		}
	}
	if id, ok := scalar(value); ok {
		return id, nil
	}
	return string(m.Key), nil
}

// scalar reads a JSON text or number, alone or as the payload of Connect's envelope.
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
	err := json.Unmarshal(key, &number)
	return number.String(), err == nil
}

// keyReader returns what reads a message's key, and what is to be read; nil for a key that
// is text.
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
	if registry.Framed(key) {
		key = key[registry.FrameSize:]
	}
	if trimmed := bytes.TrimSpace(key); len(trimmed) > 0 && trimmed[0] == '{' {
		return d.keys.json, trimmed, nil
	}
	return nil, key, nil
}

// idOf finds the column of the id in a key: that named as it, by its whole path or the last
// part of that, or the only one.
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
