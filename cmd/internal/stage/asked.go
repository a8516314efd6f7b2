package stage

import (
	"errors"
	"sync/atomic"

	"unfold/cmd/internal/config"
	"unfold/cmd/internal/serve"
	"unfold/ingest/record"
	"unfold/stream"
	"unfold/stream/embed"
)

// placePaths returns the paths that http_place adds, nil without it.
func placePaths(c *config.Config) []string {
	if !c.HTTPPlace {
		return nil
	}
	return serve.Paths
}

// asked returns a function for the current map as a model for requests. types are the types of
// columns in JSON. The model is created once per map.
func (st *Stage) asked(kind string, types map[string]record.Type) func() (*serve.Model, error) {
	type made struct {
		of *stream.Published
		m  *serve.Model
	}
	var last atomic.Pointer[made]
	return func() (*serve.Model, error) {
		cur := st.Current()
		if cur == nil {
			return nil, errors.New("there is no map yet; see /readyz")
		}
		if l := last.Load(); l != nil && l.of == cur {
			return l.m, nil
		}
		m, ok := cur.Map.(*embed.Map)
		if !ok {
			return nil, errors.New("this stage's map places messages alone")
		}
		next := &made{cur, serve.NewModel(m, kind, cur.Points, types)}
		last.Store(next)
		return next.m, nil
	}
}
