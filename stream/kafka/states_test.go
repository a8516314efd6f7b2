package kafka

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/segmentio/kafka-go"

	"unfold/stream"
)

// Zero settings of a source have their defaults, and invalid ones are refused.
func TestSourceSettings(t *testing.T) {
	good := SourceSettings{Topic: "t", Group: "g"}
	got, err := good.withDefaults()
	want := SourceSettings{Topic: "t", Group: "g", FetchBytes: 4 << 20, FetchWait: 500 * time.Millisecond, SessionTimeout: 10 * time.Second,
		Heartbeat: time.Second, RebalanceTimeout: 15 * time.Second, LookEvery: time.Second, BlockedAfter: 10 * time.Second}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	own := SourceSettings{Topic: "t", Group: "g", FetchBytes: 1, FetchWait: 2, SessionTimeout: 3, Heartbeat: 4, RebalanceTimeout: 5, LookEvery: 6, BlockedAfter: 7, Transactions: &Transactions{Outputs: "o", Compression: "zstd"}}
	if got, err := own.withDefaults(); err != nil || !reflect.DeepEqual(got, own) {
		t.Errorf("%+v, %v", got, err)
	}
	for name, c := range map[string]struct {
		change func(s *SourceSettings)
		want   string
	}{
		"topic":       {func(s *SourceSettings) { s.Topic = "" }, "a topic and a group"},
		"group":       {func(s *SourceSettings) { s.Group = "" }, "a topic and a group"},
		"outputs":     {func(s *SourceSettings) { s.Transactions = &Transactions{} }, "a topic for outputs"},
		"batches":     {func(s *SourceSettings) { s.Transactions = &Transactions{Outputs: "o", BatchBytes: -1} }, "no negative setting"},
		"compression": {func(s *SourceSettings) { s.Transactions = &Transactions{Outputs: "o", Compression: "rar"} }, `compression "rar" is not known`},
		"bytes":       {func(s *SourceSettings) { s.FetchBytes = -1 }, "may not be negative"},
		"wait":        {func(s *SourceSettings) { s.FetchWait = -1 }, "may not be negative"},
		"session":     {func(s *SourceSettings) { s.SessionTimeout = -1 }, "may not be negative"},
		"heartbeat":   {func(s *SourceSettings) { s.Heartbeat = -1 }, "may not be negative"},
		"rebalance":   {func(s *SourceSettings) { s.RebalanceTimeout = -1 }, "may not be negative"},
		"look":        {func(s *SourceSettings) { s.LookEvery = -1 }, "may not be negative"},
		"blocked":     {func(s *SourceSettings) { s.BlockedAfter = -1 }, "may not be negative"},
	} {
		s := good
		c.change(&s)
		if _, err := s.withDefaults(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// known is a journal with entries.
type known Noted

func (k known) Known() Noted                   { return Noted(k) }
func (known) Note([16]byte, []stream.Position) {}

// If the group has no offset, the journal's is used if it belongs to this topic, according to the
// settings.
func TestLostOffset(t *testing.T) {
	id, at := [16]byte{1}, time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	tp := stream.TopicPartition{Topic: "t", Partition: 1}
	journal := known{Topic: id, Offsets: map[int]int64{1: 7}, At: at}
	for name, c := range map[string]struct {
		journal Journal
		onLost  OnLost
		topic   [16]byte
		tp      stream.TopicPartition
		ok      bool
		fails   bool
	}{
		"resumed":               {journal, Resume, id, tp, true, false},
		"ended":                 {journal, FailLost, id, tp, false, true},
		"begun again":           {journal, Restart, id, tp, false, false},
		"no journal":            {nil, Resume, id, tp, false, false},
		"another topic":         {journal, FailLost, [16]byte{2}, tp, false, false},
		"a topic without an id": {known{Offsets: journal.Offsets}, FailLost, [16]byte{}, tp, false, false},
		"another partition":     {journal, FailLost, id, stream.TopicPartition{Topic: "t"}, false, false},
	} {
		var resumed []string
		g := &generation{topic: shape{id: c.topic}, source: &Source{settings: SourceSettings{Group: "g", Journal: c.journal, OnLost: c.onLost,
			Resumed: func(p stream.Position, noted time.Time) {
				resumed = append(resumed, fmt.Sprint(p.Partition, p.Offset, noted.Equal(at)))
			}}}}
		offset, ok, err := g.lost(c.tp)
		var lost *LostOffsetError
		if ok != c.ok || ok && offset != 7 || errors.As(err, &lost) != c.fails || (len(resumed) == 1) != c.ok || c.ok && resumed[0] != "1 7 true" {
			t.Errorf("%s: %d, %v, %v, resumed %v", name, offset, ok, err, resumed)
		}
		if c.fails && (lost.Offset != 7 || !strings.HasPrefix(lost.Error(), "topic t, partition 1: group g has no offset, and had committed 7 at 2026-03-01T10:00:00Z: ")) {
			t.Errorf("%s: %v", name, lost)
		}
		g.source.settings.Resumed = nil
		if _, again, _ := g.lost(c.tp); again != c.ok {
			t.Errorf("%s: nobody is told, and it is %v", name, again)
		}
	}
}

// The positions that a source keeps for its topic decide where partitions start.
func TestWherePartitionsBegin(t *testing.T) {
	s := &Source{settings: SourceSettings{Start: Latest}, known: 2}
	for partition, want := range []Start{Latest, Latest, Earliest, Earliest} {
		if got := s.startOf(partition); got != want {
			t.Errorf("partition %d of which the first 2 were there begins at %d", partition, got)
		}
	}
	tp := stream.TopicPartition{Topic: "t", Partition: 1}
	at := stream.Position{TopicPartition: tp, Offset: 9}
	g := &generation{topic: shape{partitions: 2}, assigned: []stream.Position{at}}
	if s.restart(at, true) != 9 {
		t.Error("a partition that was not read begins again")
	}
	s.own(g)
	for again, want := range map[bool]int64{true: kafka.FirstOffset, false: 9} {
		if got := s.restart(at, again); got != want {
			t.Errorf("created again %v: it begins at %d", again, got)
		}
	}
	s.own(&generation{}) // no topic exists: earlier positions count
	if !maps.Equal(s.owned, map[int]bool{1: true}) {
		t.Errorf("owned %v", s.owned)
	}
	var reported []*stream.OffsetError
	gap := &stream.OffsetError{TopicPartition: tp, Offset: 3, First: 5, End: 9}
	s.settings.Gap = func(gap *stream.OffsetError) { reported = append(reported, gap) }
	if _, err := s.leap(gap); err != error(gap) || len(reported) != 1 {
		t.Errorf("%v, %d reports", err, len(reported))
	}
	s.settings.OnGap = Continue
	if next, err := s.leap(gap); next != 5 || err != nil || len(reported) != 2 {
		t.Errorf("offset %d, %v, %d reports", next, err, len(reported))
	}
	s.settings.Gap = nil
	if next, err := s.leap(gap); next != 5 || err != nil {
		t.Errorf("offset %d, %v", next, err)
	}
	var names []string
	s.reportAgain()
	s.settings.Topic, s.settings.CreatedAgain = "t", func(topic string) { names = append(names, topic) }
	if s.reportAgain(); !reflect.DeepEqual(names, []string{"t"}) {
		t.Errorf("created again: %q", names)
	}
	s.link = &link{cluster: Cluster{Brokers: []string{"a:1", "b:2"}}}
	s.gone(1)
	var looks []int
	s.settings.LookEvery = time.Second
	s.settings.Retrying = func(what string, look int, err error, pause time.Duration) {
		if looks = append(looks, look); what != "topic" || !errors.Is(err, stream.ErrUnknownTopic) || !strings.HasPrefix(err.Error(), "kafka: topic t on a:1,b:2: ") || pause != time.Second {
			t.Errorf("%s: %v after %v", what, err, pause)
		}
	}
	if s.gone(3); !reflect.DeepEqual(looks, []int{3}) {
		t.Errorf("looks %v", looks)
	}
}

// A group whose generations are short is joined again after growing pauses.
func TestCalm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &Source{}
		waits := func(lasted time.Duration) time.Duration {
			begin := time.Now()
			if err := s.calm(t.Context(), lasted); err != nil {
				t.Error(err)
			}
			return time.Since(begin)
		}
		if waits(0) != 0 {
			t.Error("the first short generation is waited for")
		}
		second, third := waits(steady), waits(0)
		if second <= 0 || third <= second/2 || s.short != 3 {
			t.Errorf("pauses %v and %v after %d", second, third, s.short)
		}
		if waits(steady+1) != 0 || s.short != 0 || waits(0) != 0 {
			t.Errorf("after one that lasted %d are counted", s.short)
		}
	})
}

