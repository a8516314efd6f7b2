// Package registry asks a schema registry that speaks Confluent's API (Confluent's own,
// Apicurio, Karapace, Redpanda) for the schemas of messages, and registers those of the
// output.
//
// A message names its schema by an id before its value (frame.go) or, since 2025, in a
// header. A schema never changes under its id. So a Client asks once and keeps the answer:
// while the registry is away, messages of known schemas go on. Callers that want the same
// schema at the same time wait for one request.
//
// # Errors
//
// An error that may go away matches *stream.UnavailableError: the message waits and is
// tried again. That is a registry that is down, slow or busy (5xx, 429), that does not
// let us in (401, 403: settings to be put right, no fault of the message), or that answers
// what no registry answers, as a proxy or another service at that address does.
// All other errors are for good, or for as long as nobody changes the registry: a schema
// that is unknown, too large, of an unknown type or that refers to itself, and one that
// the registry does not take (*RefusedError). These are remembered for a minute, an unknown
// schema for seconds, so that a flood of bad messages does not become one of requests. One
// that is unknown is asked for twice, since nodes of a registry lag behind each other.
//
// # Untrusted answers
//
// Sizes, times, redirects, and the number and depth of references are bounded. A redirect
// never leads away from TLS. What came first under an id stands.
package registry
