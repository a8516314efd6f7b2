package serve

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"strings"

	"unfold/ingest/arrowfmt"
	"unfold/ingest/emit"
	"unfold/ingest/jsonrec"
	"unfold/ingest/record"
	"unfold/ingest/table"
	"unfold/stream"
)

// Format is the encoding of rows.
type Format int

// The formats. Auto detects the format by the first byte.
const (
	Auto Format = iota
	JSON
	Arrow
	// flat is JSON without the fields that all rows share: an object for one row, an array for
	// several.
	flat
)

// contentType returns the content type of a JSON or Arrow body.
func (f Format) contentType() string {
	if f == Arrow {
		return stream.ContentType
	}
	return emit.JSONType
}

// of returns the format of a body. Auto is detected.
func (f Format) of(body []byte) Format {
	if f != Auto {
		return f
	}
	if arrowfmt.Looks(body) {
		return Arrow
	}
	return JSON
}

// reader decodes the requests of a model.
type reader struct {
	m      *Model
	limits Limits
	arrow  *arrowfmt.Decoder
	// record reads records. vector and identified read records built from plain vectors, identified
	// with ids.
	record, vector, identified *jsonrec.Decoder
}

func newReader(m *Model, l Limits) *reader {
	// The body's length was checked before.
	limits := record.Limits{Bytes: math.MaxInt64, Memory: l.Memory}
	all := record.Spec{ID: m.idName(), Vector: m.said.Vector, Types: m.types, Limits: limits}
	if m.said.Vector != "" || len(m.said.Columns) > 0 {
		all.Paths = m.wanted() // unused fields may have any type
	}
	name, id := m.vectorName(), m.idName()
	return &reader{
		m: m, limits: l, arrow: &arrowfmt.Decoder{Limits: arrowfmt.Limits{Bytes: l.Body, Memory: l.Memory}}, record: jsonrec.New(all),
		vector:     jsonrec.New(record.Spec{Paths: []string{name}, Vector: name, Types: m.types, Limits: limits}),
		identified: jsonrec.New(record.Spec{Paths: []string{name, id}, ID: id, Vector: name, Types: m.types, Limits: limits}),
	}
}

type rows struct {
	*table.Table
	// ids are the ids that are not a column of the table.
	ids table.Column
	// lacking are requested columns that no row has.
	lacking []string
}

// decode parses a request into a table. All errors are client errors.
func (r *reader) decode(body []byte, f Format) (rows, error) {
	if f == Arrow {
		t, err := r.arrow.Decode(body, request)
		return rows{Table: t}, err
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return rows{}, request.Bad("the body is empty").Suggest(`send a record, an array of records, or {"vectors": [[...]]}`)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	if open, err := d.Token(); err == nil && open == json.Delim('{') {
		switch name, err := d.Token(); {
		case err == nil && (name == "vectors" || name == "ids"):
			return r.vectors(body)
		case err == nil && name == "records":
			return r.wrapped(d)
		}
	}
	return r.records(r.record, body, "")
}

// tooMany is the problem of a request with too many rows.
func tooMany(most int64) *Problem {
	return Problemf(http.StatusRequestEntityTooLarge, "the request has more than %d rows; send fewer at a time", most)
}

// malformed is the error of a body that is not JSON.
func malformed(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return request.Bad("the body is no JSON").Because(err)
}

// ended returns an error unless the object and the body end at this position.
func ended(d *json.Decoder) error {
	if _, err := d.Token(); err != nil {
		return malformed(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return request.Bad("something follows the object")
	}
	return nil
}

// wrapped decodes the value of the field records.
func (r *reader) wrapped(d *json.Decoder) (rows, error) {
	var text json.RawMessage
	if err := d.Decode(&text); err != nil {
		return rows{}, malformed(err)
	}
	if d.More() {
		return rows{}, request.Bad(`the object has other fields than "records"`)
	}
	if err := ended(d); err != nil {
		return rows{}, err
	}
	return r.records(r.record, text, "")
}

// vectors decodes {"vectors": [[...], ...], "ids": [...]} by converting it to records. The ids are
// optional.
func (r *reader) vectors(body []byte) (rows, error) {
	if len(r.m.said.Columns) > 0 {
		return rows{}, Problemf(http.StatusUnprocessableEntity, "this model has no vectors but columns: send records with %s", table.List(r.m.said.Columns))
	}
	parts := map[string]*elements{}
	d := json.NewDecoder(bytes.NewReader(body))
	d.Token() // {
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return rows{}, malformed(err)
		}
		name, _ := key.(string)
		if parts[name] != nil {
			return rows{}, request.BadColumn(name, "it comes twice")
		}
		first := map[string]string{"vectors": "[", "ids": `"-0123456789`}[name]
		if first == "" {
			return rows{}, request.BadColumn(name, `beside "vectors" there can be "ids" alone`)
		}
		if parts[name], err = readElements(d, name, first, r.limits.Rows); err != nil {
			return rows{}, err
		}
	}
	if err := ended(d); err != nil {
		return rows{}, err
	}
	vectors, ids := parts["vectors"], parts["ids"]
	if vectors == nil {
		return rows{}, request.BadColumn("vectors", "there are none")
	}
	if ids != nil && len(ids.ends) != len(vectors.ends) {
		return rows{}, request.Bad("%d ids for %d vectors", len(ids.ends), len(vectors.ends))
	}
	name, id := r.m.vectorName(), r.m.idName()
	if ids == nil {
		return r.records(r.vector, zip(name, vectors, "", nil), "")
	}
	return r.records(r.identified, zip(name, vectors, id, ids), id)
}

// elements are the raw elements of a JSON array.
type elements struct {
	text []byte
	ends []int
}

func (e *elements) at(i int) []byte {
	from := 0
	if i > 0 {
		from = e.ends[i-1]
	}
	return e.text[from:e.ends[i]]
}

// readElements reads an array whose elements start with one of the characters in first.
func readElements(d *json.Decoder, name, first string, most int64) (*elements, error) {
	if open, err := d.Token(); err != nil {
		return nil, malformed(err)
	} else if open != json.Delim('[') {
		return nil, request.BadColumn(name, "it is no array")
	}
	e := &elements{}
	var text json.RawMessage
	for i := 0; d.More(); i++ {
		if int64(i) == most {
			return nil, tooMany(most)
		}
		if err := d.Decode(&text); err != nil {
			return nil, malformed(err)
		}
		if strings.IndexByte(first, text[0]) < 0 {
			return nil, request.BadAt(i, name, "it is %s", map[bool]string{true: "no list of numbers", false: "neither text nor a number"}[first == "["])
		}
		e.text = append(e.text, text...)
		e.ends = append(e.ends, len(e.text))
	}
	if _, err := d.Token(); err != nil {
		return nil, malformed(err)
	}
	return e, nil
}

// zip combines vectors and ids into records. ids may be nil.
func zip(name string, vectors *elements, id string, ids *elements) []byte {
	quoted, _ := json.Marshal(name) // strings always encode
	quotedID, _ := json.Marshal(id)
	out := []byte{'['}
	for i := range vectors.ends {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, '{'), quoted...)
		out = append(append(out, ':'), vectors.at(i)...)
		if ids != nil {
			out = append(append(out, ','), quotedID...)
			out = append(append(out, ':'), ids.at(i)...)
		}
		out = append(out, '}')
	}
	return append(out, ']')
}
