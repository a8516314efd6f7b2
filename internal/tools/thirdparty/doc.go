// Command thirdparty writes the licences of everything that the program links.
//
//	go run ./internal/tools/thirdparty -o THIRD_PARTY.txt
//
// It asks the go command which modules cmd/unfold links on every platform that
// releases are built for, and takes the licence, notice and patent files out of
// their sources. With them go those of the page's scripts. Texts that several modules share stand there once. A module
// without a licence, or with a text that package licensecheck does not know, is
// an error: somebody has to look at it.
package main
