package format

import (
	"bytes"
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
	if err != nil || r == nil {
		return string(m.Key), err
	}
	got, err := r.Decode(value, table.Origin{Position: m.Position()})
	if err != nil || got.Table.Len() != 1 {
		return string(m.Key), nil
	}
	if c, ok := d.idOf(got.Table); ok && !c.IsNull(0) {
		return c.Text(0), nil
	}
	return string(m.Key), nil
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
		return d.key, trimmed, nil
	}
	return nil, nil, nil
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
