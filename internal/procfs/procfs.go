// Package procfs reads what Linux reports about the memory of a process.
package procfs

import (
	"bytes"
	"fmt"
	"os"
)

// Memory returns a field of the status of a process, in bytes: VmRSS (resident), VmHWM (the peak of
// it since the program was started), RssAnon or RssFile. It returns an error where there is no such
// file, and for a process that has ended.
func Memory(pid int, field string) (int64, error) {
	path := fmt.Sprintf("/proc/%d/status", pid)
	status, err := os.ReadFile(path)
	if err != nil {
		return 0, err
	}
	var kilobytes int64
	_, value, _ := bytes.Cut(status, []byte("\n"+field+":"))
	if _, err := fmt.Sscanf(string(value), "%d kB", &kilobytes); err != nil {
		return 0, fmt.Errorf("%s: %s: %w", path, field, err)
	}
	return kilobytes << 10, nil
}
