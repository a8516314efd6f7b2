package main

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"unfold/bench/internal/harness"
	"unfold/internal/vec"
)

// numbers reads a text file of numbers, a row per line, perhaps gzipped.
func numbers(path string) (vec.Matrix[float64], error) {
	var m vec.Matrix[float64]
	f, err := harness.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		words := strings.FieldsFunc(lines.Text(), func(c rune) bool { return c == ' ' || c == ',' || c == '\t' })
		for _, word := range words {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil && m.Rows == 0 {
				words = nil // names of columns
				m.Data = nil
				break
			} else if err != nil {
				return m, fmt.Errorf("%s: %w", path, err)
			}
			m.Data = append(m.Data, v)
		}
		if len(words) > 0 {
			m.Rows, m.Cols = m.Rows+1, len(words)
		}
	}
	if len(m.Data) != m.Rows*m.Cols {
		return m, fmt.Errorf("%s: rows of different lengths", path)
	}
	return m, lines.Err()
}

// columns returns some columns of m.
func columns(m vec.Matrix[float64], from, to int) vec.Matrix[float64] {
	out := vec.New[float64](m.Rows, to-from)
	for i := range m.Rows {
		copy(out.Row(i), m.Row(i)[from:to])
	}
	return out
}
