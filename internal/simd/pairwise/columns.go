//go:build (amd64 || arm64) && !noasm

package pairwise

// checkColumns panics if the assembly would read beyond a slice.
func checkColumns(columns [][]float64, d, n int) {
	for _, c := range columns[:d] {
		_ = c[:n]
	}
}
