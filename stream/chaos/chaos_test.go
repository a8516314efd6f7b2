//go:build linux

package chaos

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"unfold/internal/testkit/tier"
	"unfold/stream/chaos/results"
	"unfold/stream/format"
)

// scenario is a kind of run.
type scenario struct {
	name string
	plan Plan
	// short and full are the numbers of steps in the two extents; 0 skips the scenario.
	short, full int
	// exactly selects exactly-once delivery. real needs an Apache Kafka, apart a second broker for
	// the outputs, and disk a file system for the state.
	exactly, real, apart, disk bool
	// tight limits the topics of outputs and dead letters, so that they reject some messages.
	tight bool
	// nodes is the number of brokers of an Apache Kafka cluster, 0 for a single one.
	nodes int
	// members is the number of members at the start. With fixed they place events on one map that
	// does not change, in role embed. Otherwise each would learn its own map, in role all; then one
	// of them works and the others are rejected.
	members int
	fixed   bool
	// chain adds a second stage that reads the outputs of the first.
	chain bool
	// every is the pause of the load.
	every time.Duration
	// format is the format of the messages, Arrow if "".
	format format.Name
	// address is the HTTP address of a stage, "" for none.
	address string
}

func (s scenario) delivery() string {
	if s.exactly {
		return "exactly-once"
	}
	return "at-least-once"
}

func (s scenario) http() string {
	if s.address == "" {
		return "off"
	}
	return s.address
}

// rivals reports whether several members compete for the group, which only one can have.
func (s scenario) rivals() bool { return s.members > 1 && !s.fixed }

const ms = time.Millisecond

// kills happen in every phase of a stage: while it joins, before its first map, and while it
// places, learns, writes its state and commits.
func kills(requests ...string) Plan {
	return Plan{Faults: []Fault{Kill}, Moments: append(requests, State), Pause: [2]time.Duration{50 * ms, 1200 * ms}}
}

// network mainly drops single requests and responses at a plan's moments.
func network(kill Plan) Plan {
	requests := slices.DeleteFunc(slices.Clone(kill.Moments), func(moment string) bool { return moment == State })
	return Plan{Faults: []Fault{Cut, Cut, Cut, Cut, Delay, Halve, Reorder, Away}, Moments: requests,
		Pause: [2]time.Duration{200 * ms, 800 * ms}, Span: [2]time.Duration{500 * ms, 2000 * ms}}
}

var (
	leastOnce = kills(slices.Concat(moments("before", "JoinGroup SyncGroup OffsetCommit Produce"), moments("after", "Fetch OffsetCommit Produce"))...)
	exactOnce = kills(slices.Concat(moments("before", "AddPartitionsToTxn TxnOffsetCommit EndTxn InitProducerId"),
		moments("after", "Fetch AddPartitionsToTxn Produce TxnOffsetCommit EndTxn OffsetFetch"))...)
	cutLeast = network(leastOnce)
	cutExact = network(exactOnce)
	disks    = Plan{Faults: []Fault{DiskFull, ReadOnly, DiskGone, Kill}, Pause: [2]time.Duration{600 * ms, 1200 * ms}, Span: [2]time.Duration{800 * ms, 1600 * ms}}
	freezes  = Plan{Faults: []Fault{Freeze}, Pause: [2]time.Duration{500 * ms, 1500 * ms}, Span: [2]time.Duration{11 * time.Second, 13 * time.Second}}
	members  = Plan{Faults: []Fault{Join, Join, Leave}, Pause: [2]time.Duration{800 * ms, 1200 * ms}}
	brokers  = Plan{Faults: []Fault{Broker}, Pause: [2]time.Duration{1000 * ms, 3000 * ms}, Span: [2]time.Duration{200 * ms, 3000 * ms}}
	// Crashes should hit transactions that are ending.
	crashes = Plan{Faults: []Fault{Broker}, Moments: moments("after", "EndTxn EndTxn TxnOffsetCommit AddPartitionsToTxn"), Pause: brokers.Pause, Span: brokers.Span}
	leaders = Plan{Faults: []Fault{Broker}, Pause: [2]time.Duration{3000 * ms, 6000 * ms}, Span: [2]time.Duration{1000 * ms, 5000 * ms}}
	minute  = Plan{Faults: []Fault{Away}, Pause: absence.Pause, Span: [2]time.Duration{60 * time.Second, 60 * time.Second}}
	absence = Plan{Faults: []Fault{Away}, Pause: [2]time.Duration{500 * ms, 1000 * ms}, Span: [2]time.Duration{4 * time.Second, 8 * time.Second}}
	clocks  = Plan{Faults: []Fault{Clock, Kill}, Pause: [2]time.Duration{300 * ms, 900 * ms}}
)

