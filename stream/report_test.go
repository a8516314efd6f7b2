package stream

import (
	"errors"
	"io"
	"maps"
	"reflect"
	"testing"
	"time"
)

// Errors of rejected messages and of offsets outside the log contain the number, the reason and
// advice.
func TestReports(t *testing.T) {
	large := Refused{Index: 3, Topic: "out", Size: 500, Limit: 400}
	bad := Refused{Index: 5, Topic: "out", Why: io.ErrClosedPipe}
	const tooLarge = "a message of 500 bytes, as it is sent, where topic out takes 400: raise its max.message.bytes, or socket.request.max.bytes of its brokers"
	const notTaken = "topic out does not take such a message: io: read/write on closed pipe"
	for _, c := range []struct {
		err  *RefusedError
		want string
		is   []error
	}{
		{&RefusedError{Messages: []Refused{large}}, tooLarge, nil},
		{&RefusedError{Messages: []Refused{bad}}, notTaken, []error{io.ErrClosedPipe}},
		{&RefusedError{Messages: []Refused{large, bad}}, tooLarge + " (and 1 more)", []error{io.ErrClosedPipe}},
		{&RefusedError{Messages: []Refused{large, bad, bad}, Err: io.EOF}, tooLarge + " (and 2 more): EOF", []error{io.ErrClosedPipe, io.EOF}},
		{&RefusedError{Messages: []Refused{large}, Err: io.EOF}, tooLarge + ": EOF", []error{io.EOF}},
	} {
		if c.err.Error() != c.want {
			t.Errorf("%v, want %s", c.err, c.want)
		}
		for _, cause := range []error{io.ErrClosedPipe, io.EOF} {
			want := false
			for _, is := range c.is {
				want = want || is == cause
			}
			if errors.Is(c.err, cause) != want {
				t.Errorf("%v is %v: %v", c.err, cause, !want)
			}
		}
	}
	both := &RefusedError{Messages: []Refused{large, bad}, Err: io.EOF}
	if one := both.of(large); len(one.Messages) != 1 || one.Messages[0] != large || one.Err != io.EOF {
		t.Errorf("of what is too large: %+v", one)
	}
	if one := both.of(bad); len(one.Messages) != 1 || one.Messages[0] != bad || one.Err != nil {
		t.Errorf("of what is not taken: %+v", one)
	}
	among := both.among([]int{10, 11, 12, 13, 14, 15})
	if among.Messages[0].Index != 13 || among.Messages[1].Index != 15 || among.Err != io.EOF || both.Messages[0].Index != 3 {
		t.Errorf("among all: %+v of %+v", among, both)
	}
	if both.among(nil) != both {
		t.Error("of all messages the indices are their own")
	}
	const head, tail = "topic in, partition 1: the group's offset ", "; set the group's offsets to where reading shall go on (kafka-consumer-groups --reset-offsets) and start again"
	tp := TopicPartition{Topic: "in", Partition: 1}
	for _, c := range []struct {
		err  OffsetError
		want string
		lost int64
	}{
		{OffsetError{tp, 5, 9, 20}, head + "5 is outside of the log (9 to 20): up to 4 messages were deleted before they were read" + tail, 4},
		{OffsetError{tp, 30, 9, 20}, head + "30 is outside of the log (9 to 20): the topic was truncated or created again" + tail, 0},
	} {
		if c.err.Error() != c.want || c.err.Lost() != c.lost {
			t.Errorf("%v, %d lost; want %s and %d", &c.err, c.err.Lost(), c.want, c.lost)
		}
	}
	named, nameless := &Published{Version: 7, MapID: "m"}, &Published{Version: 8}
	if h := named.Headers(); !reflect.DeepEqual(h, []Header{{HeaderModelVersion, []byte("7")}, {HeaderMapID, []byte("m")}}) || named.String() != "map version 7 (map id m)" {
		t.Errorf("%v: %v", named, h)
	}
	if h := nameless.Headers(); !reflect.DeepEqual(h, []Header{{HeaderModelVersion, []byte("8")}}) || nameless.String() != "map version 8" {
		t.Errorf("%v: %v", nameless, h)
	}
}

