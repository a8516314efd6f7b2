package serve

import (
	"net/http"

	"unfold/ingest/jsonrec"
	"unfold/ingest/record"
	"unfold/ingest/table"
)

// records decodes records as topics hold them.
func (m *Model) records(body []byte, l Limits) (rows, error) {
	spec := record.Spec{Vector: m.said.Vector, Limits: l.record()}
	if m.said.Vector != "" || len(m.said.Columns) > 0 {
		// What is not used may be anything.
		spec.Paths = m.wanted()
	}
	return m.recordsOf(body, spec, "")
}

// recordsOf decodes records, whose ids are that column.
func (m *Model) recordsOf(body []byte, spec record.Spec, id string) (rows, error) {
	got, err := jsonrec.New(spec).Decode(body, request)
	if err != nil {
		return rows{}, err
	}
	if got.Deleted {
		return rows{}, problemf(http.StatusUnprocessableEntity, "the record says that something was deleted, which has no place")
	}
	out := rows{Table: got.Table}
	if id != "" {
		out.ids, _ = got.Table.Column(id)
	}
	for _, name := range m.said.Passing {
		if c, there := got.Table.Column(name); there && empty(c) {
			out.lacking = append(out.lacking, name)
		}
	}
	return out, nil
}

// empty reports whether a column has no value.
func empty(c table.Column) bool {
	for i := range c.Len() {
		if !c.IsNull(i) {
			return false
		}
	}
	return true
}
