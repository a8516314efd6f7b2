package cli

import (
	"os"
	"testing"
	"time"

	"unfold/internal/mapped"
	"unfold/internal/procfs"
)

// residentFiles returns the memory of mapped files in this process in bytes.
func residentFiles(t *testing.T) (n int64) {
	t.Helper()
	n, err := procfs.Memory(os.Getpid(), "RssFile")
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// In a process with a memory limit, the memory of rows in a file is freed again and again, although
// the limit does not count it. The rows keep their values.
func TestRowsInFilesTakeNoMemoryUnderALimit(t *testing.T) {
	const rows, cols = 1 << 20, 16
	file, x, err := mapped.New(t.TempDir(), rows, cols)
	if err != nil {
		t.Skipf("no mapped files here: %v", err)
	}
	r := &rowsRoom{p: &program{limited: true}, rows: file}
	before := residentFiles(t)
	for i := range x.Data {
		x.Data[i] = float32(i % 1000)
	}
	r.releasing(file)
	for end := time.Now().Add(20 * time.Second); residentFiles(t) > before+4*rows*cols/2; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are in memory, %d before", residentFiles(t), before)
		}
	}
	for i := 0; i < len(x.Data); i += 999_983 {
		if x.Data[i] != float32(i%1000) {
			t.Fatalf("value %d is %g", i, x.Data[i])
		}
	}
	r.close()
}
