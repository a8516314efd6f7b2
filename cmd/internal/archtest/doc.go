// Package archtest tests the direction of imports.
//
// Imports point one way:
//
//	cmd -> stream -> (ingest, models) -> coarse -> sparse -> internal
//	unfold, the library ---> models
//
// A package may import packages of its own layer and of the layers below it, never of one above.
// ingest and models are in parallel and do not import each other. bench, for measurements, is next
// to cmd and a module of its own, with the same rules. The library, the package at the root, is the
// interface of the models: it links no broker, no Arrow, no HTTP, and neither stream nor ingest.
// testdata contains data and imports nothing.
//
// Heavy dependencies stay at the leaves that need them: Arrow in ingest, kafka-go in stream/kafka,
// HTTP and Prometheus under cmd/internal. So a program that only needs the model links only the
// model, and a change of broker or format affects one folder. The program does not link anything
// that writes assembly, tests or measures.
//
// The package has no code of its own; its test checks the import graph.
package archtest
