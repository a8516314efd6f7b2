package stage

import (
	"fmt"
	"slices"
	"strings"

	"unfold/ingest/record"
	"unfold/stream/format"
)

// Pins returns the detected types of kept columns, quoted in the syntax of source.types. It returns
// nil if outputs are not Avro, or all types were known.
func (s *Seen) Pins() (pins []string) {
	if s.Output != format.Avro || s.Formats[format.JSON] == 0 {
		return nil
	}
	for _, c := range s.Columns {
		passes := slices.ContainsFunc([]string{"the id", "the label", "kept"}, func(role string) bool { return strings.Contains(c.Role, role) })
		t, known := record.TypeOf(c.Type())
		switch {
		case !passes || c.pinned:
			continue
		case !known && len(c.Types) == 2 && slices.Contains(c.Types, "int64") && slices.Contains(c.Types, "float64"):
			t = record.Float
		case !known && len(c.Types) > 1:
			t = record.Text
		case !known:
			continue
		}
		pins = append(pins, fmt.Sprintf("%q", c.Name+":"+string(t)))
	}
	return pins
}
