package input

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"unfold/ingest/table"
	"unfold/internal/disk"
)

// zeros writes a small file that expands to many zeros.
func zeros(t *testing.T, size int) string {
	t.Helper()
	var packed bytes.Buffer
	w, err := zstd.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Write(make([]byte, size))
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "zeros.zst")
	if err := os.WriteFile(path, packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A copy for random access leaves a part of the disk free, and on a file system in memory keeps to
// the memory limit.
func TestCopiesAreBounded(t *testing.T) {
	const size = 8 << 20
	in, err := Open(t.Context(), zeros(t, size), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if free, _ := disk.Free(t.TempDir()); free >= 0 && in.room(t.TempDir()) > free {
		t.Errorf("a copy may have %d bytes of %d", in.room(t.TempDir()), free)
	}
	if _, n, err := in.Seekable(size + 1); err != nil || n != size {
		t.Errorf("%d bytes, %v", n, err)
	}
	const memory = "/dev/shm"
	if _, is := disk.Free(memory); runtime.GOOS != "linux" || !is {
		t.Skip("there is no file system in memory")
	}
	t.Setenv("TMPDIR", memory)
	bounded, err := Open(t.Context(), zeros(t, size), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer bounded.Close()
	bounded.Memory = size / 2
	if _, _, err := bounded.Seekable(size + 1); !table.IsBadInput(err) || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("%v", err)
	}
}

// An interrupted command does not unpack a file to its end, nor looks at it a second time.
func TestUnpackingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, err := Open(ctx, zeros(t, 8<<20), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	look, err := in.Again(1<<20, func([]byte) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	defer look.Close()
	cancel()
	if n, err := look.WriteTo(new(bytes.Buffer)); !errors.Is(err, context.Canceled) || n >= 1<<20 {
		t.Errorf("a first look reads %d bytes: %v", n, err)
	}
	if _, n, err := in.Seekable(1 << 30); !errors.Is(err, context.Canceled) {
		t.Errorf("a copy has %d bytes: %v", n, err)
	}
}
