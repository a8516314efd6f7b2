// Package trace gives every message whose sender traces it a span of its own, and
// sends the spans to an OpenTelemetry collector (OTLP over HTTP). It follows the
// conventions of OpenTelemetry for messaging and for variables of the environment.
//
// A span's number is a function of its parent and of where the message lies: a message
// that is delivered twice has the same span twice, and its outputs the same bytes.
package trace