// The progress reports give the time since when a partition stands still, and since when queries
// fail.
func TestNoteOfProgress(t *testing.T) {
	w, at := newWatch(), time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	a, b := TopicPartition{Topic: "in"}, TopicPartition{Topic: "in", Partition: 1}
	progress := func(tp TopicPartition, offset, end int64) Progress {
		return Progress{Position: Position{TopicPartition: tp, Offset: offset}, End: end}
	}
	minutes := func(n int) time.Time { return at.Add(time.Duration(n) * time.Minute) }
	check := func(now int, all []Progress, lags map[TopicPartition]int64, since map[TopicPartition]int) {
		t.Helper()
		if got := w.note(all, nil, minutes(now)); !maps.Equal(got, lags) {
			t.Errorf("minute %d: lags %v, want %v", now, got, lags)
		}
		for tp, minute := range since {
			if s := w.states[tp]; !s.Since.Equal(minutes(minute)) || s.Ahead != lags[tp] {
				t.Errorf("minute %d: %v stands with %d since %v, want since minute %d", now, tp, s.Ahead, s.Since, minute)
			}
		}
		if w.failing != nil {
			t.Errorf("minute %d: %v", now, w.failing)
		}
	}
	check(0, []Progress{progress(a, 5, 9), progress(b, 7, 7)}, map[TopicPartition]int64{a: 4, b: 0}, map[TopicPartition]int{a: 0, b: 0})
	check(1, []Progress{progress(a, 5, 12), progress(b, 7, 8)}, map[TopicPartition]int64{a: 7, b: 1}, map[TopicPartition]int{a: 0, b: 1}) // a stands still, b has a new message
	check(2, []Progress{progress(a, 6, 12), progress(b, 7, 8)}, map[TopicPartition]int64{a: 6, b: 1}, map[TopicPartition]int{a: 2, b: 1}) // a progresses
	check(3, []Progress{progress(a, 12, 12), progress(b, 9, 8)}, map[TopicPartition]int64{a: 0, b: 0}, map[TopicPartition]int{a: 3, b: 3})
	for minute, err := range map[int]error{4: io.EOF} {
		if lags := w.note(nil, err, minutes(minute)); lags != nil {
			t.Errorf("lags %v without an answer", lags)
		}
	}
	if w.note(nil, io.ErrClosedPipe, minutes(5)); w.failing != io.ErrClosedPipe || !w.since.Equal(minutes(4)) {
		t.Errorf("%v since %v, want the last reason since minute 4", w.failing, w.since)
	}
	check(6, []Progress{progress(a, 12, 12)}, map[TopicPartition]int64{a: 0}, nil)
	if w.note(nil, io.EOF, minutes(7)); !w.since.Equal(minutes(7)) {
		t.Errorf("it fails again since %v", w.since)
	}
	p := &Pipeline{}
	p.watching.Store(w)
	w.states = map[TopicPartition]Standing{b: {b, 1, at}, a: {a, 1, at}, {Topic: "b"}: {TopicPartition{Topic: "b"}, 2, at}, {Topic: "c"}: {TopicPartition{Topic: "c"}, 0, at}}
	list, since, failing := p.Standing(time.Hour)
	if len(list) != 3 || list[0].Topic != "b" || list[1].Partition != 0 || list[2].Partition != 1 || failing != io.EOF || !since.Equal(minutes(7)) {
		t.Errorf("%v since %v, %v", list, since, failing)
	}
}

// An empty run advances the offset of the stored run. A run with messages replaces a stored empty
// run, and the source's memory is then not written to.
func TestIntakeOfEmptyRuns(t *testing.T) {
	q := newRunBuffer(&Settings{BatchMessages: 10, BatchBytes: 10})
	empty := func(next int64) Run { return Run{Next: next, End: 50} }
	take := func(n int, next int64) {
		t.Helper()
		if l, some, err := q.unload(); !some || err != nil || len(l.Messages) != n || l.Next != next {
			t.Errorf("%d messages and then offset %d, want %d and %d", len(l.Messages), l.Next, n, next)
		}
	}
	q.merge(empty(3))
	q.merge(empty(5))
	take(0, 5)
	q.merge(numbered(5, 8))
	q.merge(empty(9))
	take(3, 9)
	shared := numbered(9, 20).Messages
	q.merge(Run{shared[:2], 11, 50, 2})
	q.merge(numbered(11, 12)) // now they are in the memory of the buffer
	q.merge(empty(13))
	take(3, 13)
	q.merge(empty(14))
	q.merge(Run{shared[5:7], 16, 50, 2}) // replaces an empty run
	q.merge(numbered(16, 17))
	if take(3, 17); shared[7].Offset != 16 {
		t.Error("the source's memory was written to")
	}
	other := numbered(20, 30).Messages
	q.merge(Run{other[:2], 22, 50, 2})
	if q.merge(Run{[]Message{{Offset: 99, Value: []byte{1}}}, 100, 150, 1}); other[2].Offset != 22 {
		t.Error("the source's memory was written to after a run in the buffer's own memory")
	}
	if _, some, err := newRunBuffer(&Settings{}).unload(); some || err != nil {
		t.Errorf("nothing was put, and %v, %v are taken", some, err)
	}
}

// Headers of the message itself are not mistaken for those of a shortened dead letter.
func TestHeadersLikeElsewhere(t *testing.T) {
	at := TopicPartition{Topic: "in", Partition: 1}
	for name, own := range map[string][]Header{
		"nothing":   nil,
		"the first": {{headerElsewhere, []byte("all")}, {"a", []byte("7")}, {"b", nil}, {"c", nil}},
		"the last":  {{"a", nil}, {"b", []byte("7")}, {"c", nil}, {headerBegin, nil}},
		"one":       {{headerElsewhere, []byte("all")}},
	} {
		letter := (&DeadLetter{}).Message(Message{TopicPartition: at, Offset: 5, Value: []byte("v"), Headers: own}, StageDecode, errors.New("bad"))
		letter.Headers = append(letter.Headers, own...) // as another program might add some
		original, why, ok := ReadDeadLetter(letter)
		if !ok || why.Elsewhere != nil || why.Offset != 5 || why.Message != "bad" || string(original.Value) != "v" || own == nil && len(original.Headers) > 0 {
			t.Errorf("%s: %+v, %v", name, why, ok)
		}
	}
}
