package viewer

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"unfold/stream/view"
	"unfold/web"
)

// MostExported is the maximum number of points in an exported file.
const MostExported = 200_000

// exportedPolicy lets a file run its own script and load nothing.
const exportedPolicy = "default-src 'none'; script-src 'sha256-%s'; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Export writes the page with the current state of a hub as a single file, which needs no server.
func Export(ctx context.Context, w io.Writer, hub *view.Hub) error {
	files := map[string]string{}
	for _, name := range []string{"index.html", "app.js", "app.css"} {
		text, err := fs.ReadFile(web.Files(), name)
		if err != nil {
			return fmt.Errorf("the page: %w", err)
		}
		files[name] = string(text)
	}
	data, err := packed(ctx, hub)
	if err != nil {
		return err
	}
	script := strings.ReplaceAll(files["app.js"], "</script", `<\/script`)
	policy := fmt.Sprintf(exportedPolicy, hashOf(script), hashOf(files["app.css"]))
	page, err := changed(files["index.html"], [][2]string{
		{`<meta charset="utf-8">`, `<meta charset="utf-8">` + "\n" + `<meta http-equiv="Content-Security-Policy" content="` + policy + `">`},
		{`<link rel="icon" href="icon.svg" type="image/svg+xml">` + "\n", ""},
		{`<script async src="early.js"></script>` + "\n", ""},
		{styleLink, "<style>" + files["app.css"] + "</style>"},
		{`<script type="module" src="app.js"></script>`, `<script type="module">` + script + "</script>"},
		{"</body>", `<script type="application/octet-stream" id="data">` + data + "</script>\n</body>"},
	})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, page)
	return err
}

// changed replaces texts, each of which the page has once.
func changed(page string, changes [][2]string) (string, error) {
	for _, change := range changes {
		if strings.Count(page, change[0]) != 1 {
			return "", fmt.Errorf("the page does not have %q once: it was built otherwise", change[0])
		}
		page = strings.Replace(page, change[0], change[1], 1)
	}
	return page, nil
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// whole is the message that ends the initial state for a reader.
const whole = `{"type":"whole"}`

// packed encodes the whole state of a hub. Each message is preceded by its length (uint32,
// little-endian) and a flag for text. Everything is compressed by gzip and encoded as base64.
func packed(ctx context.Context, hub *view.Hub) (string, error) {
	r := hub.Join()
	defer r.Close()
	p := newPacking()
	for {
		m, err := r.Next(ctx)
		if err != nil {
			return "", errors.Join(err, p.z.Close())
		}
		if err := p.add(m); err != nil {
			return "", err
		}
		if m.Text && string(m.Data) == whole {
			return p.text()
		}
	}
}

// packing packs messages.
type packing struct {
	out bytes.Buffer
	z   *gzip.Writer // to out
}

func newPacking() *packing {
	p := &packing{}
	p.z = gzip.NewWriter(&p.out)
	return p
}

func (p *packing) add(m view.Message) error {
	head := make([]byte, 5)
	binary.LittleEndian.PutUint32(head, uint32(len(m.Data)))
	if m.Text {
		head[4] = 1
	}
	_, err := p.z.Write(append(head, m.Data...))
	return err
}

func (p *packing) text() (string, error) {
	err := p.z.Close()
	return base64.StdEncoding.EncodeToString(p.out.Bytes()), err
}
