// Package trace makes a span for every message that its sender traces, and sends the spans to an
// OpenTelemetry collector (OTLP over HTTP). It follows OpenTelemetry's conventions for messaging
// and environment variables.
//
// A span's id is a function of its parent and the message's position. So a message that is
// delivered twice has the same span twice, and its outputs the same bytes.
package trace
