package apache

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

var pomVersion = regexp.MustCompile(`<kafka\.version>(.+)</kafka\.version>`)

// jars returns the folder of Kafka's jars; it fetches them the first time.
func jars() (string, error) {
	if _, err := exec.LookPath("java"); err != nil {
		return "", err
	}
	pom := filepath.Join(configuration(), "pom.xml")
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
	dir := filepath.Join(cache, "unfold-test", "kafka-"+string(version[1]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	return dir, fetch(pom, dir)
}

// fetch has mvn put the jars into dir, all or none.
func fetch(pom, dir string) error {
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
	out, err := exec.CommandContext(ctx, "mvn", "-q", "-B", "-f", pom, "dependency:copy-dependencies",
		"-DincludeScope=runtime", "-DoutputDirectory="+tmp).CombinedOutput()
	if err != nil {
		return fmt.Errorf("mvn: %w: %s", err, bytes.TrimSpace(out))
	}
	if err := os.Rename(tmp, dir); err != nil {
		// Another process may have been faster.
		if _, missing := os.Stat(dir); missing != nil {
			return err
		}
	}
	return nil
}

// configuration is the folder that holds the broker's settings and what it is made
// of, found from the module's root.
func configuration() string {
	dir, err := os.Getwd()
	for err == nil {
		if _, missing := os.Stat(filepath.Join(dir, "go.mod")); missing == nil || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, "testdata", "kafka")
}
