package config

import (
	"unfold/stream/store"
)

// Roles of a process.
const (
	RoleAll   = "all"
	RoleLearn = "learn"
	RoleEmbed = "embed"
)

// LearnSuffix is appended to the group of the embedders to name the learner's group. A fleet's own
// name follows it, so that another name starts learning from the beginning.
const LearnSuffix = "-learn"

// Group returns the consumer group of this process.
func (c *Config) Group() string {
	switch {
	case c.Role != RoleLearn:
		return c.Source.Kafka.Group
	case c.Snapshots.Name != "":
		return c.Source.Kafka.Group + LearnSuffix + "-" + c.Snapshots.Name
	}
	return c.Source.Kafka.Group + LearnSuffix
}

// Fleet reports whether separate processes learn and embed.
func (c *Config) Fleet() bool { return c.Role == RoleLearn || c.Role == RoleEmbed }

// FleetName returns the name of the fleet's maps.
func (c *Config) FleetName() string {
	if c.Snapshots.Name != "" {
		return c.Snapshots.Name
	}
	return c.Source.Kafka.Group
}

// WriterID returns the transactional id of the fleet's learner.
func (c *Config) WriterID() string {
	return "unfold-" + c.Source.Kafka.Group + "-maps-" + c.FleetName()
}

// checkFleet reports conflicts between the role and other settings.
func (c *Config) checkFleet(complain func(key, hint, format string, args ...any)) {
	s := c.Snapshots
	if !c.Fleet() {
		for key, value := range map[string]string{"snapshots.store": s.Store, "snapshots.topic": s.Topic} {
			if value != "" {
				complain(key, "say --role learn for one process and --role embed for the others, or leave it out", "it goes with roles learn and embed, not with all")
			}
		}
		return
	}
	if s.Store == "" {
		complain("snapshots.store", "name a folder or a bucket", "missing: role %s needs a place for maps", c.Role)
	} else if err := store.CheckURL(s.Store); err != nil {
		complain("snapshots.store", "", "%v", err)
	}
	if err := store.CheckName(c.FleetName()); err != nil {
		complain("snapshots.name", "name it, if the group cannot be the name", "%v", err)
	}
	switch s.Topic {
	case "":
		complain("snapshots.topic", "make a compacted topic of one partition and name it", "missing: role %s needs a topic for announcements", c.Role)
	case c.Source.Kafka.Topic, c.Sink.Kafka.Topic, c.DeadLetter.Topic, c.Sink.Moves, c.Sink.Clusters:
		complain("snapshots.topic", "name another topic", "%q is already another one of the stage's", s.Topic)
	}
}
