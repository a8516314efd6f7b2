// Package fetched keeps what others wrote and tests and measurements need, programs and
// libraries, in the user's cache.
package fetched

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// Folder returns the folder of a name in the user's cache. The first time, fill puts into an
// empty folder what is to stay. All or none is kept, though another process may do the
// same at the same time. Errors say why there is no folder.
func Folder(name string, fill func(ctx context.Context, dir string) error) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "unfold-test", name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "fetching-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := fill(ctx, tmp); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, dir); err != nil {
		// Another process may have been faster.
		if _, missing := os.Stat(dir); missing != nil {
			return "", err
		}
	}
	return dir, nil
}

// Testdata is a folder in testdata: of the source that this was compiled from, so that a
// test may change its directory, or else of the module around the working directory.
func Testdata(name string) string {
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		return filepath.Join(filepath.Dir(file), "..", "..", "testdata", name)
	}
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, "testdata", name)
}
