// Package protorec decodes Protobuf messages to tables.
//
// Parse, Read and ReadSet return descriptors: Parse of schema text with its imports, as a schema
// registry stores it; Read of a .proto file; ReadSet of a descriptor set (protoc
// --descriptor_set_out --include_imports). Compile makes a Decoder from a message's descriptor and
// the requested columns: tables of field numbers, with which it scans a message's bytes. Fields
// that are not requested are skipped.
//
// # What becomes of fields
//
// A column's name is the field's path, either in the names of the .proto file or in those of JSON.
//
//	numbers, bool, string       as they are
//	enum                        its name; the number where the schema has no name for it
//	bytes                       text, or base64; the vector if it is wanted as that
//	repeated numbers            a vector, packed or not
//	other lists                 left out; their text as JSON if asked for by name
//	message                     its fields, by dotted path
//	map                         its values, by dotted path and key
//	Timestamp, Duration         a time; seconds
//	DoubleValue and the like    what they hold, or null
//	Struct, Value, ListValue    as JSON: fields by dotted path, lists of numbers as vectors
//	confluent.type.Decimal      a number
//
// A field that is missing from a message is null if its schema has field presence for it (optional
// fields, members of oneofs, messages), unless it has an explicit default (proto2). Otherwise it is
// zero, as in the specification. A list without elements is null, because there are no vectors
// without elements. If a field occurs twice its last value counts, and parts of a message are
// merged. Groups are read like messages. Unknown fields are skipped, and so are fields whose wire
// type differs from the schema.
//
// # Debezium
//
// A message with fields before, after and op is an envelope of a change. Its row is the record in
// after, or that in before if op is d (Decoded.Deleted). Fields of the envelope are columns if they
// are requested by name. A message with fields dimensions and vector (a map from positions) is a
// sparse vector.
package protorec
