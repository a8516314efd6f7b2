package relay

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
)

// Placing is the part of a stage that places events.
const Placing = "placing"

// parts are the parts of a stage, each with the functions that perform it and do not call each
// other. Placing has goroutines of its own.
var parts = []struct {
	name      string
	functions []string
}{
	{Placing, []string{"unfold/stream/embed.(*Map).Vectors", "unfold/stream/embed.(*Map).join", "unfold/internal/par.Do.func1"}},
	{"decoding messages", []string{"unfold/stream/format.(*Decoder).Decode"}},
	{"taking vectors out of them", []string{"unfold/stream/embed.(*Events).Encode"}},
	{"writing messages", []string{"unfold/stream/format.(*Encoder).Encode"}},
	{"the reference set", []string{"unfold/stream/learn.(*intake).Offer"}},
	{"Kafka's protocol", []string{"unfold/stream/kafka.(*generation).Fetch", "unfold/stream/kafka.(*Sink).Write", "unfold/stream/kafka.(*Sink).Write.func1",
		"unfold/stream/kafka.(*generation).Transact", "github.com/segmentio/kafka-go.(*conn).run"}},
	{"collecting garbage", []string{"runtime.gcBgMarkWorker", "runtime.bgsweep"}},
}

// Share is the share of a part in the processor time of a stage.
type Share struct {
	Part  string
	Share float64 // 0 to 1
}

// Shares evaluates a profile with Go's tool. The last part includes everything else, so that the
// shares add up to 1.
func Shares(ctx context.Context, path string) ([]Share, error) {
	out, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount=100000", "-nodefraction=0", path).Output()
	if err != nil {
		return nil, fmt.Errorf("go tool pprof: %w", err)
	}
	return sharesOf(string(out)), nil
}

// sharesOf parses the output of pprof -top -cum: flat, flat%, sum%, cum, cum%, function.
func sharesOf(top string) []Share {
	percent := map[string]float64{}
	for line := range strings.Lines(top) {
		fields := strings.Fields(line)
		if len(fields) < 6 {
			continue
		}
		if v, err := strconv.ParseFloat(strings.TrimSuffix(fields[4], "%"), 64); err == nil {
			percent[fields[5]] = v
		}
	}
	var shares []Share
	rest := 1.
	for _, p := range parts {
		share := 0.
		for _, f := range p.functions {
			share += percent[f] / 100
		}
		rest -= share
		shares = append(shares, Share{p.name, share})
	}
	return append(shares, Share{"the rest", max(0, rest)})
}

// Sentence formats shares in percent.
func Sentence(shares []Share, format string) string {
	var words []string
	for _, s := range shares {
		words = append(words, fmt.Sprintf("%s "+format+"%%", s.Part, 100*s.Share))
	}
	return strings.Join(words, ", ")
}
