// Package pdf draws one page of vectors: a canvas of gonum's plot/vg that writes PDF 1.4.
//
// gonum's own canvas of this kind (vgpdf) knows the characters of Windows-1252 alone and
// writes the time into its files. This one draws every character as the outline that its font
// has, each outline once a file, so that pages look alike everywhere, need no font, and take
// what any font has; what is written cannot be searched for. The same drawing gives the same
// bytes.
//
// Lengths are points (1/72 inch), y upwards from the lower left corner, as in a PDF itself. An
// opacity is a graphics state of its own, an image has its opacities in a mask (ISO 32000-1,
// 8.4.5, 11.6.5.3), and a disc is a line of no length with round ends (8.5.3.2).
package pdf
