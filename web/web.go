// Package web holds the page that shows a map, as make page builds it from src.
//
// Nothing here imports anything of the module. Package cmd/internal/viewer serves the files;
// docs/decisions/page.md says how they came to be so.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files are the page's: index.html and what it loads.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // of a name that is a constant
	}
	return files
}
