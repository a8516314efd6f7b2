package serve

import (
	"net/http"

	"unfold/ingest/jsonrec"
	"unfold/ingest/table"
)

// records decodes records in the format of topics. id is the column of ids; "" means the model's id
// column.
func (r *reader) records(d *jsonrec.Decoder, body []byte, id string) (rows, error) {
	got, err := d.Decode(body, request)
	if err != nil {
		return rows{}, err
	}
	if got.Deleted {
		return rows{}, Problemf(http.StatusUnprocessableEntity, "the record says that something was deleted, which has no place")
	}
	out := rows{Table: got.Table}
	if id != "" {
		out.ids, _ = got.Table.Column(id)
	}
	for _, name := range r.m.said.Passing {
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
