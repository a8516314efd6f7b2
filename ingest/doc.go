// Package ingest turns files and messages into vectors, and places back into
// files and messages. It is the only package that knows Arrow and Parquet.
package ingest
