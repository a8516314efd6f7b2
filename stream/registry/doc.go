// Package registry gets the schemas of messages from a schema registry with Confluent's API
// (Confluent's own, Apicurio, Karapace, Redpanda), and registers those of the output.
//
// A message has the id of its schema before its value (frame.go) or, since 2025, in a header. The
// schema of an id never changes. So a Client requests it once and caches it: while the registry is
// unavailable, messages of known schemas are processed. Concurrent callers for the same schema
// share one request.
//
// # Errors
//
// A temporary error matches *stream.UnavailableError: the message waits and is retried. This is a
// registry that is down, slow or busy (5xx, 429), that denies access (401, 403: an error of the
// settings, not of the message), or whose response is not that of a registry, as from a proxy or
// another service. All other errors are permanent, or last until the registry is changed: a schema
// that is unknown, too large, of an unknown type or refers to itself, and one that the registry
// rejects (*RefusedError). These are cached for a minute, an unknown schema for seconds, so that a
// flood of bad messages does not become a flood of requests. An unknown schema is requested twice,
// since the nodes of a registry lag behind each other.
//
// # Untrusted answers
//
// Sizes, times, redirects, and the number and depth of references are limited. A redirect never
// downgrades from TLS. The first schema under an id is kept.
package registry
