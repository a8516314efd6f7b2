// Package results stores the results of runs of package chaos and writes a page with them.
//
// Each run saves one file (Run, Soak, Mutations) in a Folder, so that long runs can be made one
// after the other and repeated. Page reports all of them; nothing on the page is written by hand.
package results
