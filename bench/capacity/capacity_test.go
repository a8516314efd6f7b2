package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"unfold/bench/internal/relay"
)

// made returns figures that are easy to compute by hand.
func made() *Figures {
	return &Figures{Cores: 2, Kafka: "4", In: 200, Out: 30, Partition: 8, Day: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC),
		Placing:  []Placing{{Points: 2000, Dim: 50, Seconds: 10e-6, Bytes: 1e6}, {Points: 20_000, Dim: 50, Search: "cells", Seconds: 25e-6, Bytes: 8e6}},
		Fleet:    Placing{Points: 20_000, Dim: 50, Seconds: 29e-6, Bytes: 8e6},
		Shares:   []relay.Share{{Part: relay.Placing, Share: .75}, {Part: "the rest", Share: .25}},
		Passes:   []Pass{{1, 40_000, 40e-6, 10e-6}, {2, 38_000, 42e-6, 11e-6}},
		Learning: Learning{Rate: 150_000, Read: 5e-6, Refresh: 2, Points: 20_000}}
}

// The cost model takes the figures of an embedder from the first fleet, and its parts from the
// profile.
func TestModel(t *testing.T) {
	m := made().model()
	for name, v := range map[string][2]float64{"place": {m.place, 30e-6}, "carry": {m.carry, 10e-6}, "broker": {m.broker, 10e-6}, "learn": {m.learn, 5e-6}, "rate": {m.rate(2), 40_000}} {
		if math.Abs(v[0]/v[1]-1) > 1e-9 {
			t.Errorf("%s is %g, want %g", name, v[0], v[1])
		}
	}
}

// The text of the page follows from the figures.
func TestPage(t *testing.T) {
	page := made().page()
	for _, want := range []string{
		"on 2026-01-02", "= 25,000 events/s for each core", "= 20,000 each", "| 20,000 | 50 | cells | 25.00 | 40,000 | 8.00 | 400 |", "placing 75.0%, the rest 25.0%", "takes 29.00 us; the two ways differ by 3%",
		"| 0.9 GB/s, and 0.03 GB/s for each reader of the places |",
		"| 2 | 38,000 | 40,000 | 42.00 | 40.00 | 11.00 |", "(within 5% here)", "(within 5%)", "| 40.0 cores busy: 8 machines, at least 8 partitions |",
		"| 30.0 cores busy: 6 machines |", "| 5.2 cores busy |", "| 8 embedders x 8.0 MB every 10 s | 6.4 MB/s |", "read 150,000 events/s",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	slow := made()
	slow.Learning.Read = 20e-6
	if !strings.Contains(slow.page(), "more than one machine") {
		t.Error("a learner that cannot follow is not reported")
	}
}
