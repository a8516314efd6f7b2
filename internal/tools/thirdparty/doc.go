// Command thirdparty writes the licences of all modules that the program links.
//
//	go run ./internal/tools/thirdparty -o THIRD_PARTY.txt
//
// It lists the modules that cmd/unfold links on every release platform, and copies their licence,
// notice and patent files, and those of the page's scripts. Texts that several modules share occur
// once. A module without a licence, or with a text that package licensecheck does not recognise, is
// an error that a person must resolve.
package main
