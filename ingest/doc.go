// Package ingest turns files and messages into vectors, and placed events back into files
// and messages. Only it and the packages below it know Arrow and Parquet.
//
// # The way of a record
//
//	bytes --Open, arrowfmt.Decoder--> table.Table --Encoder--> Batch {X, ID, Kept, Label}
//	                                                             |  (a model places X)
//	bytes <--emit.Writer, emit.MessageWriter-- emit.Output <-----+
//
// A table is raw records: typed columns of equal length, and the origin of its first
// row. Open gives the tables of a file one by one, in bounded memory, whatever the
// format. The format is recognised by the content, not by the name; text, .npy, IDX and
// Arrow streams may be compressed. Each format has a folder, behind one interface,
// table.Reader:
//
//	table      columns, tables, schemas, errors with their place
//	arrays     Arrow arrays from untrusted bytes, made safe and plain
//	input      files and pipes, decompressed
//	arrowfmt   Arrow IPC files, streams and messages (arrowipc checks their bytes)
//	parquet    Parquet (parquetcheck checks footers and page headers, bridge hands arrays between Arrow's versions)
//	csv        separated text: encoding, separator, header and types found out
//	record     tables of records that come one by one
//	jsonrec    JSON: messages and files
//	avrorec    messages in Avro, protorec those in Protobuf
//	npy, idx   NumPy's and MNIST's arrays, on package dense
//	ann        .fvecs, .fbin and the like; tensors: safetensors, both on package dense
//	words      word2vec's and GloVe's vectors of words
//	libsvm     sparse rows of libsvm
//	fcs        flow cytometry
//	avrofile   container files of Avro, as records of JSON
//	emit       placed rows as files and messages, and back
//
// In a topic most messages begin with the same schema, which takes longer to read and to
// write than a few events: an arrowfmt.Decoder and an emit.MessageWriter do that once,
// with the same result.
//
// # What becomes the vector
//
// A Mapping names either one vector column, a list of numbers of any kind and
// type, or sparse vectors (by default the only such column), or plain columns. Of these, a number
// v becomes
//
//	w (f(v) - m) / s      f(v) = v or sign(v) log(1+|v|)
//
// with weight w, and m and s the mean and deviation of f(v) on the records that
// the encoder was fitted on, or 0 and 1; where s = 0 the element is 0. A boolean
// becomes 0 or 1. A text becomes one element for each category of a vocabulary, and
// one for any other category: w at its place, 0 elsewhere. The vocabulary is
// the most frequent categories, at most MaxVocabulary of them. A time is a number of days. A
// column that begins again after a period P becomes w (cos 2 pi v/P, sin 2 pi v/P), and a text
// can become the signed counts of its words' hashes. Fields of structs, and the keys of folders
// that a file lies in, are columns by their paths and names.
//
// Where a value is missing, Mapping.Fill puts the mean of the element, and Mapping.Drop leaves
// the row out. At last Mapping.Metric maps the row so that the Euclidean distance of vectors is
// the one that is meant (Metric); by Hamming's, numbers and booleans beside text are categories.
// Both are part of the encoder: fits, placing, streams and scores follow them by the one road of
// Encode.
//
// A Fitter learns means, deviations and vocabularies in one pass; its Encoder
// is immutable and goes into the model's snapshot as versioned JSON. Encode is a
// pure function of encoder and record: the same bits in any batch, at any time.
//
// # Errors
//
// Whatever is wrong with an input is a *table.Error, and table.IsBadInput says so. It
// names the file or the topic, partition and offset, the row (counted from 1 in the text,
// from 0 in the field) and the column. It says what to do: for an unknown column, which
// columns there are and which was probably meant. Values that cannot be part of a vector
// are errors too: null, NaN, infinite or beyond float32, a vector of another length. For a
// model that can do without some values Mapping.Missing, and Encoder.Lenient, make NaN of
// nulls.
//
// # What is not trusted
//
// Messages are checked on their raw bytes before Arrow's decoder sees them (package
// arrowipc). They are decoded with bounded memory, and checked once more to their last
// value. What comes out is safe to read. Arrow files and streams go the same way. Parquet
// files are checked to their page headers (package parquetcheck) and decoded where a panic
// can be caught; lists and maps of structs are left out, because the library decodes
// them where it cannot, but for sparse vectors, whose leaves are read one by one.
//
// Files are written under a temporary name and renamed when they are whole and
// on the disk (Writer).
//
// # Limits worth knowing
//
// An Arrow stream may just stop behind a whole message; one that stops within a
// message is truncated. Dictionary-encoded columns stay so in a message; files hold
// their values. Parquet maps hold the embedding as a variable list, in row
// groups of 1000 rows. In text, integers with leading zeros are text; types are
// those of most values in the first 64 MiB of a file and can be set. Files of other kinds are
// named by their first bytes (package input), and nothing binary is read as text.
package ingest
