// Package parquet reads Parquet files as tables, and says how tables are written.
//
// Pages are checked before the library decodes them (package parquetcheck). Fields of structs
// are columns, named by dotted paths. Lists and maps of structs are left out: the library
// decodes them in goroutines of its own, where a panic would end the process. Columns of sparse
// vectors are read by their leaves, one by one.
package parquet
