//go:build unix

package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"unfold/ingest"
)

// A pipe cannot be read twice, so types are inferred from its buffered start.
func TestCSVFromAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("a,b\n")
	for i := range 200_000 {
		fmt.Fprintf(&want, "%d,w%d\n", i, i)
	}
	failed := make(chan error, 1)
	go func() { failed <- os.WriteFile(path, []byte(want.String()), 0) }()
	r, err := ingest.Open(context.Background(), path, ingest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := 0
	for {
		records, err := r.Next(context.Background())
		if err != nil {
			break
		}
		if c, _ := records.Column("b"); c.Text(0) != fmt.Sprintf("w%d", rows) {
			t.Fatalf("row %d is %s", rows, c.Text(0))
		}
		rows += records.Len()
	}
	if err := <-failed; err != nil || rows != 200_000 || r.Schema().String() != "a int64, b string" {
		t.Errorf("%d rows, %s, %v", rows, r.Schema(), err)
	}
}

// Opening a pipe without a writer, and reading from one whose writer is silent, end with the
// context.
func TestAPipeEndsWithTheContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.csv")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, writer := range []bool{false, true} {
		if writer {
			w, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Close()
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := ingest.Open(ctx, path, ingest.Options{})
			ended <- err
		}()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("with a writer %v: %v", writer, err)
		}
	}
}
