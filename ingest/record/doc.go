// Package record makes tables from records that are encoded one by one, as in JSON, Avro and
// Protobuf.
//
// A decoder scans its bytes and passes every requested field to a Builder:
//
//	b := layout.Builder()                           // from a pool
//	node := b.Root().Child([]byte("payload"))       // nil: nobody wants it, or what is below it
//	b.Float(node.Child([]byte("bytes")), 12)        // field "payload.bytes" of the row
//	b.EndRow()
//	t, err := b.Table(origin)                       // columns named by dotted paths
//
// The package also implements the common parts of these formats: times, decimals, the
// conventions of Kafka Connect and Debezium (connect.go), and the limits of a message (Limits).
//
// A Spec requests some dotted paths or all fields. A path also matches a field whose own name
// contains the dots. Columns are in the order of Spec.Paths, or else in the order of the first row
// that has them, so that a table depends on its message only. A requested field that is missing is
// null.
//
// # Types
//
// A column has the type of its values; integers and floats together give floats. If the format does
// not determine a type, the user or a schema can set it (Spec.Types): then text with a number or
// time is parsed, and a number for a text column is formatted. In the vector column, and in columns
// set to type Vector, text and bytes are parsed as numbers: "[0.1, 2]", "0.1,2", or little-endian
// float32 bytes, plain or as base64. A column whose type was inferred from values has InferredKey
// in its field's metadata, because another record may give another type.
package record
