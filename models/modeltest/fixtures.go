package modeltest

import (
	"testing"

	"unfold/sparse/fixtures"
)

// Saul holds the reference numbers of one run of the latent variable model.
type Saul = fixtures.Saul

// Dir returns the folder of fixtures: UNFOLD_FIXTURES, or the repository's own.
func Dir() string { return fixtures.Dir() }

// EachSaul runs f on every fixture of the latent variable model as a subtest,
// says how many they were, and fails if there was none.
func EachSaul(t *testing.T, f func(t *testing.T, s *Saul)) {
	t.Helper()
	fixtures.EachSaul(t, f)
}

// Error returns the largest difference relative to the largest wanted entry.
func Error(got, want []float64) float64 { return fixtures.Error(got, want) }

// Close reports an error on t, naming what, unless Error(got, want) <= tol.
func Close(t testing.TB, what string, got, want []float64, tol float64) {
	t.Helper()
	fixtures.Close(t, what, got, want, tol)
}

// CloseTo is Close for one number.
func CloseTo(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	fixtures.CloseTo(t, what, got, want, tol)
}

// Run is the course of EM in a fixture.
type Run = fixtures.Run
