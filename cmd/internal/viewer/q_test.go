package viewer_test

import "testing"

func TestQ(t *testing.T) {
	off, idle, busy := costs(t)
	t.Logf("%.2f %.2f %.2f: idle %.1f%%, busy %.1f%%", off, idle, busy, 100*(idle/off-1), 100*(busy/off-1))
}
