// Package tier decides which tests run. The tests of make test need only Go. Those of make test-all
// also start brokers, browsers and other programs, download them on first use, or take long.
//
//	UNFOLD_TESTS=quick     the default, also of go test
//	UNFOLD_TESTS=all       every test whose programs and data are available
//	UNFOLD_TESTS=required  every test; a missing program or data set is a failure
package tier

import (
	"os"
	"testing"
)

// Variable is the environment variable that names the tier.
const Variable = "UNFOLD_TESTS"

// These are prefixes of the reasons of skipped tests, by which a summary counts them.
const (
	// LeftOut is the prefix for tests that the tier skips.
	LeftOut = "left out, make test-all runs it: "
	// Unavailable is the prefix for tests that cannot run here.
	Unavailable = "not possible here: "
)

// All reports whether the tests of make test-all run.
func All() bool {
	switch os.Getenv(Variable) {
	case "all", "required":
		return !testing.Short()
	}
	return false
}

// Full skips the test in the quick tier, and with -short. The reason describes what the test does
// or needs: "it starts Apache Kafka".
func Full(t testing.TB, reason string) {
	t.Helper()
	if !All() {
		t.Skip(LeftOut + reason)
	}
}

// Missing ends a test because a program or data is missing. The test fails if all tests are
// required, and is skipped otherwise.
func Missing(t testing.TB, reason string) {
	t.Helper()
	if os.Getenv(Variable) == "required" {
		t.Fatal("required: " + reason)
	}
	t.Skip(Unavailable + reason)
}

// Data returns the folder of the larger data sets, from UNFOLD_DATA. It skips the test in the quick
// tier, and without the folder, which no package manager installs.
func Data(t testing.TB) string {
	t.Helper()
	Full(t, "it reads the larger data sets")
	dir := os.Getenv("UNFOLD_DATA")
	if dir == "" {
		t.Skip(Unavailable + "UNFOLD_DATA does not name the folder of the larger data sets")
	}
	return dir
}
