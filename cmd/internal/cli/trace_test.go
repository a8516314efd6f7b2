package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	v1 "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"unfold/ingest/emit"
	"unfold/ingest/table"
	"unfold/internal/vec"
	"unfold/stream"
	"unfold/stream/streamtest"
)

// TestTrace runs the stage with a span collector and passed-on headers. The output's header names
// the span that the collector receives.
func TestTrace(t *testing.T) {
	t.Chdir(t.TempDir())
	var mu sync.Mutex
	spans := map[string]string{} // parents by span id
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var request v1.ExportTraceServiceRequest
		if err := proto.Unmarshal(body, &request); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, rs := range request.ResourceSpans {
			for _, s := range rs.ScopeSpans[0].Spans {
				spans[fmt.Sprintf("%x", s.SpanId)] = fmt.Sprintf("%x", s.ParentSpanId)
			}
		}
	}))
	defer collector.Close()
	brokers, configuration := broker(t, "events", "places", "dead")
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	write(t, configuration, string(text)+"headers: pass\ntrace: {endpoint: '"+collector.URL+"'}\nhttp_pprof: true\n")
	records, err := table.NewTable(table.Origin{}, table.StringColumn("name", []string{"last"}), table.VectorColumn("v", vec.New[float32](1, 4)))
	if err != nil {
		t.Fatal(err)
	}
	value, err := emit.EncodeTable(records)
	if err != nil {
		t.Fatal(err)
	}
	const parent = "00f067aa0ba902b7"
	produce(t, brokers, 0, 40)
	send(t, brokers, 0, 0, nil, stream.Message{Value: value, Key: []byte("traced"), Headers: []stream.Header{
		{Key: "traceparent", Value: []byte("00-4bf92f3577b34da6a3ce929d0e0e4736-" + parent + "-01")}, {Key: "tenant", Value: []byte("a")}}})
	runUntil(t, configuration, `map version 1`, func(address string) {
		streamtest.Await(t, "all is delivered", func() bool {
			_, body := get(t, address, "/metrics")
			return strings.Contains(body, "unfold_messages_delivered_total 41\n")
		})
		if status, body := get(t, address, "/debug/pprof/goroutine?debug=1"); status != 200 || !strings.Contains(body, "goroutine profile") {
			t.Errorf("profiles: %d %.100s", status, body)
		}
	})
	client, err := kgo.NewClient(kgo.SeedBrokers(brokers...), kgo.ConsumeTopics("places"))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	headers := map[string]string{}
	for len(headers) == 0 && t.Context().Err() == nil {
		client.PollFetches(t.Context()).EachRecord(func(r *kgo.Record) {
			if string(r.Key) != "traced" {
				return
			}
			for _, h := range r.Headers {
				headers[h.Key] = string(h.Value)
			}
		})
	}
	mu.Lock()
	defer mu.Unlock()
	span := strings.Split(headers["traceparent"], "-")
	if len(span) != 4 || len(spans) != 1 || spans[span[2]] != parent || headers["tenant"] != "a" || headers["content-type"] != stream.ContentType {
		t.Errorf("the output has %v, the collector %v", headers, spans)
	}
}
