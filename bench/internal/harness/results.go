package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"unfold/internal/atomicfile"
	"unfold/internal/quantile"
)

// WriteJSON writes v atomically.
func WriteJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// Shown returns v rounded as format prints it, so that verdicts agree with the printed figures.
func Shown(format string, v float64) float64 {
	if x, err := strconv.ParseFloat(fmt.Sprintf(format, v), 64); err == nil {
		return x
	}
	return v
}

// Quantile returns the value that the given share of values does not exceed.
func Quantile(values []float64, share float64) float64 {
	return quantile.Of(slices.Sorted(slices.Values(values)), share)
}
