// Package pdf draws one page of vector graphics: a canvas of gonum's plot/vg that writes PDF 1.4.
//
// gonum's own PDF canvas (vgpdf) only supports the characters of Windows-1252, and writes the time
// into its files. This package draws every character as its font's outline, stored once for each
// file. So pages look alike everywhere, need no fonts, and support the characters of any font.
// Their text cannot be searched. The same drawing gives the same bytes.
//
// Lengths are points (1/72 inch), with y upwards from the lower left corner, as in PDF itself. An
// opacity is a separate graphics state (ISO 32000-1, 8.4.5). An image has its opacities in a mask
// (11.6.5.3). A disc is a line of zero length with round ends (8.5.3.2).
package pdf
