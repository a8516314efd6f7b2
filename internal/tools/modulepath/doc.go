// Command modulepath gives the module another path.
//
//	go run ./internal/tools/modulepath github.com/you/unfold
//
// It rewrites go.mod files, imports, string literals that name packages of the
// module (those of commands and profiles), and such names in pages and scripts.
// The name of the program, which many texts hold as well, stays.
package main
