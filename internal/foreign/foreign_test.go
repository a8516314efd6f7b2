package foreign_test

import (
	"strings"
	"testing"

	"unfold/internal/foreign"
)

func TestRun(t *testing.T) {
	out := foreign.Run(t, `
import sys, pyarrow, pandas, polars, fastavro, openpyxl, confluent_kafka
print(sys.argv[1], pyarrow.array([1, None]).null_count)`, "nulls")
	if got := strings.TrimSpace(string(out)); got != "nulls 1" {
		t.Errorf("printed %q", got)
	}
}

func TestTry(t *testing.T) {
	_, complaint, err := foreign.Try(t, `raise SystemExit("no such thing")`)
	if err == nil || !strings.Contains(string(complaint), "no such thing") {
		t.Errorf("error %v, complaint %q", err, complaint)
	}
}
