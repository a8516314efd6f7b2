// Package java fetches and runs programs for Java that tests and measurements need: a
// broker, a schema registry.
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

// Fetched returns the folder of a program in the user's cache, NAME-VERSION. The first time,
// mvn puts there what a pom, which says the version in its first property, and goals say;
// finish, if not nil, makes of it what is to stay (fetched.Folder). Errors say why there is
// none: no java, no mvn, no registry to fetch from.
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

// Guarded is a program behind a shell, not yet started, that says "pid N" first. When its
// standard input ends, which it also does if this process dies, the shell stops it.
func Guarded(program ...string) *exec.Cmd {
	const script = `"$@" & p=$!; echo "pid $p"; cat >/dev/null; kill $p 2>/dev/null; wait $p`
	return exec.Command("sh", append([]string{"-c", script, "sh"}, program...)...)
}
