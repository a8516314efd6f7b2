// Package parquet reads Parquet files as tables.
//
// The footer is checked when a file is opened, and the pages of a column before that column is
// decoded (package parquetcheck). Columns of numbers and of vectors of one length are decoded here,
// page by page and concurrently; all else by the Arrow library.
//
// Fields of structs are columns, named by dotted paths. Lists and maps of structs are omitted,
// except for sparse vectors. A column with an unknown annotation is read with its storage type. A
// column that is encrypted, or whose compression is unknown, is omitted.
package parquet
