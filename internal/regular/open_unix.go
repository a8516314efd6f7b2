//go:build unix

package regular

import "syscall"

// atOnce makes opening a named pipe return immediately.
const atOnce = syscall.O_NONBLOCK
