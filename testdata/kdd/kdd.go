// Package kdd carries the bundled sample of KDD Cup 1999 as bytes, so that a program built from
// this module can replay it anywhere. README.md in the same folder describes the records, their
// selection and their licence.
package kdd

import _ "embed"

// CSVGz is the sample: gzip of CSV with a header line.
//
//go:embed kdd.csv.gz
var CSVGz []byte
