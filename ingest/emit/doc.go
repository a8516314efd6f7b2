// Package emit writes placed rows, as files and as messages, and reads them back.
//
// An Output is what a model says of some rows: embedding, sigma, novelty, class, and the
// columns that pass through. One list (columns.go) says which columns an output has and
// in which order; every format and the messages follow it. Create writes a file under a
// temporary name and renames it when it is whole. A MessageWriter encodes one Arrow IPC
// stream a message, and keeps what messages of one kind have in common. ReadMap is the
// way back. JSON and Protobuf write events for those who do not read Arrow.
package emit
