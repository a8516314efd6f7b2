package ingest

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"unfold/ingest/table"
	"unfold/internal/vec"
)

// encoderVersion is the version of an encoder's JSON. Older versions stay readable; a newer one is
// an error. Version 2 added metrics, fills, times, circles and tokens. Version 3 added subtraction
// in double precision and an element for rows without a direction. Version 4 added whitening. An
// encoder is written in the lowest sufficient version, so that older programs can read it.
const encoderVersion = 4

// encoderJSON is the JSON form of an encoder in a snapshot.
type encoderJSON struct {
	Version int          `json:"version"`
	Vector  string       `json:"vector,omitempty"`
	Dim     int          `json:"dim"`
	Log1p   bool         `json:"log1p,omitempty"`
	Element []scale      `json:"element,omitempty"`
	Columns []columnCode `json:"columns,omitempty"`
	Metric  Metric       `json:"metric,omitempty"`
	Fill    []float32    `json:"fill,omitempty"`
	Shift   []float64    `json:"shift,omitempty"`
	Precise bool         `json:"precise,omitempty"`
	Blank   bool         `json:"blank,omitempty"`
	White   *whitening   `json:"whiten,omitempty"`
	Selection
}

// MarshalJSON returns the encoder as versioned JSON.
func (e *Encoder) MarshalJSON() ([]byte, error) {
	j := encoderJSON{Version: 1, Vector: e.vector, Dim: e.dim, Log1p: e.log1p, Element: e.element, Columns: e.columns, Fill: e.fill, Shift: e.shift, Precise: e.precise, Blank: e.blank, White: e.white, Selection: e.choice}
	if e.metric.named() {
		j.Metric = e.metric
	}
	special := slices.ContainsFunc(e.columns, func(c columnCode) bool { return c.Kind == table.Time || c.Period > 0 || c.Tokens > 0 })
	if special || j.Metric != "" || j.Fill != nil {
		j.Version = 2
	}
	if j.Shift != nil || j.Precise || j.Blank {
		j.Version = 3
	}
	if j.White != nil {
		j.Version = 4
	}
	return json.Marshal(j)
}

// UnmarshalJSON parses JSON of this version or an older one. It checks that the parts are
// consistent.
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
	*e = Encoder{vector: j.Vector, columns: j.Columns, element: j.Element, log1p: j.Log1p, metric: j.Metric, fill: j.Fill, shift: j.Shift, precise: j.Precise, blank: j.Blank, white: j.White, inner: j.Dim, choice: j.Selection, kept: &j.Selection}
	if e.blank && e.vector != "" {
		e.inner--
	}
	e.finish()
	switch {
	case e.dim != j.Dim:
		return fmt.Errorf("encoder: its columns have %d elements, it says %d", e.dim, j.Dim)
	case e.fill != nil && len(e.fill) != e.inner:
		return fmt.Errorf("encoder: it fills %d elements of %d", len(e.fill), e.inner)
	case e.blank && !e.metric.directs():
		return fmt.Errorf("encoder: an element for rows without a direction, with the metric %s", e.Metric())
	case e.shift != nil && (len(e.shift) != e.dim || !vec.Finite(e.shift)):
		return fmt.Errorf("encoder: it subtracts %d finite numbers of %d elements", len(e.shift), e.dim)
	case (e.white != nil) != e.metric.whitens():
		return fmt.Errorf("encoder: a matrix goes with the metric %s, and this is %s", Mahalanobis, e.Metric())
	case len(e.element) != 0 && len(e.element) != e.inner:
		return fmt.Errorf("encoder: %d scales for %d elements", len(e.element), e.inner)
	case e.metric == Haversine && (e.inner != 2 || e.vector != ""):
		return fmt.Errorf("encoder: the metric haversine of %d elements", e.inner)
	}
	if e.white != nil {
		if err := e.white.validate(e.inner); err != nil {
			return fmt.Errorf("encoder: %w", err)
		}
	}
	return nil
}

func (j *encoderJSON) validate() error {
	switch {
	case j.Dim <= 0 || j.Dim > maxDim:
		return fmt.Errorf("a dimension of %d", j.Dim)
	case (j.Vector == "") == (len(j.Columns) == 0):
		return fmt.Errorf("it names neither or both of a vector column and plain columns")
	}
	for _, c := range j.Columns {
		switch {
		case c.Kind != table.Number && c.Kind != table.Bool && c.Kind != table.Text && c.Kind != table.Time:
			return fmt.Errorf("column %q has kind %d", c.Name, int(c.Kind))
		case !(c.Period >= 0) || math.IsInf(c.Period, 0) || c.Tokens < 0 || c.Tokens > maxTokens:
			return fmt.Errorf("column %q has a period of %v and %d tokens", c.Name, c.Period, c.Tokens)
		}
	}
	return j.Metric.Check()
}
