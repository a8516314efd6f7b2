// Package java fetches and runs programs for Java that tests and measurements need: a
// broker, a schema registry.
package java

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"time"
)

var pomVersion = regexp.MustCompile(`<[a-z]+\.version>(.+)</[a-z]+\.version>`)

// Fetched returns the folder of a program in the user's cache, NAME-VERSION. The first time,
// mvn puts there what a pom, which says the version in its first property, and goals say;
// finish, if not nil, makes of it what is to stay. All or none is put there. Errors say why
// there is none: no java, no mvn, no registry to fetch from.
func Fetched(pom, name string, finish func(dir string) error, goals ...string) (string, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", err
	}
	text, err := os.ReadFile(pom)
	if err != nil {
		return "", err
	}
	version := pomVersion.FindSubmatch(text)
	if version == nil {
		return "", fmt.Errorf("%s names no version", pom)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "unfold-test", name+"-"+string(version[1]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, fetch(pom, dir, finish, goals)
}

// fetch has mvn put what the goals say into dir, all or none.
func fetch(pom, dir string, finish func(dir string) error, goals []string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "fetching-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "mvn", append([]string{"-q", "-B", "-f", pom, "-DoutputDirectory=" + tmp}, goals...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mvn: %w: %s", err, bytes.TrimSpace(out))
	}
	if finish != nil {
		if err := finish(tmp); err != nil {
			return err
		}
	}
	if err := os.Rename(tmp, dir); err != nil {
		// Another process may have been faster.
		if _, missing := os.Stat(dir); missing != nil {
			return err
		}
	}
	return nil
}

// Guarded is a program behind a shell, not yet started, that says "pid N" first. When its
// standard input ends, which it also does if this process dies, the shell stops it.
func Guarded(program ...string) *exec.Cmd {
	const script = `"$@" & p=$!; echo "pid $p"; cat >/dev/null; kill $p 2>/dev/null; wait $p`
	return exec.Command("sh", append([]string{"-c", script, "sh"}, program...)...)
}

// Testdata is a folder in testdata, found from the module's root.
func Testdata(name string) string {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, "testdata", name)
}
