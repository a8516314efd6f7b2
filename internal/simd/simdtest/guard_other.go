//go:build !linux

package simdtest

import "testing"

// AtEnd returns n zeros of type T, without a guard where pages cannot be protected.
func AtEnd[T any](tb testing.TB, n int) []T {
	tb.Helper()
	return make([]T, n)
}
