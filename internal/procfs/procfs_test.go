package procfs_test

import (
	"os"
	"runtime"
	"testing"

	"unfold/internal/procfs"
)

// The peak is that of this process at least; unknown fields and processes are errors.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		if n, err := procfs.Memory(os.Getpid(), "VmHWM"); err == nil {
			t.Errorf("%d bytes without a /proc", n)
		}
		return
	}
	const large = 64 << 20
	data := make([]byte, large)
	for i := 0; i < large; i += 4096 {
		data[i] = 1
	}
	now, err := procfs.Memory(os.Getpid(), "VmRSS")
	if err != nil || now < large {
		t.Errorf("%d bytes (%v) are resident, of which %d were written", now, err, large)
	}
	if peak, err := procfs.Memory(os.Getpid(), "VmHWM"); err != nil || peak < now {
		t.Errorf("the peak is %d bytes (%v), and %d are resident", peak, err, now)
	}
	runtime.KeepAlive(data)
	for _, c := range []struct {
		pid   int
		field string
	}{{os.Getpid(), "VmNothing"}, {os.Getpid(), "Name"}, {1 << 30, "VmHWM"}} {
		if n, err := procfs.Memory(c.pid, c.field); err == nil {
			t.Errorf("%s of process %d is %d", c.field, c.pid, n)
		}
	}
}
