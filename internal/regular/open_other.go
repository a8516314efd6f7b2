//go:build !unix

package regular

// atOnce: there are no named pipes among the files.
const atOnce = 0
