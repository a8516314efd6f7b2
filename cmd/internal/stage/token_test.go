package stage

import (
	"encoding/base64"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"unfold/cmd/internal/config"
)

func jwt(exp int64) string {
	return "e30." + base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"sub":"ann","exp":%d}`, exp)) + ".c2ln"
}

// The token file is read for each connection, and an expired token is rejected.
func TestTokenFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	c, err := cluster([]string{"a:1"}, config.Security{SASL: config.SASL{Mechanism: "oauthbearer", TokenFile: file, Extensions: "poolId=p,logicalCluster=l"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []struct{ content, want, problem string }{
		{"", "", "is empty"},
		{"opaque\n", "opaque", ""},
		{jwt(time.Now().Add(time.Hour).Unix()), "e30.", ""},
		{jwt(time.Now().Add(-time.Minute).Unix()), "", "expired at 20"},
		{"opaque again", "", "characters"},
	} {
		if err := os.WriteFile(file, []byte(s.content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, sent, err := c.SASL.Start(t.Context())
		if s.problem != "" {
			if err == nil || !strings.Contains(err.Error(), s.problem) || s.content != "" && strings.Contains(err.Error(), s.content) {
				t.Errorf("%q: %v", s.content, err)
			}
			continue
		}
		if err != nil || !strings.Contains(string(sent), "auth=Bearer "+s.want) || !strings.HasSuffix(string(sent), "\x01logicalCluster=l\x01poolId=p\x01\x01") {
			t.Errorf("%q: %q, %v", s.content, sent, err)
		}
		if strings.Contains(fmt.Sprintf("%+v", c), s.want) {
			t.Error("a print shows the token")
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.SASL.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("without the file: %v", err)
	}
}

// A command runs again shortly before its token expires, or for each connection if the token has no
// expiry time.
func TestTokenCommand(t *testing.T) {
	dir := t.TempDir()
	runs, token := filepath.Join(dir, "runs"), filepath.Join(dir, "token")
	now := time.Now()
	c := &tokenCommand{command: fmt.Sprintf("echo run >> '%s'; cat '%s'", runs, token), now: func() time.Time { return now }, limit: time.Minute}
	ask := func(content string, times int) string {
		t.Helper()
		if err := os.WriteFile(token, []byte(content+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := c.token(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		log, err := os.ReadFile(runs)
		if n := strings.Count(string(log), "run"); err != nil || n != times {
			t.Errorf("the command ran %d times, want %d (%v)", n, times, err)
		}
		return got
	}
	first, second := jwt(now.Add(100*time.Second).Unix()), jwt(now.Add(1000*time.Second).Unix())
	if got := ask(first, 1); got != first {
		t.Errorf("the token is %q", got)
	}
	now = now.Add(80 * time.Second)
	if got := ask(second, 1); got != first {
		t.Errorf("before it expires: %q", got)
	}
	now = now.Add(12 * time.Second)
	if got := ask(second, 2); got != second {
		t.Errorf("shortly before it expires: %q", got)
	}
	now = now.Add(1000 * time.Second)
	if ask("opaque", 3) != "opaque" || ask("other", 4) != "other" {
		t.Error("an opaque token is not asked for again")
	}
}

// The error of a failed command has its standard error, but not its output. A hanging command is
// ended.
func TestTokenCommandFails(t *testing.T) {
	for name, c := range map[string]struct{ command, want string }{
		"exit code": {"echo s3cret; echo the vault is closed >&2; exit 3", "exit status 3: the vault is closed"},
		"nothing":   {"true", "it printed nothing"},
		"missing":   {"no-such-command-here", "not found"},
		"expired":   {"echo " + jwt(time.Now().Add(-time.Hour).Unix()), "expired at"},
		"long":      {"yes complaint | head -c 100000 >&2; exit 1", "complaint..."},
	} {
		_, err := (&tokenCommand{command: c.command, now: time.Now, limit: time.Minute}).token(t.Context())
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "\n", " "), strings.TrimSuffix(c.want, "...")) || strings.Contains(err.Error(), "s3cret") || len(err.Error()) > 700 {
			t.Errorf("%s: %v", name, err)
		}
	}
	begin := time.Now()
	_, err := (&tokenCommand{command: "sleep 1000", now: time.Now, limit: 50 * time.Millisecond}).token(t.Context())
	if err == nil || !strings.Contains(err.Error(), "it took more than 50ms") || time.Since(begin) > time.Minute {
		t.Errorf("after %v: %v", time.Since(begin), err)
	}
}

// The children of a command end with it.
func TestTokenCommandLeavesNothing(t *testing.T) {
	begin := time.Now()
	file := filepath.Join(t.TempDir(), "pid")
	hangs := fmt.Sprintf("sleep 1000 & echo $! > '%s'; wait", file)
	if _, err := (&tokenCommand{command: hangs, now: time.Now, limit: time.Second / 2}).token(t.Context()); err == nil {
		t.Error("it came to an end")
	}
	pid, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for exec.Command("kill", "-0", strings.TrimSpace(string(pid))).Run() == nil {
		if time.Since(begin) > time.Minute {
			t.Fatal("what the command had started runs on")
		}
		time.Sleep(10 * time.Millisecond)
	}
}
