//go:build !linux

package simdtest

import "testing"

// AtEnd returns n zeros of type T, without protection, since pages cannot be protected here.
func AtEnd[T any](tb testing.TB, n int) []T {
	tb.Helper()
	return make([]T, n)
}
