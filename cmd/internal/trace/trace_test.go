package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	spans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"unfold/stream"
)

// sink is a collector that keeps the received spans.
type sink struct {
	*httptest.Server
	mu       sync.Mutex
	path     string
	requests []*collector.ExportTraceServiceRequest
	err      error
}

func collect(t *testing.T) *sink {
	s := &sink{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		request := &collector.ExportTraceServiceRequest{}
		err = errors.Join(err, proto.Unmarshal(body, request))
		s.mu.Lock()
		defer s.mu.Unlock()
		s.path, s.err = r.URL.Path, errors.Join(s.err, err)
		s.requests = append(s.requests, request)
	}))
	t.Cleanup(s.Close)
	return s
}

// spans returns all received spans, and the attributes of their sender.
func (s *sink) spans(t *testing.T) (all []*spans.Span, about map[string]string) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		t.Fatal(s.err)
	}
	for _, r := range s.requests {
		for _, rs := range r.ResourceSpans {
			about = values(rs.Resource.Attributes)
			for _, ss := range rs.ScopeSpans {
				all = append(all, ss.Spans...)
			}
		}
	}
	return all, about
}

func values(attributes []*common.KeyValue) map[string]string {
	m := map[string]string{}
	for _, a := range attributes {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			m[a.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			m[a.Key] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_BoolValue:
			m[a.Key] = fmt.Sprint(v.BoolValue)
		}
	}
	return m
}

const (
	traceID  = "4bf92f3577b34da6a3ce929d0e0e4736"
	parentID = "00f067aa0ba902b7"
)

func message(offset int64, traceparent string) *stream.Message {
	m := &stream.Message{TopicPartition: stream.TopicPartition{Topic: "events", Partition: 3}, Offset: offset, Value: []byte("12345"),
		Headers: []stream.Header{{Key: "tracestate", Value: []byte("vendor=x")}}}
	if traceparent != "" {
		m.Headers = append(m.Headers, stream.Header{Key: "traceparent", Value: []byte(traceparent)})
	}
	return m
}

