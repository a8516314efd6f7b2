package stream_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"unfold/stream"
	"unfold/stream/streamtest"
)

// tracer traces messages that have a header traceparent.
type tracer struct {
	mu    sync.Mutex
	fates map[int64]stream.Fate
}

func (*tracer) Parent(m *stream.Message) ([]byte, bool) {
	v, ok := m.Header(stream.HeaderTraceParent)
	return slices.Concat([]byte("span "+strconv.FormatInt(m.Offset, 10)+" below "), v), ok
}

func (t *tracer) Done(m *stream.Message, f stream.Fate) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fates[m.Offset] = f
}

func text(headers []stream.Header, from int) (all []string) {
	for _, h := range headers[min(from, len(headers)):] {
		all = append(all, h.Key+"="+string(h.Value))
	}
	return all
}

// Only the trace headers of an input are copied to its output. With PassHeaders all are copied,
// except those with the stage's names. A dead letter always has all of them.
func TestHeaders(t *testing.T) {
	in := []stream.Header{{Key: "traceparent", Value: []byte("t")}, {Key: "a", Value: []byte("1")}, {Key: "content-type", Value: []byte("text/plain")},
		{Key: "unfold-source-offset", Value: []byte("99")}, {Key: "tracestate", Value: []byte("s")}, {Key: "a", Value: []byte("2")}, {Key: "b"},
		{Key: "__value_schema_id", Value: []byte("v")}, {Key: "__key_schema_id", Value: []byte("k")}}
	for name, c := range map[string]struct {
		pass, trace bool
		want        []string
	}{
		"own":               {false, false, []string{"traceparent=t", "tracestate=s", "__key_schema_id=k"}},
		"passed":            {true, false, []string{"traceparent=t", "tracestate=s", "__key_schema_id=k", "a=1", "a=2", "b="}},
		"traced":            {false, true, []string{"traceparent=span 0 below t", "tracestate=s", "__key_schema_id=k"}},
		"traced and passed": {true, true, []string{"traceparent=span 0 below t", "tracestate=s", "__key_schema_id=k", "a=1", "a=2", "b="}},
	} {
		for _, exactlyOnce := range []bool{false, true} {
			t.Run(name+" exactly once "+strconv.FormatBool(exactlyOnce), func(t *testing.T) {
				b := streamtest.NewBroker()
				for topic, n := range map[string]int{"in": 1, "out": 1, "dlq": 1} {
					b.CreateTopic(topic, n)
				}
				b.Append("in", 0, stream.Message{Value: []byte("5"), Headers: in}, stream.Message{Value: []byte("bad"), Headers: in})
				p := startAs(t, b, &streamtest.Learner{Min: 1}, exactlyOnce)
				p.pipeline.PassHeaders = c.pass
				spans := &tracer{fates: map[int64]stream.Fate{}}
				if c.trace {
					p.pipeline.Tracer = spans
				}
				run := p.run(t)
				streamtest.Await(t, "both are dealt with", func() bool { return committed(b) == 2 })
				if err := run.Stop(); err != nil {
					t.Fatal(err)
				}
				out, letters := b.Messages("out"), b.Messages("dlq")
				if len(out) != 1 || len(letters) != 1 {
					t.Fatalf("%d outputs, %d dead letters", len(out), len(letters))
				}
				behind := slices.IndexFunc(out[0].Headers, func(h stream.Header) bool { return h.Key == "traceparent" })
				if got := text(out[0].Headers, max(behind, 0)); !slices.Equal(got, c.want) {
					t.Errorf("the output has %q, want %q", got, c.want)
				}
				if p, _, ok := stream.Origin(&out[0]); !ok || p.Offset != 0 {
					t.Errorf("the output is of %v", p)
				}
				if got := text(letters[0].Headers[:len(in)], 0); !slices.Equal(got, text(in, 0)) {
					t.Errorf("the dead letter has %q", got)
				}
				if !c.trace {
					return
				}
				good, bad := spans.fates[0], spans.fates[1]
				if len(spans.fates) != 2 || good.Err != nil || good.Events != 1 || good.Version == 0 || time.Since(good.Fetched) > time.Hour ||
					bad.Err == nil || bad.Stage != stream.StageDecode || bad.Events != 0 {
					t.Errorf("the tracer has %+v", spans.fates)
				}
			})
		}
	}
}
