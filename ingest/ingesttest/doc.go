// Package ingesttest holds what tests of ingest, and of programs built on it, share:
// sample streams of every type (Streams), one that is larger than it looks (Zeros), a way
// to damage bytes (Mutate), an output (Output), and two conformance suites. TestReader
// runs against any table.Reader, TestFormat against any file format that emit.Create
// writes.
package ingesttest