// The leader's assignors count the topic's partitions, and send the member's id.
func TestAssignors(t *testing.T) {
	s := &Source{settings: SourceSettings{Topic: "t", Alone: true, Who: "me"}}
	partitions := []kafka.Partition{{Topic: "t"}, {Topic: "u"}, {Topic: "t", ID: 1}}
	alone := s.assignors()
	if other := s.assignors(); len(alone) != 1 || alone[0].ProtocolName() == other[0].ProtocolName() || !strings.HasPrefix(alone[0].ProtocolName(), "unfold-alone-") {
		t.Errorf("%d assignors, %s", len(alone), alone[0].ProtocolName())
	}
	if data, err := alone[0].UserData(); err != nil || string(data) != "unfold: me" {
		t.Errorf("%q, %v", data, err)
	}
	got := alone[0].AssignGroups([]kafka.GroupMember{{ID: "m", Topics: []string{"t"}}}, partitions)
	if !reflect.DeepEqual(got["m"]["t"], []int{0, 1}) || s.counted.Load() != 2 {
		t.Errorf("%v, %d counted", got, s.counted.Load())
	}
	s.settings.Alone = false
	if many := s.assignors(); len(many) != 2 || many[0].ProtocolName() != "range" || many[1].ProtocolName() != "roundrobin" {
		t.Errorf("%d assignors", len(many))
	}
	for want, e := range map[string]*OccupiedError{
		"group g is taken by somebody else": {Group: "g"}, "group g is taken by me, c at h": {Group: "g", Members: []Member{{Who: "me"}, {Client: "c", Host: "/h"}}},
	} {
		if e.Error() != want || (&lasting{e}).Error() != want || kindOf(e) != passing || kindOf(&lasting{e}) != final {
			t.Errorf("%v, want %s", e, want)
		}
	}
	for err, want := range map[error]bool{kafka.IllegalGeneration: true, kafka.UnknownMemberId: true, kafka.RebalanceInProgress: true, kafka.FencedInstanceID: true, kafka.ProducerFenced: false, nil: false} {
		if staleMember(err) != want {
			t.Errorf("%v: stale %v", err, !want)
		}
	}
	for err, want := range map[error]bool{kafka.ProducerFenced: true, kafka.InvalidProducerEpoch: true, kafka.InvalidProducerIDMapping: true, errUnknownOutcome: true, kafka.IllegalGeneration: false, nil: false} {
		if fenced(err) != want {
			t.Errorf("%v: fenced %v", err, !want)
		}
	}
	if id := transactionalID("g", stream.TopicPartition{Topic: "t", Partition: 3}); id != "unfold-g-t-3" {
		t.Error(id)
	}
}

