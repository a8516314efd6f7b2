// Package avrorec reads Avro records, one per message, with the schema of their writer:
//
//	d, err := avrorec.Compile(schema, references, spec)
//	decoded, err := d.Decode(value, origin)    // value: behind the registry's frame
//
// # Which columns there are
//
// The requested columns act as Avro's reader schema. A field is found by its name or by an alias in
// the writer's schema; a field that the writer lacks is null; other fields are skipped. If all
// columns are requested, they are those of the schema in its order, so they do not depend on the
// record. In this case recursive types are not followed, and maps are left out, because the schema
// does not contain their keys.
//
//	null, boolean, int, long, float, double, string    as they are
//	enum                                               its symbol, text
//	bytes, fixed                                       text or base64; a vector of float32 if wanted as one
//	timestamp-*, local-timestamp-*, date               a time; also by Debezium's and Connect's names
//	decimal, Debezium's VariableScaleDecimal           a float; exact if pinned to text
//	uuid                                               text
//	union                                              the value of the branch that is there
//	array of numbers                                   a vector; Debezium's FloatVector and DoubleVector are such
//	Debezium's SparseVector                            a vector, made dense
//	record                                             its fields, by dotted paths
//	map                                                its values, by dotted paths that name the key
//	other arrays; records and maps asked for by name   JSON, as text; only if asked for by name
//
// A message that is an array of records holds several events. A schema of one plain value, such as
// a key, has a single column, named as requested or else "value".
//
// # Debezium
//
// A record with the fields before, after and op is a change. Its row is the record after the
// change, or for op "d" the one before (record.Decoded). A field of the change itself, such as
// source.lsn, is a column if it is requested by name and the row has no such field.
//
// # Why a reader of its own
//
// github.com/twmb/avro parses and checks the schemas. Its decoder fills Go values, which would have
// to be traversed again to fill the columns. The reader in this package (walk.go) traverses the
// schema once and passes on only the requested values. A property test and a fuzz target compare it
// with the library's decoder.
//
// # Untrusted input
//
// A count or length is refused if it exceeds the rest of the message. Values without bytes are
// never counted one by one. Depth, fields and memory are bounded by record.Limits.
package avrorec
