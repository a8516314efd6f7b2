// Package parquet reads Parquet files as tables, and says how tables are written.
//
// Pages are checked before the library decodes them (package parquetcheck). Columns with
// structs inside are left out: the library decodes them in goroutines of its own, where a
// panic would end the process.
package parquet
