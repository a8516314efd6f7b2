// Package logs writes the events of a running stage through log/slog: one line per event, with a
// message for people and attributes for programs. names.go is the only list of events and
// attributes; their meaning never changes, messages may.
//
// There is no global logger. New creates one, which is passed to all users.
package logs
