package config

import (
	"strings"
	"testing"
)

// fleet returns a valid configuration of a process in a fleet.
func fleet(role string) *Config {
	c := Defaults()
	c.Source.Kafka.Brokers, c.Source.Kafka.Topic, c.Sink.Kafka.Topic = []string{"a:1"}, "events", "places"
	c.Role, c.Snapshots.Store, c.Snapshots.Topic = role, "s3://maps/here", "maps"
	return c
}

func TestFleet(t *testing.T) {
	for _, role := range []string{RoleLearn, RoleEmbed} {
		if err := fleet(role).Validate(); err != nil {
			t.Errorf("%s: %v", role, err)
		}
		for name, c := range map[string]struct {
			spoil func(c *Config)
			want  string
		}{
			"no store":   {func(c *Config) { c.Snapshots.Store = "" }, "snapshots.store: missing"},
			"bad store":  {func(c *Config) { c.Snapshots.Store = "ftp://x" }, "ftp:// is not known"},
			"gcs":        {func(c *Config) { c.Snapshots.Store = "gs://x" }, "-tags gcs"},
			"no topic":   {func(c *Config) { c.Snapshots.Topic = "" }, "snapshots.topic: missing"},
			"same topic": {func(c *Config) { c.Snapshots.Topic = "places" }, "already another one"},
			"bad name":   {func(c *Config) { c.Source.Kafka.Group = "a b" }, "snapshots.name"},
		} {
			bad := fleet(role)
			if c.spoil(bad); name == "gcs" && bad.Validate() == nil {
				continue // built with it
			}
			if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: %v, want %q", role, name, err, c.want)
			}
		}
	}
	if err := fleet(RoleAll).Validate(); err == nil || !strings.Contains(err.Error(), "--role learn") {
		t.Errorf("a fleet's settings with role all: %v", err)
	}
	c := fleet(RoleLearn)
	if c.Group() != "unfold-learn" || c.FleetName() != "unfold" || !strings.HasPrefix(c.WriterID(), "unfold-unfold-") {
		t.Errorf("group %s, name %s, transactional id %s", c.Group(), c.FleetName(), c.WriterID())
	}
	c = fleet(RoleEmbed)
	c.Snapshots.Name = "other"
	if c.Group() != "unfold" || c.FleetName() != "other" {
		t.Errorf("group %s, name %s", c.Group(), c.FleetName())
	}
	if c.Role = RoleLearn; c.Group() != "unfold-learn-other" {
		t.Errorf("group %s of a learner whose fleet has a name", c.Group())
	}
}

// A learner delivers nothing, so it never delivers exactly once. All roles share the configuration,
// and each role reports errors in it.
func TestExactlyOnceByRole(t *testing.T) {
	for role, want := range map[string]bool{RoleAll: true, RoleEmbed: true, RoleLearn: false} {
		c := fleet(role)
		if c.ExactlyOnce() {
			t.Errorf("role %s delivers exactly once though nobody asked for it", role)
		}
		if c.Delivery = exactlyOnce; c.ExactlyOnce() != want {
			t.Errorf("role %s delivers exactly once: %v", role, !want)
		}
		if c.Sink.Kafka.Brokers = []string{"elsewhere:1"}; c.Validate() == nil || !strings.Contains(c.Validate().Error(), "one cluster only") {
			t.Errorf("role %s: %v", role, c.Validate())
		}
	}
}
