// Package record makes tables of records that were written one by one, as JSON, Avro and
// Protobuf write them.
//
// A decoder walks through its bytes and hands every field that somebody wants to a Builder:
//
//	b := layout.Builder()                           // from a pool
//	node := b.Root().Child([]byte("payload"))       // nil: nobody wants it, or what is below it
//	b.Float(node.Child([]byte("bytes")), 12)        // field "payload.bytes" of the row
//	b.EndRow()
//	t, err := b.Table(origin)                       // columns named by dotted paths
//
// What means the same in all of them stands here: times, decimals, what Connect and Debezium
// write (connect.go), the bounds of a message (Limits).
//
// What is wanted are some dotted paths, or all there is (Spec). A path whose own name has a
// dot is that name as it is. Columns come in the order of Spec.Paths, or else in that of
// the first row which has them, so that a table is a function of the record alone. A
// field that is wanted and not there is null.
//
// # Types
//
// A column has the type that its values have; integers become floats beside floats. What a
// format does not say can be pinned (Spec.Types), by the user or from a schema: text that
// holds a number or a time is read, a number that stands for text is written out. Text and
// bytes of the column named as the vector, or pinned to be one, are read as numbers:
// "[0.1, 2]", "0.1,2", bytes of float32, little endian, plain or as base64. Columns whose
// type was found in the values carry InferredKey in their field's metadata: another record
// may give them another type.
package record
