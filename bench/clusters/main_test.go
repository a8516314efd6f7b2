package main

import (
	"strings"
	"testing"
)

// The table has a line for every recall. Exact clusters have no differences from themselves.
func TestSmall(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), []string{"-n", "1500", "-values", "10"}, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2+4 {
		t.Fatalf("%d lines:\n%s", len(lines), out.String())
	}
	for _, line := range lines[2:] {
		if strings.Contains(line, "| 1 |") && !strings.HasSuffix(line, "| 1.000000 | 0.00 % | 0 | 1.00000 |") {
			t.Errorf("exact clusters differ from themselves: %s", line)
		}
	}
}
