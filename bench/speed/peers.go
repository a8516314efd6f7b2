package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	_ "embed"

	"unfold/bench/internal/harness"
)

//go:embed peers.py
var peersProgram []byte

//go:embed requirements.txt
var requirements []byte

// environment makes the peers' Python environment, unless it exists or another one is given.
func (b *bench) environment(ctx context.Context) error {
	return b.peers.Make(ctx, b.out, requirements, b.say, func(ctx context.Context, name string, args ...string) error {
		_, _, err := b.process(ctx, name, args...)
		return err
	})
}

func (b *bench) interpreter() string { return harness.Interpreter(b.peers.Dir(b.out)) }

// peer runs a task of peers.py and adds its measurements to r. If peers are skipped, names are
// recorded as missing. It returns the cost of the process.
func (b *bench) peer(ctx context.Context, r *record, names, task string, args ...string) (usage, error) {
	if b.noPeers {
		r.miss("%s: the peers' environment could not be made", names)
		return usage{}, nil
	}
	if b.peers.Skip {
		r.miss("%s: peers are skipped", names)
		return usage{}, nil
	}
	program := b.file("peers.py")
	if err := os.WriteFile(program, peersProgram, 0o666); err != nil {
		return usage{}, err
	}
	out, u, err := b.process(ctx, b.interpreter(), append([]string{program, task, strconv.Itoa(b.threads), strconv.Itoa(b.size(rounds, 1))}, args...)...)
	if err != nil {
		return u, err
	}
	measured, err := parsePeer(out)
	if err != nil {
		return u, fmt.Errorf("%s: %w", task, err)
	}
	r.merge(measured)
	return u, nil
}

// parsePeer parses the last line of peers.py's output; libraries may print before.
func parsePeer(out string) (*record, error) {
	lines := strings.Split(strings.TrimSpace(out), "\n")
	r := new(record)
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), r); err != nil {
		return nil, fmt.Errorf("it printed %q: %w", out, err)
	}
	for _, s := range r.Series {
		if s.Who == "" || s.Who == own || len(s.Samples) == 0 {
			return nil, fmt.Errorf("it printed a series %+v", s)
		}
	}
	return r, nil
}