func open(t *testing.T, url string, log io.Writer) *Tracer {
	t.Helper()
	tr, err := New(t.Context(), Settings{URL: url, Group: "unfold", Version: "1.2", Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// A collector gets one span for each message that its sender traces: a child of the sender's span,
// with the id in the output's header, from fetched to acknowledged.
func TestSpans(t *testing.T) {
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	to := collect(t)
	tr := open(t, to.URL+"/v1/traces", io.Discard)
	const sampled, not = "00-" + traceID + "-" + parentID + "-01", "00-" + traceID + "-" + parentID + "-00"
	fetched := time.Now().Add(-time.Second)
	header, ok := tr.Parent(message(7, sampled))
	parts := strings.Split(string(header), "-")
	if !ok || len(parts) != 4 || parts[0] != "00" || parts[1] != traceID || parts[2] == parentID || parts[3] != "01" {
		t.Fatalf("the output's traceparent is %q, %v", header, ok)
	}
	tr.Done(message(7, sampled), stream.Fate{Fetched: fetched, Version: 5, Events: 10})
	tr.Done(message(8, sampled), stream.Fate{Fetched: fetched, Stage: stream.StageDecode, Err: errors.New("row 3 is bad")})
	gone := message(9, sampled)
	gone.Key, gone.Value = []byte("k"), nil
	tr.Done(gone, stream.Fate{Fetched: fetched, Version: 5})
	for _, none := range []string{"", "nonsense", not} { // messages without a sender's span, or with one that is not recorded
		if header, ok := tr.Parent(message(10, none)); ok {
			t.Errorf("traceparent %q becomes %q", none, header)
		}
		tr.Done(message(10, none), stream.Fate{Fetched: fetched})
	}
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	all, about := to.spans(t)
	if len(all) != 3 || to.path != "/v1/traces" {
		t.Fatalf("%d spans at %s", len(all), to.path)
	}
	if about["service.name"] != "unfold" || about["service.version"] != "1.2" || about["deployment.environment.name"] != "test" {
		t.Errorf("sent by %v", about)
	}
	for i, s := range all {
		if fmt.Sprintf("%x", s.TraceId) != traceID || fmt.Sprintf("%x", s.ParentSpanId) != parentID || s.Kind != spans.Span_SPAN_KIND_CONSUMER ||
			s.Name != "process events" || s.TraceState != "vendor=x" {
			t.Errorf("span %d: %v", i, s)
		}
		if begin := int64(s.StartTimeUnixNano); begin != fetched.UnixNano() || int64(s.EndTimeUnixNano)-begin < int64(time.Second) {
			t.Errorf("span %d is from %d to %d", i, begin, s.EndTimeUnixNano)
		}
		a := values(s.Attributes)
		for key, want := range map[string]string{"messaging.system": "kafka", "messaging.operation.name": "process", "messaging.operation.type": "process",
			"messaging.destination.name": "events", "messaging.destination.partition.id": "3", "messaging.consumer.group.name": "unfold",
			"messaging.kafka.offset": fmt.Sprint(7 + i), "messaging.message.body.size": []string{"5", "5", "0"}[i],
			"error.type": []string{"", "VALUE_CONVERTER", ""}[i], "messaging.kafka.message.tombstone": []string{"", "", "true"}[i],
			"unfold.events": []string{"10", "", "0"}[i], "unfold.model_version": []string{"5", "", "5"}[i]} {
			if a[key] != want {
				t.Errorf("span %d: %s is %q, want %q", i, key, a[key], want)
			}
		}
	}
	if got := fmt.Sprintf("%x", all[0].SpanId); got != parts[2] {
		t.Errorf("the span is %s, the output's header names %s", got, parts[2])
	}
	if s := all[1].Status; s.GetCode() != spans.Status_STATUS_CODE_ERROR || s.Message != "row 3 is bad" {
		t.Errorf("the dead letter's span has status %v", s)
	}
	if s := all[0].Status; s.GetCode() != spans.Status_STATUS_CODE_UNSET {
		t.Errorf("an output's span has status %v", s)
	}
}

// A span's id depends only on the sender's span and the message's position: it is the same in any
// process and at any time.
func TestNumbersAreRepeatable(t *testing.T) {
	to := collect(t)
	a, b := open(t, to.URL, io.Discard), open(t, to.URL, io.Discard)
	defer a.Close()
	defer b.Close()
	seen := map[string]string{}
	rapid.Check(t, func(r *rapid.T) {
		m := message(rapid.Int64Min(0).Draw(r, "offset"), fmt.Sprintf("00-%s-%016x-01", traceID, rapid.Uint64Min(1).Draw(r, "parent")))
		m.Partition = rapid.IntRange(0, 100).Draw(r, "partition")
		m.Topic = rapid.StringMatching("[a-z]{1,4}").Draw(r, "topic")
		one, _ := a.Parent(m)
		m.Value, m.Key = []byte("other"), []byte("other")
		two, _ := b.Parent(m)
		if !bytes.Equal(one, two) || len(one) != 55 {
			r.Fatalf("%q, then %q", one, two)
		}
		from := fmt.Sprint(m.Where(), string(m.Headers[1].Value))
		if before, ok := seen[string(one)]; ok && before != from {
			r.Fatalf("%s and %s have the same span", before, from)
		}
		seen[string(one)] = from
	})
	// The SHA-256 of trace, parent, partition, offset and topic, computed independently.
	if id := number(sender(message(7, "00-"+traceID+"-"+parentID+"-01")), message(7, "")); id.String() != "9abeacb4282acd86" {
		t.Errorf("the number is %s", id)
	}
}

// A collector that rejects spans, or is unavailable, is reported in the log and delays nothing.
func TestCollectorRefuses(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusBadRequest) }))
	defer refusing.Close()
	var log bytes.Buffer
	tr := open(t, refusing.URL+"/v1/traces", &log)
	tr.Done(message(7, "00-"+traceID+"-"+parentID+"-01"), stream.Fate{Fetched: time.Now()})
	if err := tr.Close(); err != nil {
		t.Error(err)
	}
	if text := log.String(); !strings.Contains(text, `msg="1 spans were not sent" event=trace_failed`) || !strings.Contains(text, "400") {
		t.Errorf("the log: %q", text)
	}
}

func TestWanted(t *testing.T) {
	for name, c := range map[string]struct {
		endpoint string
		env      map[string]string
		want     bool
	}{
		"nothing":       {"", nil, false},
		"setting":       {"http://a:1", nil, true},
		"environment":   {"", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a:1"}, true},
		"for traces":    {"", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://a:1"}, true},
		"switched off":  {"http://a:1", map[string]string{"OTEL_SDK_DISABLED": "true"}, false},
		"no exporter":   {"http://a:1", map[string]string{"OTEL_TRACES_EXPORTER": "none"}, false},
		"OTLP exporter": {"http://a:1", map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true},
	} {
		env := func(name string) (string, bool) { v, ok := c.env[name]; return v, ok }
		if got := Wanted(c.endpoint, env); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if Wanted("", nil) {
		t.Error("wanted without an environment")
	}
}
