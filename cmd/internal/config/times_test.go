package config

import (
	"strings"
	"testing"
	"time"
)

func TestGroupTimes(t *testing.T) {
	const ms = Duration(time.Millisecond)
	for name, c := range map[string]struct {
		session, heartbeat, rebalance Duration
		wrong                         string
	}{
		"defaults":             {10_000 * ms, 1000 * ms, 15_000 * ms, ""},
		"a third":              {6000 * ms, 2000 * ms, 8000 * ms, ""},
		"more than a third":    {6000 * ms, 2001 * ms, 8000 * ms, "heartbeat_interval"},
		"no heartbeat":         {6000 * ms, 0, 8000 * ms, "heartbeat_interval"},
		"a session of nothing": {999 * ms, 100 * ms, 8000 * ms, "session_timeout"},
		"no time to finish":    {6000 * ms, 1000 * ms, 7999 * ms, "rebalance_timeout"},
	} {
		var problems []string
		SourceKafka{SessionTimeout: c.session, HeartbeatInterval: c.heartbeat, RebalanceTimeout: c.rebalance}.
			checkTimes(func(key, _, _ string, _ ...any) { problems = append(problems, key) })
		got := strings.Join(problems, " ")
		want := ""
		if c.wrong != "" {
			want = "source.kafka." + c.wrong
		}
		if got != want {
			t.Errorf("%s: complains about %q, want %q", name, got, want)
		}
	}
}