var scenarios = []scenario{
	{name: "kill", plan: leastOnce, short: 12, full: 100},
	{name: "kill exactly-once", plan: exactOnce, exactly: true, short: 12, full: 100},
	{name: "kill exactly-once real", plan: exactOnce, exactly: true, real: true, full: 100},
	{name: "kill json", plan: leastOnce, format: format.JSON, short: 4, full: 100},
	{name: "kill exactly-once avro", plan: exactOnce, exactly: true, format: format.Avro, short: 6, full: 100},
	{name: "kill exactly-once mixed", plan: exactOnce, exactly: true, format: mixed, full: 100},
	{name: "kill chain exactly-once", plan: exactOnce, exactly: true, chain: true, short: 2, full: 100},
	{name: "kill chain exactly-once real", plan: exactOnce, exactly: true, real: true, chain: true, full: 100},
	{name: "kill fleet exactly-once", plan: exactOnce, exactly: true, members: 3, fixed: true, full: 100},
	{name: "kill exactly-once protobuf", plan: exactOnce, exactly: true, format: format.Protobuf, short: 4, full: 60},
	{name: "kill exactly-once json real", plan: exactOnce, exactly: true, real: true, format: format.JSON, full: 40},
	{name: "freeze", plan: freezes, members: 2, fixed: true, full: 20},
	{name: "freeze exactly-once", plan: freezes, exactly: true, members: 2, fixed: true, short: 1, full: 20},
	{name: "members", plan: members, fixed: true, full: 120},
	{name: "members exactly-once", plan: members, exactly: true, fixed: true, short: 6, full: 120},
	{name: "two members all", plan: freezes, members: 2, full: 8},
	{name: "two members all exactly-once", plan: freezes, exactly: true, members: 2, short: 1, full: 8},
	{name: "network", plan: cutLeast, short: 8, full: 80},
	{name: "network exactly-once", plan: cutExact, exactly: true, short: 12, full: 80},
	{name: "broker", plan: brokers, short: 2, full: 10},
	{name: "broker exactly-once real", plan: crashes, exactly: true, real: true, full: 10},
	{name: "three brokers", plan: leaders, real: true, nodes: 3, full: 10},
	{name: "three brokers exactly-once", plan: leaders, exactly: true, real: true, nodes: 3, full: 10},
	{name: "disk", plan: disks, disk: true, short: 4, full: 40},
	{name: "outputs away", plan: absence, apart: true, short: 1, full: 8},
	{name: "outputs away for a minute", plan: minute, apart: true, full: 1},
	{name: "too large", plan: leastOnce, tight: true, short: 3, full: 40},
	{name: "too large exactly-once", plan: exactOnce, exactly: true, tight: true, short: 3, full: 40},
	{name: "too large exactly-once real", plan: exactOnce, exactly: true, real: true, tight: true, full: 20},
	{name: "clock", plan: clocks, short: 4, full: 30},
}

// TestChaos runs the scenarios: all of them with UNFOLD_CHAOS=full, about three minutes with
// UNFOLD_CHAOS=short, otherwise only three kills as a check. UNFOLD_CHAOS_STEPS shortens each of
// them.
func TestChaos(t *testing.T) {
	extent := os.Getenv("UNFOLD_CHAOS")
	if extent == "" {
		tier.Full(t, "it kills programs")
	}
	seed, steps := number(t, "UNFOLD_CHAOS_SEED", 1), number(t, "UNFOLD_CHAOS_STEPS", 0)
	for _, s := range scenarios {
		switch s.plan.Steps = s.short; extent {
		case "full":
			s.plan.Steps = s.full
		case "":
			s.plan.Steps = 3
			if !s.exactly || s.short < 12 {
				continue
			}
		}
		if s.plan.Steps == 0 {
			continue
		}
		if steps > 0 {
			s.plan.Steps = steps
		}
		t.Run(s.name, func(t *testing.T) { runScenario(t, s, uint64(seed)) })
	}
}

func runScenario(t *testing.T, s scenario, seed uint64) {
	schedule := s.plan.Draw(seed)
	if text := os.Getenv("UNFOLD_CHAOS_SCHEDULE"); text != "" {
		var err error
		if schedule, err = ParseSchedule(text); err != nil {
			t.Fatal(err)
		}
	}
	defer func() {
		if t.Failed() {
			t.Logf("to run it again: UNFOLD_CHAOS_SEED=%d UNFOLD_CHAOS_SCHEDULE='%s'", seed, schedule)
		}
	}()
	begun := time.Now()
	w := begin(t, s, seed)
	v := w.run(schedule)
	t.Logf("%v; lag %d at rest, %d kills, %d moments that did not come, %d looks at what a kill left, %d starts in vain, %v", v, w.lag, w.kills, w.unmet, w.audits, w.ended, time.Since(begun).Round(ms))
	complaints := v.Complaints
	if s.disk && w.refused == 0 {
		complaints = append(complaints, "no fault of the disk kept a map from being saved")
	}
	if s.rivals() && (w.turned == 0 || v.Maps < 2) {
		complaints = append(complaints, fmt.Sprintf("of members that each learn %d were refused, and events were placed on %d maps: nobody took over", w.turned, v.Maps))
	}
	if w.lag != 0 {
		complaints = append(complaints, fmt.Sprintf("at rest the groups lag %d offsets behind", w.lag))
	}
	if s.tight && (v.Split == 0 || v.Elsewhere == 0) {
		complaints = append(complaints, "nothing was too large")
	}
	if v.Placed == 0 || v.Letters == 0 || v.Versions == 0 {
		complaints = append(complaints, "too little happened for the verdict to mean anything")
	}
	for _, complaint := range complaints {
		t.Error(complaint)
	}
	if len(complaints) > 0 || !t.Failed() { // an aborted run has no result
		keep(t, "run", fmt.Sprintf("%s seed %d", s.name, seed), w.result(schedule, v, begun, complaints))
	}
}

// result returns the report of a run.
func (w *world) result(s Schedule, v Verdict, begun time.Time, complaints []string) results.Run {
	r := results.Run{Scenario: w.set.name, Broker: w.name(), Delivery: w.set.delivery(), Begun: begun, Seconds: time.Since(begun).Seconds(), Seed: w.seed,
		Faults: map[string]int{}, Unmet: w.unmet, Vain: w.ended, Inputs: v.Inputs, Placed: v.Placed, Letters: v.Letters, Lost: v.Lost,
		Duplicates: v.Duplicates, Versions: v.Versions, Lag: &w.lag, Wrong: v.Strangers + v.Misplaced + v.Altered + v.Ambiguous + v.Early, Complaints: complaints}
	for _, step := range s {
		r.Faults[string(step.Fault)]++
		if step.At != "" {
			r.Named++
		}
	}
	return r
}
