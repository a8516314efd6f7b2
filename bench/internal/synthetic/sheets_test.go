package synthetic

import (
	"math"
	"slices"
	"testing"
)

// The generated vectors are the same each time, finite, and in clusters.
func TestSheets(t *testing.T) {
	a, b := Sheets(500, 8), Sheets(500, 8)
	if !slices.Equal(a.Data, b.Data) {
		t.Error("the same seed gave other rows")
	}
	var mean, square float64
	for _, v := range a.Data {
		mean += float64(v) / float64(len(a.Data))
		square += float64(v) * float64(v) / float64(len(a.Data))
	}
	if math.IsNaN(square) || square < .5 || square > 5 || math.Abs(mean) > 1 {
		t.Errorf("mean %v, mean square %v", mean, square)
	}
}
