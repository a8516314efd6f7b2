package ingest

import (
	"encoding/json"
	"fmt"
	"unfold/ingest/table"
)

// encoderVersion is the version of an encoder's JSON. Older versions stay
// readable; a newer one is an error.
const encoderVersion = 1

// encoderJSON is an encoder as it lies in a snapshot.
type encoderJSON struct {
	Version int          `json:"version"`
	Vector  string       `json:"vector,omitempty"`
	Dim     int          `json:"dim"`
	Log1p   bool         `json:"log1p,omitempty"`
	Element []scale      `json:"element,omitempty"`
	Columns []columnCode `json:"columns,omitempty"`
	Selection
}

// MarshalJSON writes the encoder in a versioned form.
func (e *Encoder) MarshalJSON() ([]byte, error) {
	return json.Marshal(encoderJSON{encoderVersion, e.vector, e.dim, e.log1p, e.element, e.columns, e.choice})
}

// UnmarshalJSON reads what MarshalJSON wrote, by this version of the program or
// an older one. It checks that the parts fit together.
func (e *Encoder) UnmarshalJSON(data []byte) error {
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return fmt.Errorf("encoder: %w", err)
	}
	if version.Version < 1 || version.Version > encoderVersion {
		return fmt.Errorf("encoder: version %d is not known, the newest known one is %d; it was written by a newer unfold: upgrade", version.Version, encoderVersion)
	}
	var j encoderJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("encoder: %w", err)
	}
	if err := j.validate(); err != nil {
		return fmt.Errorf("encoder: %w", err)
	}
	*e = Encoder{vector: j.Vector, columns: j.Columns, element: j.Element, log1p: j.Log1p, dim: j.Dim, choice: j.Selection}
	e.finish()
	if e.dim != j.Dim {
		return fmt.Errorf("encoder: its columns have %d elements, it says %d", e.dim, j.Dim)
	}
	return nil
}

func (j *encoderJSON) validate() error {
	switch {
	case j.Dim <= 0 || j.Dim > maxDim:
		return fmt.Errorf("a dimension of %d", j.Dim)
	case (j.Vector == "") == (len(j.Columns) == 0):
		return fmt.Errorf("it names neither or both of a vector column and plain columns")
	case len(j.Element) != 0 && len(j.Element) != j.Dim:
		return fmt.Errorf("%d scales for %d elements", len(j.Element), j.Dim)
	}
	for _, c := range j.Columns {
		if c.Kind != table.Number && c.Kind != table.Bool && c.Kind != table.Text {
			return fmt.Errorf("column %q has kind %d", c.Name, int(c.Kind))
		}
	}
	return nil
}
