// Package ingesttest contains helpers for tests of ingest and of programs that use it: sample
// streams of every type (Streams), one that is larger than it looks (Zeros), a function that
// damages bytes (Mutate), an output (Output), and two conformance suites. TestReader tests any
// table.Reader, and TestFormat any file format that emit.Create writes.
package ingesttest
