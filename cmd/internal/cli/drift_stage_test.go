package cli

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream/streamtest"
)

// A stage with drift.window raises an alarm after the events change, and none before.
func TestDriftingStage(t *testing.T) {
	t.Parallel()
	brokers, configuration := broker(t, "events", "places", "dead")
	text := strings.Replace(contentsOf(t, configuration), "{min: 100, size: 500}", "{min: 600, size: 1200}", 1)
	write(t, configuration, text+"drift: {window: 60, neighbors: 5, false_alarm: 50000}\n")
	figure := func(address, name string) float64 {
		_, body := get(t, address, "/metrics")
		found := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(body)
		if found == nil {
			t.Fatalf("there is no %s in\n%s", name, body)
		}
		v, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	events := func(from, messages int, mean float64) {
		send(t, brokers, from, messages, func(k int) []table.Column {
			r := rand.New(rand.NewPCG(uint64(k), 1))
			x, names := vec.New[float32](10, 4), make([]string, 10)
			for i := range names {
				names[i] = fmt.Sprintf("e%d", 10*k+i)
				for j := range x.Cols {
					x.Row(i)[j] = float32(r.NormFloat64() + mean)
				}
			}
			return []table.Column{table.StringColumn("name", names), table.VectorColumn("v", x)}
		})
	}
	events(0, 60, 0)
	runUntil(t, configuration, `map version 1 `, func(address string) {
		events(60, 30, 0)
		streamtest.Await(t, "300 events are looked at", func() bool { return figure(address, "unfold_drift_events_total") >= 300 })
		if n, bound := figure(address, "unfold_drift_alarms_total"), figure(address, "unfold_drift_bound"); n != 0 || bound < 3 {
			t.Errorf("%v alarms beyond %v where nothing changes", n, bound)
		}
		events(90, 30, 1)
		streamtest.Await(t, "an alarm", func() bool { return figure(address, "unfold_drift_alarms_total") > 0 })
	})
}
