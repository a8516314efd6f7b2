// Package logs writes what a running stage does through log/slog: one line an event,
// for people in its message and for programs in its attributes. The names of events
// and attributes are listed in names.go and nowhere else; they never change meaning,
// the messages may.
//
// There is no logger of the whole process: New makes one, and whoever is to log gets
// it passed.
package logs
