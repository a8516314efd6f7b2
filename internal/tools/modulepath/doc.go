// Command modulepath changes the module path.
//
//	go run ./internal/tools/modulepath github.com/you/unfold
//
// It rewrites go.mod files, imports, string literals that name packages of the module (in commands
// and profiles), and such names in pages and scripts. The name of the program, which occurs in many
// texts, stays.
package main
