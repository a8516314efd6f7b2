// Package input opens files and standard input as decompressed bytes.
//
// Open decompresses gzip, zstd, bzip2, xz and lz4. A Source is read from its beginning. Some formats
// need a second look (types of text columns) or random access (Parquet, Arrow files, arrays stored
// by columns); they open the file again or read a temporary copy. Errors name the file and say what
// to do, also for addresses such as s3://...
package input
