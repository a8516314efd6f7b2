package served

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// CPUOf returns the processor time of a process in seconds, which Linux reports in /proc in
// hundredths; 0 if unknown.
func CPUOf(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name, in brackets, may contain anything. User and system time are the 12th and 13th
	// fields after it.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if errors.Join(err1, err2) != nil {
		return 0
	}
	return (user + system) / 100
}
