// Package parquet reads Parquet files as tables.
//
// The footer is checked when a file is opened, and the pages of a column before that column is
// decoded (package parquetcheck). Fields of structs are columns, named by dotted paths. Lists and
// maps of structs are left out, but for sparse vectors. A column is read as what it is stored as if
// its annotation is not known, and left out if it is encrypted or its compression is not known.
package parquet
