package kafka

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/segmentio/kafka-go"
)

// A group has a single member only if its sources are made with Alone. Each of them offers an
// assignor with a unique name. A coordinator accepts a member only if all members share an
// assignor. This decision is atomic, so of two members that join at once, one is rejected. A
// rejected member causes no rebalance for the other.

// assignor assigns all partitions to the members, as ranges.
type assignor struct {
	kafka.RangeGroupBalancer
	name, who string
}

// assignors returns the assignors that a source offers. Without Alone they are kafka-go's own.
func (s *Source) assignors() []kafka.GroupBalancer {
	if s.settings.Alone {
		return []kafka.GroupBalancer{counting{assignor{name: "unfold-alone-" + rand.Text(), who: s.settings.Who}, s}}
	}
	return []kafka.GroupBalancer{counting{kafka.RangeGroupBalancer{}, s}, counting{kafka.RoundRobinGroupBalancer{}, s}}
}

// ProtocolName implements kafka.GroupBalancer.
func (a assignor) ProtocolName() string { return a.name }

// UserData implements kafka.GroupBalancer. It identifies the member, see Member.
func (a assignor) UserData() ([]byte, error) { return []byte(whoPrefix + a.who), nil }

// whoPrefix is the prefix of a member's description of itself.
const whoPrefix = "unfold: "

// OccupiedError is the error of a group whose members exclude this one: one of them or this one is
// Alone, or another program uses the group.
type OccupiedError struct {
	Group string
	// Members are the present members, as far as they are known.
	Members []Member
}

func (e *OccupiedError) Error() string {
	who := "somebody else"
	if len(e.Members) > 0 {
		names := make([]string, len(e.Members))
		for i, m := range e.Members {
			names[i] = m.String()
		}
		who = strings.Join(names, ", ")
	}
	return fmt.Sprintf("group %s is taken by %s", e.Group, who)
}

// occupied records how long a group has rejected this member during one attempt to join.
type occupied struct {
	since time.Time
}

// sessionGrace is the time after a session timeout within which a coordinator removes the member.
const sessionGrace = 3 * time.Second

// look finds the members of a group that rejected this one. The coordinator removes a dead member
// when its session times out. So the rejection is final only if the group has been stable, with
// another member, for longer than that.
func (o *occupied) look(ctx context.Context, s *Source) error {
	members, settled, err := s.link.group(ctx, s.settings.Group)
	if err != nil {
		return err
	}
	now := time.Now()
	if o.since.IsZero() || !settled {
		o.since = now
	}
	taken := &OccupiedError{Group: s.settings.Group, Members: members}
	if now.After(o.since.Add(s.settings.SessionTimeout + sessionGrace)) {
		return &lasting{taken}
	}
	return taken
}

// lasting is an error that retrying does not resolve.
type lasting struct{ err error }

func (l *lasting) Error() string { return l.err.Error() }

func (l *lasting) Unwrap() error { return l.err }

// join waits for the next generation of the group.
func (s *Source) join(ctx context.Context) (g *kafka.Generation, err error) {
	var taken occupied
	err = s.retry("join").until(ctx, func() (err error) {
		if g, err = s.group.Next(ctx); errors.Is(err, kafka.InconsistentGroupProtocol) {
			return taken.look(ctx, s)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("kafka: joining group %s: %w", s.settings.Group, lacking(err, "Read"))
	}
	return g, nil
}
