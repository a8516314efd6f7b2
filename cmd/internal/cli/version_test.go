package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime"
	"runtime/debug"
	"testing"

	"unfold/internal/simd"
)

func TestDescribe(t *testing.T) {
	vcs := []debug.BuildSetting{
		{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"}, {Key: "vcs.time", Value: "2026-11-22T20:00:00Z"},
		{Key: "vcs.modified", Value: "true"},
	}
	for _, c := range []struct {
		name, given, recorded string
		settings              []debug.BuildSetting
		version               string
	}{
		{"a release's flag", "v0.1.0", "v0.0.9", vcs, "v0.1.0"},
		{"a tag", "", "v0.1.0", vcs, "v0.1.0"},
		{"a module that was fetched", "", "v0.1.0", nil, "v0.1.0"},
		{"no tag", "", "(devel)", vcs, "(devel) 0123456789ab"},
		{"no repository", "", "(devel)", nil, "(devel)"},
		{"nothing", "", "", nil, "(unknown version)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := describe(c.given, &debug.BuildInfo{Main: debug.Module{Version: c.recorded}, Settings: c.settings})
			want := build{
				Version: c.version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, SIMD: simd.Best().String(),
			}
			if c.settings != nil {
				want.Revision, want.Time, want.Modified = vcs[0].Value, vcs[1].Value, true
			}
			if b != want {
				t.Errorf("%+v, want %+v", b, want)
			}
		})
	}
}

// The JSON of version has exactly these keys.
func TestVersionJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := Run(context.Background(), System{Args: []string{"version", "--json"}, Stdout: &stdout, Stderr: &stderr, Version: "v1.2.3"}); code != 0 {
		t.Fatalf("exit %d, %s", code, &stderr)
	}
	var got map[string]any
	if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"version", "revision", "time", "modified", "go", "platform", "simd"} {
		if _, ok := got[key]; !ok {
			t.Errorf("there is no key %q in %s", key, &stdout)
		}
		delete(got, key)
	}
	if len(got) != 0 {
		t.Errorf("keys too many: %v", got)
	}
}
