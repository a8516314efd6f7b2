package emit

import (
	"fmt"
	"slices"
)

// mapIDName is the field with the map's id.
const mapIDName = "map_id"

// placeFields returns the fields that a place with this number of dimensions has in formats of one
// event per message, in addition to the columns of a map.
func placeFields(dims int) []string {
	if dims == 2 {
		return []string{mapIDName, "x", "y"}
	}
	return []string{mapIDName}
}

// CheckJSON returns an error if a kept column has the name of a JSON field of a place with this
// number of dimensions.
func CheckJSON(dims int, keep []string) error { return checkKept("JSON", dims, keep) }

// CheckProtobuf is CheckJSON for Protobuf.
func CheckProtobuf(dims int, keep []string) error { return checkKept("Protobuf", dims, keep) }

func checkKept(format string, dims int, keep []string) error {
	own := placeFields(dims)
	for _, name := range keep {
		if slices.Contains(own, name) {
			return fmt.Errorf("column %q cannot be kept in %s: the place has a field of that name itself; rename it in the input", name, format)
		}
	}
	return nil
}

// checkFields is checkKept for an output, and also returns an error if two of its columns have the
// same name.
func (o *Output) checkFields(format string) error {
	names := make([]string, 0, 16) // on the stack, mostly
	for _, c := range o.Kept {
		if slices.Contains(names, c.Name()) {
			return fmt.Errorf("ingest: two columns are called %q", c.Name())
		}
		names = append(names, c.Name())
	}
	return checkKept(format, o.Embedding.Cols, names)
}

// CheckAvro returns an error if two kept columns have the same name in Avro, or one has the name of
// a field of a place with this number of dimensions.
func CheckAvro(dims int, keep []string) error {
	seen := map[string]string{}
	for _, name := range append(placeFields(dims), reserved...) {
		seen[name] = name
	}
	for _, name := range keep {
		n := avroName(name)
		if was, there := seen[n]; there && name != IDName {
			return fmt.Errorf("columns %q and %q cannot both be kept in Avro: both would be called %q; rename it in the input", name, was, n)
		}
		seen[n] = name
	}
	return nil
}
