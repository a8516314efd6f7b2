// Package ingest converts files and messages to vectors, and placed events back to files and
// messages. Only it and the packages below it depend on Arrow and Parquet.
//
// # The path of a record
//
//	bytes --Open, arrowfmt.Decoder--> table.Table --Encoder--> Batch {X, ID, Kept, Label}
//	                                                             |  (a model places X)
//	bytes <--emit.Writer, emit.MessageWriter-- emit.Output <-----+
//
// A table contains raw records: typed columns of equal length, and the origin of its first row.
// Open returns a reader of a file's tables, which needs bounded memory for every format. The format
// is recognised by the content, not by the name. Text, .npy, IDX and Arrow streams may be
// compressed. Each format has a package that implements the interface table.Reader:
//
//	table      columns, tables, schemas, errors with their place
//	arrays     checks Arrow arrays from untrusted bytes and converts them to plain types
//	input      files and pipes, decompressed
//	arrowfmt   Arrow IPC files, streams and messages (arrowipc checks their bytes)
//	parquet    Parquet (parquetcheck checks footers and page headers, bridge hands arrays between Arrow's versions)
//	csv        separated text; infers encoding, separator, header and types
//	record     builds tables from single records
//	jsonrec    JSON: messages and files
//	avrorec    messages in Avro, protorec those in Protobuf
//	npy, idx   NumPy's and MNIST's arrays, on package dense
//	ann        .fvecs, .fbin and the like; tensors: safetensors, both on package dense
//	words      word vectors of word2vec and GloVe
//	libsvm     sparse rows of libsvm
//	fcs        flow cytometry
//	avrofile   container files of Avro, as records of JSON
//	emit       placed rows as files and messages, and back
//
// Most messages of a topic begin with the same schema, which takes longer to read and write than a
// few events. An arrowfmt.Decoder and an emit.MessageWriter therefore process it once, with the
// same result.
//
// # Encoding
//
// A Mapping names either one vector column or plain columns. A vector column contains lists of
// numbers or sparse vectors; the default is the only such column. In a plain column, a number v
// becomes
//
//	w (f(v) - m) / s      f(v) = v or sign(v) log(1+|v|)
//
// with weight w. m and s are the mean and deviation of f(v) on the records on which the encoder was
// fitted, or 0 and 1. If s = 0 the element is 0. A boolean becomes 0 or 1. A text becomes one
// element for each category of a vocabulary, and one for all other categories: w for its category,
// 0 elsewhere. The vocabulary contains the at most MaxVocabulary most frequent categories. A time
// becomes a number of days. A cyclic column with period P becomes w (cos 2 pi v/P, sin 2 pi v/P). A
// text can also become the signed counts of its words' hashes. Fields of structs are columns named
// by their paths, and so are the keys of a file's folders.
//
// Mapping.Fill replaces missing values by the mean of the element, and Mapping.Drop drops the row.
// Finally Mapping.Metric maps the row so that the Euclidean distance of vectors equals the chosen
// distance (Metric). With Hamming's, numbers and booleans are categories if some columns are text.
// Fill and metric are part of the encoder, so that fits, placement, streams and scores all apply
// them through Encode.
//
// A Fitter learns means, deviations and vocabularies in one pass. Its Encoder is immutable and is
// stored in the model's snapshot as versioned JSON. Encode is a pure function of encoder and
// record: the bits are the same in any batch at any time.
//
// # Errors
//
// Errors of an input are *table.Error, for which table.IsBadInput is true. An error names the file
// or the topic, partition and offset, the row (counted from 1 in the text, from 0 in the field) and
// the column. It contains advice; for an unknown column it lists the columns and the most similar
// name. Values that cannot be part of a vector are errors, too: null, NaN, infinite or beyond
// float32, or a vector of another length. For a model that supports missing values, Mapping.Missing
// and Encoder.Lenient encode nulls as NaN.
//
// # Untrusted input
//
// The raw bytes of messages are checked before Arrow's decoder reads them (package arrowipc). They
// are decoded with bounded memory, and every value is checked again. The result is safe to read.
// Arrow files and streams are treated in the same way. Parquet files are checked down to their page
// headers (package parquetcheck) and decoded in goroutines that recover from panics. Lists and maps
// of structs are omitted, because the library decodes them in goroutines of its own. Sparse vectors
// are an exception: their leaves are read one by one.
//
// Files are written under a temporary name, and renamed when they are complete and flushed to the
// disk (Writer).
//
// # Limits
//
// An Arrow stream may end after any complete message; one that ends within a message is truncated.
// Dictionary-encoded columns stay encoded in messages, while files contain their values. Parquet
// maps store the embedding as a variable-length list, in row groups of 1000 rows. In text files,
// integers with leading zeros are text. Types are inferred from most values in the first 64 MiB of
// a file, and can be set. Unsupported files are identified by their first bytes (package input),
// and binary files are never read as text.
package ingest
