// Package cli is the command line: one file a verb.
//
// [Run] is a function of its arguments: what it reads and writes is given, it
// returns an exit code, and tests call it as the program does.
//
//	0  done
//	1  failed: the machine, the network, a bug
//	2  wrong usage: a flag, a setting
//	3  bad input: a file's or a message's fault
//
// Results go to standard output; progress and errors to standard error. An error
// says what, where and what to do. Outputs are written under a temporary name and
// renamed when they are whole, so nothing half-written stays.
//
// Settings that a configuration file also knows (columns, model) get their flags from
// package config's list of keys. So a setting has one name, one default and one
// explanation everywhere.
package cli
