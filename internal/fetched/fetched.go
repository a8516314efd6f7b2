// Package fetched caches external programs and libraries, which tests and measurements need, in the
// user's cache folder.
package fetched

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// Folder returns the folder with the given name in the user's cache. On first use, fill writes its
// contents into an empty folder. The folder appears completely or not at all, even if another
// process fills it at the same time.
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

// started is the working directory of the process at its start. Tests may change theirs.
var started, _ = os.Getwd()

// Testdata returns a folder in testdata of the module around the directory in which the process
// started. The path of the source file is of no use: -trimpath removes it.
func Testdata(name string) string {
	dir := started
	for !isModule(dir) && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, "testdata", name)
}

// isModule reports whether the folder is that of the module with the test data.
func isModule(dir string) bool {
	for _, name := range []string{"go.mod", "testdata"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}
