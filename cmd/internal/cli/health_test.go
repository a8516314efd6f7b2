package cli

import (
	"regexp"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"unfold/ingest/table"
	"unfold/stream"
	"unfold/stream/streamtest"
)

// says waits until a page returns a status and its body matches a pattern.
func (m *member) says(path string, status int, pattern string) {
	m.t.Helper()
	line, address := regexp.MustCompile(pattern), m.address()
	streamtest.Await(m.t, path+" says "+pattern, func() bool {
		got, body := get(m.t, address, path)
		return got == status && line.MatchString(body)
	})
}

// The lag is known while the sink rejects writes, also after a restart. If the broker is
// unreachable, /readyz reports that with its address.
func TestLagAndReadinessInTrouble(t *testing.T) {
	c, configuration := breakable(t, "events", "places", "dead")
	brokers := c.ListenAddrs()
	produce(t, brokers, 0, 20)
	first := join(t, "-c", configuration)
	first.says("/metrics", 200, `unfold_messages_delivered_total 20\n`)
	first.says("/readyz", 200, `^ready: map version \d+ \(map id [0-9a-f]{32}\)`)
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "places", Err: kerr.PolicyViolation, Count: 1 << 30})
	produce(t, brokers, 20, 20) // 10 to each partition, and a broken one
	stuck := `unfold_lag_messages{partition="0",topic="events"} 1[01]\n(.*\n)*unfold_lag_messages{partition="1",topic="events"} 1[01]\n`
	first.says("/metrics", 200, stuck)
	if code := first.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	again := join(t, "-c", configuration)
	again.says("/metrics", 200, stuck)
	c.Close()
	again.says("/readyz", 503, `^not ready: the source's brokers, `+regexp.QuoteMeta(brokers[0])+`, are away since \d\d:\d\d:\d\d \(\d+.*\): (fetch|join) failed: `)
}

// /readyz reports a topic without any usable message.
func TestReadyzOfATopicOfDeadLetters(t *testing.T) {
	brokers, configuration := broker(t, "events", "places", "dead")
	junk := make([]stream.Message, 5)
	for i := range junk {
		junk[i].Value = []byte(strings.Repeat("x", i+9))
	}
	send(t, brokers, 0, 0, func(int) []table.Column { return nil }, junk...)
	m := join(t, "-c", configuration)
	m.says("/readyz", 503, `^not ready: there is no map yet: of 5 messages read since the start none could be used, all are dead letters.*the last: `)
}
