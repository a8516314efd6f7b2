// Package java downloads and runs Java programs that tests and measurements need: a broker, a
// schema registry.
package java

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"

	"unfold/internal/fetched"
)

var pomVersion = regexp.MustCompile(`<[a-z]+\.version>(.+)</[a-z]+\.version>`)

// Fetched returns the folder NAME-VERSION of a program in the user's cache. On first use, mvn
// downloads it with the given pom and goals; the version is the pom's first property. finish, if
// not nil, arranges the files (fetched.Folder). It returns an error if java, mvn or the registry is
// missing.
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
	return fetched.Folder(name+"-"+string(version[1]), func(ctx context.Context, dir string) error {
		out, err := exec.CommandContext(ctx, "mvn", append([]string{"-q", "-B", "-f", pom, "-DoutputDirectory=" + dir}, goals...)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("mvn: %w: %s", err, bytes.TrimSpace(out))
		}
		if finish != nil {
			return finish(dir)
		}
		return nil
	})
}

// Guarded returns a command, not started yet, that runs a program from a shell. The shell first
// prints "pid N". It stops the program when standard input ends, which also happens if this process
// dies.
func Guarded(program ...string) *exec.Cmd {
	const script = `"$@" & p=$!; echo "pid $p"; cat >/dev/null; kill $p 2>/dev/null; wait $p`
	return exec.Command("sh", append([]string{"-c", script, "sh"}, program...)...)
}
