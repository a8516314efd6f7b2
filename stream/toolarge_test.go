package stream_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// list returns a message with n events.
func list(n int) stream.Message {
	var words []string
	for i := range n {
		words = append(words, fmt.Sprint(1000+i))
	}
	return stream.Message{Key: []byte("key"), Value: []byte(strings.Join(words, " "))}
}

// An output that its topic rejects as too large is written in parts, in order, and the outputs
// around it stay whole. If one event alone is too large, its message becomes a dead letter.
func TestTooLargeOutputs(t *testing.T) {
	for _, exactlyOnce := range []bool{false, true} {
		t.Run(fmt.Sprintf("exactly once %v", exactlyOnce), func(t *testing.T) {
			b := newBroker(1)
			giant := list(3)
			giant.Key = bytes.Repeat([]byte("k"), 500)
			for _, m := range []stream.Message{list(1), list(100), list(2), giant, list(1)} {
				b.Append("in", 0, m)
			}
			b.Limit("out", 400)
			p := startAs(t, b, &streamtest.Learner{}, exactlyOnce)
			var reported atomic.Int64
			p.pipeline.Hooks.Split = func(m stream.Message, parts int) {
				if reported.Store(int64(parts)); m.Offset != 1 {
					t.Errorf("the output of offset %d was split into %d", m.Offset, parts)
				}
			}
			running := p.run(t)
			running.Await("all is committed", func() bool { return committed(b) == 5 })
			if err := running.Stop(); err != nil {
				t.Fatal(err)
			}
			// The double writes the messages before a rejected one, so they can come twice: at
			// least once.
			joined, err := streamtest.Join(b.Messages("out"))
			if err != nil || exactlyOnce && joined.Torn+joined.Again > 0 {
				t.Fatalf("%d torn, %d again, %v", joined.Torn, joined.Again, err)
			}
			want := bytes.ReplaceAll(append(list(100).Value, ' '), []byte(" "), []byte("@1 "))
			var offsets []int64
			for _, parts := range joined.Whole {
				p, _, _ := stream.Origin(&parts[0])
				offsets = append(offsets, p.Offset)
				if p.Offset != 1 {
					if part, ok := stream.PartOf(&parts[0]); !ok || part != (stream.Part{Number: 1, Of: 1}) {
						t.Errorf("output of offset %d is part %+v", p.Offset, part)
					}
					continue
				}
				var got []byte
				for _, m := range parts {
					got = append(append(got, m.Value...), ' ')
				}
				if len(parts) < 3 || len(parts) != int(reported.Load()) || !bytes.Equal(got, want) {
					t.Errorf("%d parts, %d were reported, hold %s", len(parts), reported.Load(), got)
				}
			}
			if !slices.Equal(offsets, []int64{0, 1, 2, 4}) {
				t.Errorf("outputs of offsets %v", offsets)
			}
			letters := b.Messages("dlq")
			if len(letters) != 1 {
				t.Fatalf("%d dead letters", len(letters))
			}
			_, why, _ := stream.ReadDeadLetter(letters[0])
			if why.Offset != 3 || why.Stage != stream.StageWrite || !strings.Contains(why.Message, "event 0 alone") || !strings.Contains(why.Message, "max.message.bytes") {
				t.Errorf("the dead letter says %+v", why)
			}
			if _, err := (streamtest.Log{In: b.Messages("in"), Out: b.Messages("out"), Letters: letters}).Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// With ToDeadLetters nothing is split. Without a dead-letter topic the stage ends.
func TestTooLargeToDeadLetters(t *testing.T) {
	for _, exactlyOnce := range []bool{false, true} {
		for _, keeps := range []bool{true, false} {
			b := newBroker(1)
			for _, n := range []int{1, 100, 1} {
				b.Append("in", 0, list(n))
			}
			b.Limit("out", 400)
			p := startAs(t, b, &streamtest.Learner{}, exactlyOnce)
			p.pipeline.TooLarge = stream.ToDeadLetters
			if !keeps {
				p.pipeline.DeadLetter = nil
			}
			running := p.run(t)
			running.Await("all is committed, or it ended", func() bool { return committed(b) == 3 || running.Ended() })
			err := running.Stop()
			if !keeps {
				if err == nil || !strings.Contains(err.Error(), "max.message.bytes") || !strings.Contains(err.Error(), "no dead-letter topic") || committed(b) > 1 {
					t.Errorf("exactly once %v: without dead letters it ends with %v", exactlyOnce, err)
				}
				continue
			}
			c, failed := streamtest.Log{In: b.Messages("in"), Out: b.Messages("out"), Letters: b.Messages("dlq")}.Check()
			if err := errors.Join(err, failed); err != nil || c != (streamtest.Count{Placed: 2, Letters: 1}) {
				t.Errorf("exactly once %v: %+v, %v", exactlyOnce, c, err)
			}
		}
	}
}

// A dead letter that is too large is written without its value, and if necessary without key and
// headers. Its headers identify the original message.
func TestTooLargeDeadLetters(t *testing.T) {
	big := bytes.Repeat([]byte("junk "), 2000)
	for name, c := range map[string]struct {
		message stream.Message
		want    string
	}{
		"a large value":    {stream.Message{Key: []byte("key"), Value: big, Headers: []stream.Header{{Key: "mine", Value: []byte("1")}}}, "value"},
		"a large key":      {stream.Message{Key: big, Value: []byte("junk")}, "key,headers,value"},
		"a large header":   {stream.Message{Value: big, Headers: []stream.Header{{Key: "mine", Value: big}}}, "key,headers,value"},
		"nothing is large": {stream.Message{Value: []byte("junk"), Headers: []stream.Header{{Key: "unfold-value-begin"}}}, ""},
	} {
		for _, exactlyOnce := range []bool{false, true} {
			b := newBroker(1)
			b.Append("in", 0, list(1), c.message, list(1))
			b.Limit("dlq", 4000)
			p := startAs(t, b, &streamtest.Learner{}, exactlyOnce)
			running := p.run(t)
			running.Await("all is committed", func() bool { return committed(b) == 3 })
			if err := running.Stop(); err != nil {
				t.Fatal(err)
			}
			count, err := streamtest.Log{In: b.Messages("in"), Out: b.Messages("out"), Letters: b.Messages("dlq")}.Check()
			if err != nil || count != (streamtest.Count{Placed: 2, Letters: 1}) {
				t.Errorf("%s: %+v, %v", name, count, err)
			}
			in, letter := b.Messages("in")[1], b.Messages("dlq")[0]
			if what, _ := letter.Header("unfold-elsewhere"); string(what) != c.want {
				t.Errorf("%s: %q is elsewhere, want %q", name, what, c.want)
			}
			original, why, ok := stream.ReadDeadLetter(letter)
			if !ok || why.Offset != 1 || (why.Elsewhere == nil) != (c.want == "") {
				t.Fatalf("%s: it says %+v", name, why)
			}
			if why.Elsewhere == nil {
				if len(original.Headers) != 1 || !bytes.Equal(original.Value, in.Value) {
					t.Errorf("%s: %+v", name, original)
				}
				continue
			}
			if letter.Tombstone() {
				t.Errorf("%s: a tombstone", name)
			}
			if all := c.want != "value"; why.Elsewhere.All != all || !all && len(original.Headers) != 1 {
				t.Errorf("%s: %+v, headers %v", name, why.Elsewhere, original.Headers)
			}
			if err := why.Elsewhere.Check(&in); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			other := in
			other.Value = append(bytes.Clone(in.Value[:len(in.Value)-1]), '?')
			if err := why.Elsewhere.Check(&other); err == nil {
				t.Errorf("%s: it takes another message for its own", name)
			}
		}
	}
}

// A dead letter whose headers alone are too large ends the stage instead of being retried for ever.
func TestDeadLetterTooLargeForAnything(t *testing.T) {
	for _, exactlyOnce := range []bool{false, true} {
		b := newBroker(1)
		b.Append("in", 0, stream.Message{Value: []byte("junk")})
		b.Limit("dlq", 100)
		p := startAs(t, b, &streamtest.Learner{}, exactlyOnce)
		running := p.run(t)
		running.Await("it ends", running.Ended)
		if err := running.Stop(); err == nil || !strings.Contains(err.Error(), "topic dlq") || !strings.Contains(err.Error(), "offset 0") {
			t.Errorf("exactly once %v: %v", exactlyOnce, err)
		}
	}
}
