package emit

import (
	"fmt"
	"slices"
)

// mapIDName is the field that holds the map's id.
const mapIDName = "map_id"

// placeFields are the fields that a place of so many dimensions has, in formats of one event a
// message, besides the columns of a map.
func placeFields(dims int) []string {
	if dims == 2 {
		return []string{mapIDName, "x", "y"}
	}
	return []string{mapIDName}
}

// CheckJSON says which kept column conflicts with the fields of a place of so many dimensions
// in JSON.
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

// checkFields is checkKept for an output, and that no two of its columns have one name.
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

// CheckAvro says which kept columns would have one name in Avro, or that of a field of a
// place of so many dimensions.
func CheckAvro(dims int, keep []string) error {
	seen := map[string]string{}
	for _, name := range append(placeFields(dims), reserved...) {
		seen[name] = name
	}
	for _, name := range keep {
		n := avroName(name)
		if was, there := seen[n]; there && name != IDName {
			return fmt.Errorf("column %q cannot be kept in Avro beside %q: both would be called %q; rename it in the input", name, was, n)
		}
		seen[n] = name
	}
	return nil
}
