package cli

import (
	"bytes"
	"os"
	"strconv"
)

// ownPeak returns the peak memory of this program in bytes. That of getrusage includes the peak of the
// process that started it, such as a Python process with its data.
func ownPeak() (peak int64, known bool) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, false
	}
	_, rest, _ := bytes.Cut(status, []byte("\nVmHWM:"))
	value, _, is := bytes.Cut(rest, []byte(" kB\n"))
	kilobytes, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
	return kilobytes * 1024, is && err == nil
}
