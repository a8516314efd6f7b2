package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"unfold/internal/simd"
)

type versionCmd struct {
	JSON bool `name:"json" help:"Write one JSON object, on one line."`
}

func (c *versionCmd) Run(p *program) error {
	b := buildOf(p.System)
	if c.JSON {
		return json.NewEncoder(p.Stdout).Encode(b)
	}
	p.printf("unfold %s\n%s %s\n", b.Version, b.Go, b.Platform)
	return nil
}

type build struct {
	// Version is the release's version, or the go command's version from the last tag and commit.
	// Without a known tag it is "(devel)" with the commit, if any.
	Version string `json:"version"`
	// Revision is the commit and Time its time. Modified is set if files had uncommitted changes.
	// They are empty if the build did not see the repository.
	Revision string `json:"revision"`
	Time     string `json:"time"`
	Modified bool   `json:"modified"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// SIMD is the set of vector instructions that the kernels use on this machine.
	SIMD string `json:"simd"`
}

// programVersion returns the program's version.
func (p *program) programVersion() string { return buildOf(p.System).Version }

func buildOf(sys System) build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = new(debug.BuildInfo)
	}
	return describe(sys.Version, info)
}

// describe returns the build from the linker's version, which takes precedence if set, and the
// build info of the go command.
func describe(given string, info *debug.BuildInfo) build {
	b := build{
		Version: info.Main.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, SIMD: simd.Best().String(),
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	switch {
	case given != "":
		b.Version = given
	case b.Version == "":
		b.Version = "(unknown version)"
	case b.Version == "(devel)" && b.Revision != "":
		b.Version = fmt.Sprintf("(devel) %.12s", b.Revision)
	}
	return b
}
