// Package cli is the command line. Each command has a file.
//
// [Run] gets its arguments, environment and streams as parameters, and returns an exit code. Tests
// call it as the program does.
//
//	0  done
//	1  failed: the machine, the network, a bug
//	2  wrong usage: a flag, a setting
//	3  bad input: an error in a file or a message
//
// Results go to standard output; progress and errors to standard error. An error describes the
// problem, its position and the remedy. Outputs are written under a temporary name and renamed when
// they are complete, so no partial output remains.
//
// Settings that are also in the configuration file (columns, model) get their flags from package
// config's list of keys. So a setting has the same name, default and description everywhere.
package cli
