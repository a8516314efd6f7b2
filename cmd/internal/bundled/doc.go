// Package bundled makes the small real data sets that stand in testdata, and
// holds them to their description.
//
// Both are cuts of public data sets, made by a rule that needs no random
// numbers, so that anyone who has the originals can make them again:
//
//   - [CutConnections] thins the KDD Cup 1999 file. The order of the file, and
//     with it its bursts, stays: of every label each n-th record is kept, where
//     n is large for the three labels that fill the file and 1 for the rare ones.
//   - [CutDigits] takes the first n items of an IDX file.
//
// The package's test makes them again where the originals are at hand and
// compares; with -update it writes them.
package bundled
