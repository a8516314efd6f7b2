package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"unfold/bench/internal/served"
)

// config are the settings in which the members' configurations differ.
type config struct {
	role, in, out, group, state, every string
	points                             int
}

// start starts a member.
func (l *lab) start(addr string, c config) (*served.Process, error) {
	store, err := filepath.Abs(filepath.Join(l.out, "maps"))
	if err != nil {
		return nil, err
	}
	path := filepath.Join(l.out, c.role+".yaml")
	text := fmt.Sprintf(`
role: %s
source: {kafka: {brokers: [%q], topic: %s, group: %s}, vector: v, id: event}
sink: {kafka: {topic: %s}}
snapshots: {store: "file://%s?create=true", topic: maps, name: capacity}
reference: {min: %d, size: %d}
refresh: {every: %s}
state: %q
http: "off"
`, c.role, addr, c.in, c.group, c.out, store, c.points, c.points, c.every, c.state)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err
	}
	return served.Start(nil, l.unfold, "run", "-c", path)
}

// patience bounds the duration of every step.
const patience = 3 * time.Minute

// until polls until a condition holds. It fails if one of the processes ends.
func until(ctx context.Context, what string, members []*served.Process, holds func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := served.Until(ctx, holds, members...); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}
