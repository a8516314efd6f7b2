// Package trace creates a span for every message whose sender traces it. It sends the spans to an
// OpenTelemetry collector (OTLP over HTTP). It follows OpenTelemetry's conventions for messaging
// and environment variables.
//
// A span's id is a function of its parent and the message's position. So a message that is
// delivered twice gets the same span id twice, and its outputs are identical.
package trace
