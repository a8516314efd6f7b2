// Command weigh says what the program weighs, part by part, and what a start of
// it costs, and writes docs/decisions/binary.md.
//
//	go run ./internal/tools/weigh -o docs/decisions/binary.md
//
// It builds cmd/unfold for this machine as it is, as releases are built, and in
// variants that lack a part. What the symbols of a part take is read from the
// program's symbol table.
package main
