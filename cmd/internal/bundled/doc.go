// Package bundled creates the small real data sets in testdata, and tests that they match their
// description.
//
// Both are parts of public data sets. The selection uses no random numbers, so anyone with the
// originals can repeat it:
//
//   - [CutConnections] thins the KDD Cup 1999 file. It keeps the order of the file, and
//     with it the bursts: it keeps each n-th record of every label, where
//     n is large for the three labels that fill the file and 1 for the rare ones.
//   - [CutDigits] takes the first n items of an IDX file.
//
// If the originals are available, the package's test repeats the selection and compares the
// results. With -update it writes them.
package bundled
