// Package avrorec reads records that are written as Avro, one a message, by the schema of
// who wrote them:
//
//	d, err := avrorec.Compile(schema, references, spec)
//	decoded, err := d.Decode(value, origin)    // value: behind the registry's frame
//
// # Which columns there are
//
// The columns that are wanted are the reader's schema. A field is found by its name or one
// of its aliases in the writer's schema; a field that the writer does not have is null;
// what nobody wants is passed over. If all is wanted, the columns are the schema's, in its
// order: they do not depend on the record. Recursion is not followed then, and maps, whose
// keys are not in the schema, are left out.
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
// A message that is an array of records holds several events. A schema that is one plain
// value, as of a key, has one column: the only one that is wanted, else "value".
//
// # Debezium
//
// A record with the fields before, after and op is a change: the row is what is after it,
// for op "d" what was before (record.Decoded). Fields of the change itself are columns if
// they are asked for by name, as source.lsn, and the row has none of that name.
//
// # Why a reader of its own
//
// github.com/twmb/avro parses and checks the schemas. Its decoder fills values of Go types,
// which would have to be walked once more for the columns. The reader here (walk.go) goes
// along the schema once and hands over what is wanted. It is held to the library's by a
// property and by a fuzz target.
//
// # Untrusted input
//
// A count or length never exceeds what is left of the message, values without bytes are
// never counted one by one, and depth, fields and memory are bounded by record.Limits.
package avrorec
