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

// A group has one member only where its sources are made with Alone: each of them offers
// an assignor with a name that no other has. A group's coordinator takes a member only if
// all members have an assignor in common. That is decided in one place and at one moment,
// so of two that join at once one is refused; and a member that is refused costs the other
// no rebalance.

// assignor assigns all partitions to the members, as ranges.
type assignor struct {
	kafka.RangeGroupBalancer
	name, who string
}

// assignors are those that a source offers; if it is not alone, the library's own.
func (s *Source) assignors() []kafka.GroupBalancer {
	if s.settings.Alone {
		return []kafka.GroupBalancer{counting{assignor{name: "unfold-alone-" + rand.Text(), who: s.settings.Who}, s}}
	}
	return []kafka.GroupBalancer{counting{kafka.RangeGroupBalancer{}, s}, counting{kafka.RoundRobinGroupBalancer{}, s}}
}

// ProtocolName implements kafka.GroupBalancer.
func (a assignor) ProtocolName() string { return a.name }

// UserData implements kafka.GroupBalancer: it says who the member is, see Member.
func (a assignor) UserData() ([]byte, error) { return []byte(whoPrefix + a.who), nil }

// whoPrefix begins what a member says of itself.
const whoPrefix = "unfold: "

// OccupiedError says that a group's members do not let another one join: one of them
// wants to be alone, or this one does, or it is of another program.
type OccupiedError struct {
	Group string
	// Members are those that are there, as far as they are known.
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

// occupied is how long a group has been found taken, in one attempt at joining.
type occupied struct {
	since time.Time
}

// sessionGrace is what a coordinator may take beyond a session to put a member out.
const sessionGrace = 3 * time.Second

// look finds out who is in the group that has refused this member. A member that died is
// removed when its session has timed out. So the refusal is final only if the group was
// stable, with another member, for longer than that.
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

// lasting is an error that does not pass however long one waits.
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
