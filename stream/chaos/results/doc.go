// Package results keeps what the runs of package chaos have found, and makes a page
// of it.
//
// Each run saves one file (Run, Soak, Mutations) in a Folder; so long runs can be
// made one after the other, and again. Page reports them all together, so that nothing
// on the page is written by hand.
package results
