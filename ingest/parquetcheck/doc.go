// Package parquetcheck checks the structure of a Parquet file before a decoder
// allocates what the file asks for.
//
// A Parquet file has pages, then a footer with their positions:
//
//	"PAR1" | pages of column chunks | footer (Thrift) | int32 footer length | "PAR1"
//
// The footer holds the schema, and for every row group and column where the
// column's chunk lies, how long it is and how many values it has. A chunk is a
// row of pages, each with a Thrift header: its kind, its size in the file and
// decompressed, its number of values. The decoder believes most of these. Open
// reads the footer, Column the page headers of one column, but no values. They
// make sure that
//
//   - lists and strings of the Thrift data lie within it, and it is not nested
//     without bound;
//   - the schema is one tree, and every row group has a chunk for each leaf;
//   - chunks lie within the file, their pages within them, and the pages' values
//     add up to the chunk's;
//   - the decompressed size of a page is bounded;
//   - a dictionary page has room for its values;
//   - the checksum of a page is right if it has one;
//   - the compression is one that the reader knows.
//
// Pages iterates over the checked pages of a column, for a reader that decodes them itself.
//
// What is damaged inside a page still reaches the decoder. Package parquet runs
// it where a panic can be caught, decompresses into the room that the page's
// header asks for and no more, and checks the arrays that come out.
package parquetcheck
