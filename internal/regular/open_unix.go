//go:build unix

package regular

import "syscall"

// atOnce makes the opening of a named pipe return at once.
const atOnce = syscall.O_NONBLOCK
