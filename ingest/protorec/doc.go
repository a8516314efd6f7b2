// Package protorec makes tables of Protobuf messages.
//
// Parse, Read and ReadSet make descriptors: of source text with what it imports, as a
// schema registry holds it, of a .proto file, of a descriptor set (protoc
// --descriptor_set_out --include_imports). Compile turns one of their messages and what is
// wanted of it into tables of field numbers, along which a Decoder walks through a
// message's bytes. What nobody wants is stepped over.
//
// # What becomes of fields
//
// A column is named by the field's path, by the names of the .proto or those of JSON.
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
// A field that a message lacks is null if its schema distinguishes that from zero (optional
// fields, members of oneofs, messages), unless it has a default of its own (proto2).
// Otherwise it is zero, as the specification has it. A list without elements is null, since
// there is no vector of no elements. Of a field that comes twice the last value counts, and
// parts of a message are merged. Groups are messages. Fields that the schema does not know
// are stepped over; so are those whose bytes are of another type than the schema says.
//
// # Debezium
//
// A message with before, after and op is an envelope: rows are what after holds, and before
// if op is d (Decoded.Deleted). Fields of the envelope are columns if they are asked for by
// name. Messages of fields dimensions and vector, a map of positions, are sparse vectors.
package protorec
