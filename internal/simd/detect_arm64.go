//go:build arm64 && !noasm

package simd

// Every processor of arm64 has NEON.
const detected = NEON
