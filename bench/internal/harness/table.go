package harness

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
)

// Column returns a column of a CSV file with a header, by its name.
func Column(path, name string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(rows) == 0 || !slices.Contains(rows[0], name) {
		return nil, fmt.Errorf("%s has no column %s", path, name)
	}
	at, out := slices.Index(rows[0], name), make([]string, len(rows)-1)
	for i, r := range rows[1:] {
		out[i] = r[at]
	}
	return out, nil
}
