//go:build !unix

package regular

// atOnce is 0 because named pipes are not files on this system.
const atOnce = 0
