// Package bridge hands arrays from one version of the Arrow library to the other.
//
// Tables, Arrow files and messages use github.com/apache/arrow/go/v15. Parquet and the compute
// kernels come from github.com/apache/arrow-go/v18, which reads encodings that v15 lacks. Both
// lay arrays out by the same specification, so only the headers around the buffers are
// new, and no value is copied. Buffers are garbage-collected memory, which needs no release.
//
// Names: "old" is v15, "new" is v18.
package bridge
