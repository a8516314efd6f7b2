// Package tier decides which tests run: those of make test, which need nothing but Go, or also those of
// make test-all, which start brokers, browsers and other programs, fetch them the first time, or take long.
//
//	UNFOLD_TESTS=quick     the default, also of go test
//	UNFOLD_TESTS=all       every test whose programs and data are there
//	UNFOLD_TESTS=required  every test; a missing program or data set is a failure
package tier

import (
	"os"
	"testing"
)

// Variable is the environment variable that names the tier.
const Variable = "UNFOLD_TESTS"

// The beginnings of the reasons of skipped tests, which a summary counts by.
const (
	// LeftOut begins the reason of a test that the tier leaves out.
	LeftOut = "left out, make test-all runs it: "
	// Unavailable begins the reason of a test that cannot run here.
	Unavailable = "not possible here: "
)

// All reports whether tests of make test-all run.
func All() bool {
	switch os.Getenv(Variable) {
	case "all", "required":
		return !testing.Short()
	}
	return false
}

// Full skips the test in the quick tier, and with -short. The reason says what the test needs or does: "it
// starts Apache Kafka".
func Full(t testing.TB, reason string) {
	t.Helper()
	if !All() {
		t.Skip(LeftOut + reason)
	}
}

// Missing ends a test for lack of a program or of data: it fails if all tests are required, and is skipped
// otherwise.
func Missing(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv(Variable) == "required" {
		t.Fatal("required: " + reason)
	}
	t.Skip(Unavailable + reason)
}

// Data returns the folder of the larger data sets, which UNFOLD_DATA names. It ends tests of the quick tier, and
// those without the folder, which no package manager installs.
func Data(t testing.TB) string {
	t.Helper()
	Full(t, "it reads the larger data sets")
	dir := os.Getenv("UNFOLD_DATA")
	if dir == "" {
		t.Skip(Unavailable + "UNFOLD_DATA does not name the folder of the larger data sets")
	}
	return dir
}
