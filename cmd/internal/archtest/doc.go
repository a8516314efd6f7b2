// Package archtest holds the direction of imports.
//
// Imports point one way:
//
//	cmd -> stream -> (ingest, models) -> coarse -> sparse -> internal
//	unfold, the library ---> models
//
// A package may import packages of its own layer and of the layers below it, never of one
// above; ingest and models stand side by side and do not know each other. bench, which
// measures, stands beside cmd and is a module of its own; its imports are held to the same
// rules. The library, the package at the root, is the models' interface: it links no
// broker, no Arrow, no HTTP, and neither stream nor ingest. testdata holds bytes and
// imports nothing.
//
// The heavy dependencies stay at the leaves that need them: Arrow in ingest,
// kafka-go in stream/kafka, HTTP and Prometheus under cmd/internal. So a program
// that only wants the model links the model, and a change of broker or of
// format touches one folder. What writes assembly, tests or measures is not
// linked by the program at all.
//
// The package has no code of its own; its test reads the import graph.
package archtest
