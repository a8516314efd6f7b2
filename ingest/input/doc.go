// Package input opens files and standard input as decompressed bytes.
//
// Open looks through gzip, zstd, bzip2 and lz4. A Source is read from its beginning; some
// formats need a second look (types of text columns) or random access (Parquet, Arrow
// files, arrays stored by columns). They get the file again or a temporary copy. Errors
// name the file and what to do; an address such as s3://... is one of them.
package input