// The broker's error at the close of a connection hints at what it expects.
func TestExplain(t *testing.T) {
	password, err := Authenticate("plain", "user", "password")
	if err != nil {
		t.Fatal(err)
	}
	illegal := fmt.Errorf("x: %w", kafka.IllegalSASLState)
	if err := (&link{cluster: Cluster{SASL: password}}).explain(illegal); !errors.Is(err, kafka.IllegalSASLState) || !strings.Contains(err.Error(), "leave sasl out") {
		t.Errorf("%v", err)
	}
	closed := fmt.Errorf("x: %w", io.EOF)
	for _, cut := range []error{io.ErrUnexpectedEOF, syscall.ECONNRESET} {
		if err := (&link{}).explain(cut); !strings.Contains(err.Error(), "the broker closed the connection") {
			t.Errorf("%v", err)
		}
	}
	for want, c := range map[string]Cluster{
		"it may expect TLS or SASL": {}, "it may expect SASL, or no TLS": {TLS: &tls.Config{}}, "user, password or token may be wrong, or this port may expect no SASL": {TLS: &tls.Config{}, SASL: password},
	} {
		l := &link{cluster: c}
		if err := l.explain(closed); !errors.Is(err, io.EOF) || err.Error() != "x: EOF (the broker closed the connection: "+want+")" {
			t.Errorf("%v, want %s", err, want)
		}
		if err := l.explain(kafka.RequestTimedOut); err != kafka.RequestTimedOut {
			t.Errorf("%v", err)
		}
	}
}
