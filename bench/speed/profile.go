package main

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// stageParts are what a stage does, by the functions that do it and call none of the
// others; placing has goroutines of its own.
var stageParts = []struct {
	what      string
	functions []string
}{
	{"placing", []string{"unfold/stream/online.(*placing).placeAll", "unfold/sparse/par.Do.func1"}},
	{"decoding messages", []string{"unfold/ingest.(*Decoder).Decode"}},
	{"taking vectors out of them", []string{"unfold/stream/online.(*events).encode"}},
	{"writing messages", []string{"unfold/ingest.(*MessageWriter).Encode"}},
	{"the reference set", []string{"unfold/stream/online.(*Learner).Offer"}},
	{"Kafka's protocol", []string{"unfold/stream/kafka.(*generation).Fetch", "unfold/stream/kafka.(*Sink).Write", "unfold/stream/kafka.(*Sink).Write.func1",
		"unfold/stream/kafka.(*generation).Transact", "github.com/segmentio/kafka-go.(*conn).run"}},
	{"collecting garbage", []string{"runtime.gcBgMarkWorker", "runtime.bgsweep"}},
}

// profileShares reads shares of processor time out of a profile, with Go's tool.
func profileShares(ctx context.Context, path string) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount=100000", "-nodefraction=0", path).Output()
	if err != nil {
		return "", fmt.Errorf("go tool pprof: %w", err)
	}
	return sharesOf(string(out)), nil
}

// sharesOf lists the parts with their shares, out of what pprof -top -cum prints: flat,
// flat%, sum%, cum, cum%, function.
func sharesOf(top string) string {
	shares := map[string]float64{}
	for line := range strings.Lines(top) {
		fields := strings.Fields(line)
		if len(fields) < 6 {
			continue
		}
		if share, err := strconv.ParseFloat(strings.TrimSuffix(fields[4], "%"), 64); err == nil {
			shares[fields[5]] = share
		}
	}
	var parts []string
	rest := 100.
	for _, p := range stageParts {
		share := 0.
		for _, f := range p.functions {
			share += shares[f]
		}
		rest -= share
		parts = append(parts, fmt.Sprintf("%s %.0f%%", p.what, share))
	}
	return strings.Join(append(parts, fmt.Sprintf("all else %.0f%%", max(0, rest))), ", ")
}
