package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"unfold/cmd/internal/serve"
	"unfold/ingest"
	"unfold/internal/regular"
	"unfold/models/snapshot"
	"unfold/stream/view"
)

// askedModel is the model that the readers of a page can ask why a point is novel, and where a record
// would go. It is read when it is asked first. A nil askedModel is none.
type askedModel struct {
	// path is "" if no model is known.
	path string
	// shown is set if the page shows the model itself. found is set if find has chosen the model.
	shown, found bool
}

// model returns the path of the model of a map, "" if it is not known. Without questions to a model it
// is looked for as well.
func (a *askedModel) model(path, mapID string) string {
	switch {
	case a != nil:
		return a.path
	case mapID == "" || path == "-":
		return ""
	}
	return modelBeside(path, mapID)
}

// known reports whether there is a model.
func (a *askedModel) known() bool { return a != nil && a.path != "" }

// is names the model that is shown as a map.
func (a *askedModel) is(path string) error {
	if a.known() {
		return usagef("--model goes with a map; %s is a model", path)
	}
	if a != nil {
		a.path, a.shown = path, true
	}
	return nil
}

// find looks for the model of a map in the map's folder, unless one is given. The id of the map is "" if
// it is not known.
func (a *askedModel) find(path, mapID string) error {
	if a == nil {
		return nil
	}
	if a.path == "" {
		if mapID != "" && path != "-" {
			a.path = modelBeside(path, mapID)
			a.found = a.path != ""
		}
		return nil
	}
	id, err := idOfMap(a.path)
	if err != nil {
		return err
	}
	if mapID != "" && id != "" && id != mapID {
		return usagef("--model: %s is the model of another map (%s) than %s (%s)", a.path, id, path, mapID)
	}
	return nil
}

// modelSuffix is the usual end of a model's name.
const modelSuffix = ".unfold"

// modelBeside returns the path of the newest model of a map in the folder of the map's file, "" if there
// is none.
func modelBeside(path, mapID string) string {
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return "" // an address, or a folder that may not be listed
	}
	best, at := "", time.Time{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(e.Name(), modelSuffix) || best != "" && !info.ModTime().After(at) {
			continue
		}
		file := filepath.Join(folder, e.Name())
		if id, err := idOfMap(file); err == nil && id == mapID {
			best, at = file, info.ModTime()
		}
	}
	return best
}

// classesOf returns the column with the known classes of a model's rows, "" if the model has none or is
// not known.
func classesOf(path string) string {
	f, err := regular.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	encoder, err := snapshot.ReadEncoder(f)
	if err != nil {
		return ""
	}
	e := new(ingest.Encoder)
	if err := json.Unmarshal(encoder, e); err != nil {
		return ""
	}
	return e.Selection().Label
}

// idOfMap returns the id of a model's map.
func idOfMap(path string) (string, error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	id, err := snapshot.ReadMapID(f)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return id, nil
}

// answers returns the handler of a page's questions and the vectors of points, nils without a model.
func (a *askedModel) answers(ctx context.Context, p *program, hub *view.Hub) (http.Handler, func(id string) []float32, error) {
	if !a.known() {
		return nil, nil, nil
	}
	settings, err := p.settingsOf(func() map[string]string { return nil }, serveKeys)
	if err != nil {
		return nil, nil, err
	}
	if a.found {
		p.note("the page asks %s, the model of this map, why a point is novel and where a record would go", a.path)
	}
	s := &served{path: a.path, settings: settings}
	load := sync.OnceValue(func() error { return s.load(ctx) })
	current := func() (*serve.Model, error) {
		if err := load(); err != nil {
			return nil, err
		}
		return s.now()
	}
	if a.shown {
		if err := load(); err != nil {
			return nil, nil, err
		}
	}
	vector := func(m *serve.Model, id string) ([]float32, error) {
		if x, there := hub.Vector(id); there && len(x) == m.Dim() && m.Description().Vector != "" {
			return x, nil
		}
		if a.shown {
			return m.Vector(id)
		}
		// By the place, since equal rows share a point, and since new rows may have the ids of others.
		if p, _, there := hub.Point(id, 0); there {
			if x, there := m.VectorAt(p.X, p.Y); there {
				return x, nil
			}
		}
		return nil, serve.Problemf(http.StatusNotFound, "the model has no vector of %q: it was not learnt from this row", id)
	}
	ofPoint := func(id string) []float32 {
		m, err := current()
		if err != nil {
			return nil
		}
		x, _ := vector(m, id)
		return x
	}
	return serve.New(serve.Settings{Current: current, Vector: vector}), ofPoint, nil
}
