package trace

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"unfold/stream"
)

// Settings are the settings of tracing.
type Settings struct {
	// URL is the collector's endpoint, such as http://localhost:4318/v1/traces; "" uses
	// OTEL_EXPORTER_OTLP_ENDPOINT.
	URL string
	// Group is the consumer group, Version the program's.
	Group, Version string
	// Log logs failures of the collector.
	Log *slog.Logger
}

// Tracer is a stream.Tracer.
type Tracer struct {
	group    string
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// flushTime is the timeout for the last spans.
const flushTime = 2 * time.Second

// New creates a tracer. It does not check whether the collector is available: spans are sent in the
// background, and rejected ones are logged and dropped. Close sends the remaining spans.
func New(ctx context.Context, s Settings) (*Tracer, error) {
	exporter, err := export(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	about, err := describe(ctx, s.Version)
	if err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	p := sdk.NewTracerProvider(sdk.WithBatcher(exporter), sdk.WithResource(about), sdk.WithIDGenerator(numbers{}),
		// The sender of a trace decides whether it is recorded.
		sdk.WithSampler(sdk.ParentBased(sdk.NeverSample())))
	return &Tracer{s.Group, p, p.Tracer("unfold/stream", trace.WithInstrumentationVersion(s.Version))}, nil
}

// Close sends the remaining spans and ends the tracer.
func (t *Tracer) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), flushTime)
	defer cancel()
	return t.provider.Shutdown(ctx)
}

// Parent implements stream.Tracer.
func (t *Tracer) Parent(m *stream.Message) ([]byte, bool) {
	from := sender(m)
	if !from.IsSampled() {
		return nil, false
	}
	return fmt.Appendf(nil, "00-%s-%s-%s", from.TraceID(), number(from, m), from.TraceFlags()), true
}

// Done implements stream.Tracer.
func (t *Tracer) Done(m *stream.Message, f stream.Fate) {
	from := sender(m)
	if !from.IsSampled() {
		return
	}
	ctx := context.WithValue(trace.ContextWithRemoteSpanContext(context.Background(), from), numberKey{}, number(from, m))
	_, span := t.tracer.Start(ctx, "process "+m.Topic, trace.WithSpanKind(trace.SpanKindConsumer), trace.WithTimestamp(f.Fetched),
		trace.WithAttributes(t.attributes(m, f)...))
	if f.Err != nil {
		span.SetAttributes(attribute.String("error.type", string(f.Stage)))
		span.SetStatus(codes.Error, f.Err.Error())
	}
	span.End()
}

// attributes returns the attributes of the conventions for messaging, and some of our own.
func (t *Tracer) attributes(m *stream.Message, f stream.Fate) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.String("messaging.system", "kafka"),
		attribute.String("messaging.operation.name", "process"),
		attribute.String("messaging.operation.type", "process"),
		attribute.String("messaging.destination.name", m.Topic),
		attribute.String("messaging.destination.partition.id", fmt.Sprint(m.Partition)),
		attribute.String("messaging.consumer.group.name", t.group),
		attribute.Int64("messaging.kafka.offset", m.Offset),
		attribute.Int("messaging.message.body.size", len(m.Value)),
	}
	if m.Tombstone() {
		all = append(all, attribute.Bool("messaging.kafka.message.tombstone", true))
	}
	if f.Err == nil {
		all = append(all, attribute.Int("unfold.events", f.Events), attribute.Int64("unfold.model_version", int64(f.Version)))
	}
	return all
}

// sender returns the span in the message's headers, empty if there is none.
func sender(m *stream.Message) trace.SpanContext {
	parent, ok := m.Header(stream.HeaderTraceParent)
	if !ok {
		return trace.SpanContext{}
	}
	headers := propagation.MapCarrier{"traceparent": string(parent)}
	if state, ok := m.Header(stream.HeaderTraceState); ok {
		headers["tracestate"] = string(state)
	}
	return trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), headers))
}

// number returns the id of the message's span.
func number(from trace.SpanContext, m *stream.Message) (id trace.SpanID) {
	trace, span := from.TraceID(), from.SpanID()
	b := append(append(make([]byte, 0, 64), trace[:]...), span[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(m.Partition))
	b = binary.BigEndian.AppendUint64(b, uint64(m.Offset))
	sum := sha256.Sum256(append(b, m.Topic...))
	copy(id[:], sum[:])
	if !id.IsValid() {
		id[0] = 1
	}
	return id
}

// numberKey is the context key for the id of the span that is about to start.
type numberKey struct{}

// numbers reads the ids of spans from their contexts. No span starts a trace.
type numbers struct{}

// NewIDs implements sdk.IDGenerator.
func (numbers) NewIDs(context.Context) (trace.TraceID, trace.SpanID) {
	return trace.TraceID{}, trace.SpanID{}
}

// NewSpanID implements sdk.IDGenerator.
func (numbers) NewSpanID(ctx context.Context, _ trace.TraceID) trace.SpanID {
	return ctx.Value(numberKey{}).(trace.SpanID)
}
