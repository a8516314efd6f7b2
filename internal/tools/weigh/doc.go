// Command weigh measures the size of the program by part, and the cost of starting it, and writes
// docs/decisions/binary.md.
//
//	go run ./internal/tools/weigh -o docs/decisions/binary.md
//
// It builds cmd/unfold for this machine unchanged, as for releases, and in variants without a part.
// The size of a part comes from the program's symbol table.
package main
