package trace

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"

	"unfold/cmd/internal/logs"
)

// Wanted reports whether spans are sent: an endpoint is set, by the setting or the environment, and
// the environment does not disable it.
func Wanted(endpoint string, env func(name string) (string, bool)) bool {
	get := func(name string) string {
		if env == nil {
			return ""
		}
		v, _ := env(name)
		return v
	}
	if strings.EqualFold(get("OTEL_SDK_DISABLED"), "true") || get("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return endpoint != "" || get("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// export returns the exporter of spans. The library takes other settings from the environment:
// OTEL_EXPORTER_OTLP_HEADERS, _TIMEOUT, _CERTIFICATE and so on.
func export(ctx context.Context, s Settings) (sdk.SpanExporter, error) {
	var options []otlptracehttp.Option
	if s.URL != "" {
		options = append(options, otlptracehttp.WithEndpointURL(s.URL))
	}
	e, err := otlptracehttp.New(ctx, options...)
	if err != nil {
		return nil, err
	}
	return &candid{SpanExporter: e, log: s.Log}, nil
}

// describe describes the sender of the spans; OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take
// precedence.
func describe(ctx context.Context, version string) (*resource.Resource, error) {
	return resource.New(ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "unfold"), attribute.String("service.version", version)), resource.WithFromEnv())
}

// candid logs failures, at most one a minute, instead of passing them to the global handler.
type candid struct {
	sdk.SpanExporter
	log *slog.Logger

	mu   sync.Mutex
	last time.Time
	lost int
}

// ExportSpans implements sdk.SpanExporter.
func (c *candid) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := c.SpanExporter.ExportSpans(ctx, spans)
	if err == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lost += len(spans)
	if now := time.Now(); c.last.IsZero() || now.Sub(c.last) > time.Minute {
		logs.Say(c.log, slog.LevelWarn, logs.TraceFailed, fmt.Sprintf("%d spans were not sent", c.lost), slog.String(logs.Error, err.Error()))
		c.last, c.lost = now, 0
	}
	return nil
}
