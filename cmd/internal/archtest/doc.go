// Package archtest tests the import graph.
//
// Imports point one way:
//
//	cmd -> stream -> (ingest, models) -> coarse -> sparse -> internal
//	unfold, the library ---> models
//
// A package may import packages of its own layer and of the layers below it, never of one above.
// ingest and models are on the same layer and do not import each other. bench has the measurements.
// It is a separate module next to cmd, with the same rules. The library, the package at the root,
// is the interface to the models: it links no broker, no Arrow, no HTTP, and neither stream nor
// ingest. testdata contains data and imports nothing.
//
// Only the leaves that need heavy dependencies import them: Arrow in ingest, kafka-go in
// stream/kafka, HTTP and Prometheus under cmd/internal. So a program that only needs the model
// links only the model, and a change of broker or format affects one folder. The program links no
// assembly generator and no library for tests or measurements.
//
// The package has no code of its own; its test checks the import graph.
package archtest
