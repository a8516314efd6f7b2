// Package emit writes placed rows as files and as messages, and reads them back.
//
// An Output contains a model's results for some rows (embedding, sigma, novelty, class) and the
// columns that are passed on. A single list in columns.go defines an output's columns and their
// order for all formats. Create writes a file under a temporary name and renames it once it is
// complete. A MessageWriter encodes each message as one Arrow IPC stream, and reuses the common
// parts of messages with the same columns. ReadMap reads a file back. JSON, Avro and Protobuf write
// events for readers without Arrow.
package emit
