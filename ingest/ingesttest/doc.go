// Package ingesttest holds what tests of ingest, and of programs built on it,
// share: sample streams of every type (Streams), one that is larger than it
// looks (Zeros), a way to damage bytes (Mutate), and two conformance suites.
// TestReader runs against any ingest.Reader, TestFormat against any file format
// that ingest.Create writes.
package ingesttest
