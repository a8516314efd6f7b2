package viewer

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"unfold/cmd/internal/web"
	"unfold/stream/view"
	page "unfold/web"
)

// Settings of a Handler.
type Settings struct {
	Hub *view.Hub
	// Place, if set, answers POST /place, which places rows, and GET /reasons/ID, which explains
	// the novelty of the event with an id.
	Place http.Handler
	// Maps, if set, returns the figures of the maps so far, oldest first, for JSON.
	Maps func() any
	// Again, if set, predicts the classes of points again.
	Again Again
	// Vector, if set, returns the feature vectors of points whose vectors the hub does not have. It
	// returns nil for unknown points.
	Vector func(id string) []float32
	// Picture, if set, returns the picture of a point as a file of one of the formats of PictureKind,
	// nil for unknown points. The hub's settings announce it.
	Picture func(id string) []byte
	// Other, if set, is another map of the same points, to compare with.
	Other *view.Hub
	// Stuck is the time after which a reader that reads nothing is dropped, 30 s for 0.
	Stuck time.Duration
}

// Handler serves the page. New makes one; Close must be called.
type Handler struct {
	set   Settings
	files map[string]file
	// style is the hash of the style in the page.
	style string
	// sockets are open until stop is called.
	ctx     context.Context
	stop    context.CancelFunc
	mu      sync.Mutex
	closed  bool
	open    int
	sockets sync.WaitGroup
	// dumps counts the responses with all points in progress, answers the bytes of the other
	// responses.
	dumps, answers atomic.Int64
	again          chan struct{} // serializes requests that predict classes
	compared       compared
}

// file is a file of the page with its headers.
type file struct {
	kind, tag string
	// small is compressed by gzip, smallest by Brotli, if the page was built with that.
	plain, small, smallest []byte
}

// policy lets the page load only its own files and pictures of the named origins, and have the
// style with this hash. It forbids interpreting text as markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'sha256-%s'; img-src %s; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// New returns a handler.
func New(s Settings) (*Handler, error) {
	if s.Stuck <= 0 {
		s.Stuck = 30 * time.Second
	}
	files, err := read(page.Files())
	if err != nil {
		return nil, fmt.Errorf("the page: %w", err)
	}
	style, err := assemble(files)
	if err != nil {
		return nil, fmt.Errorf("the page: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	return &Handler{set: s, files: files, style: style, ctx: ctx, stop: stop, again: make(chan struct{}, 1), compared: compared{turn: make(chan struct{}, 1)}}, nil
}

// read reads the page's files and compresses them.
func read(from fs.FS) (map[string]file, error) {
	files := map[string]file{}
	names, err := fs.Glob(from, "*")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		if path.Ext(name) == brotli {
			continue
		}
		smallest, err := fs.ReadFile(from, name+brotli)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		small, err := zipped(text)
		if err != nil {
			return nil, err
		}
		files["/"+name] = file{kinds[path.Ext(name)], tagOf(text), text, small, smallest}
	}
	return files, nil
}

// assemble puts the style into the page, which saves a round trip before the first picture, and the
// scripts' tags into their addresses, so that browsers keep the scripts without asking. It returns
// the hash of the style.
func assemble(files map[string]file) (style string, err error) {
	css := string(files[stylesheet].plain)
	changes := [][2]string{{styleLink, "<style>" + css + "</style>"}}
	for _, name := range scripts {
		changes = append(changes, [2]string{`src="` + name + `"`, `src="` + name + "?" + files["/"+name].version() + `"`})
	}
	text, err := changed(string(files[index].plain), changes)
	if err != nil {
		return "", err
	}
	f := files[index]
	f.plain, f.tag = []byte(text), tagOf([]byte(text))
	f.small, err = zipped(f.plain)
	files[index] = f
	delete(files, stylesheet)
	return hashOf(css), err
}

// zipped compresses by gzip.
func zipped(text []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(text)
	}
	err = errors.Join(err, z.Close())
	return out.Bytes(), err
}

// tagOf returns the entity tag of a text.
func tagOf(text []byte) string {
	sum := sha256.Sum256(text)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// version returns the tag without its quotes.
func (f file) version() string { return strings.Trim(f.tag, `"`) }

// brotli ends the names of files that are compressed already.
const brotli = ".br"

// kinds are the media types of the page's files; the system's tables may have others.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
}

// index is the page itself, live the path of its socket. The page's source names stylesheet by
// styleLink.
const (
	index      = "/index.html"
	live       = "/live"
	stylesheet = "/app.css"
	styleLink  = `<link rel="stylesheet" href="app.css">`
)

// scripts are the page's scripts, as its source names them.
var scripts = []string{"app.js", "early.js"}

// Over returns pages combined with the page: / is the page for browsers, and the original one for
// all other clients. Names lists the other paths that it answers.
func (h *Handler) Over(pages http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept")
		if !web.WantsHTML(r) {
			pages.ServeHTTP(w, r)
			return
		}
		h.page(w, r)
	})
	for name := range h.files {
		if name != index {
			mux.HandleFunc("GET "+name, h.file(name))
		}
	}
	mux.HandleFunc("GET "+live, h.socket)
	h.api(mux)
	return mux
}

// file sends one of the page's files.
func (h *Handler) file(name string) http.HandlerFunc {
	f := h.files[name]
	return func(w http.ResponseWriter, r *http.Request) {
		h.harden(w)
		head := w.Header()
		// Browsers keep a file whose address has its version. They ask for others each time, and mostly
		// get "not modified".
		head.Set("Cache-Control", "no-cache")
		if r.URL.RawQuery == f.version() {
			head.Set("Cache-Control", "private, max-age=31536000, immutable")
		}
		head.Set("Content-Type", f.kind)
		head.Set("ETag", f.tag)
		head.Add("Vary", "Accept-Encoding")
		body := f.plain
		switch {
		case f.smallest != nil && accepts(r, "br"):
			head.Set("Content-Encoding", "br")
			body = f.smallest
		case accepts(r, "gzip"):
			head.Set("Content-Encoding", "gzip")
			body = f.small
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
	}
}

// accepts reports whether a client reads an encoding.
func accepts(r *http.Request, encoding string) bool {
	for one := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, quality, _ := strings.Cut(one, ";")
		if strings.TrimSpace(name) == encoding {
			return strings.TrimRight(strings.ReplaceAll(quality, " ", ""), "0.") != "q="
		}
	}
	return false
}

// harden sets the headers that forbid everything that the page does not need.
func (h *Handler) harden(w http.ResponseWriter) {
	head := w.Header()
	head.Set("Content-Security-Policy", fmt.Sprintf(policy, h.style, strings.Join(append([]string{"'self'"}, h.set.Hub.PicturesFrom()...), " ")))
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
}

// Close closes the sockets and waits for them to end.
func (h *Handler) Close() error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.stop()
	h.sockets.Wait()
	return nil
}
