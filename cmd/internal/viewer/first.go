package viewer

import (
	"bytes"
	"compress/gzip"
	"context"
	"net/http"
	"time"
)

// On a slow line a socket costs several round trips before its first message comes. So the page
// itself has the first messages of the state, up to the sample of the points, and shows them while
// it connects.

// firstBytes bounds the messages in the page. The sample of a large map has 30 kB.
const firstBytes = 64 << 10

// firstWait bounds the wait for them.
const firstWait = 100 * time.Millisecond

// page sends the page with the first messages.
func (h *Handler) page(w http.ResponseWriter, r *http.Request) {
	first := h.first(r.Context())
	if first == "" {
		h.file(index)(w, r)
		return
	}
	h.harden(w)
	head := w.Header()
	head.Set("Cache-Control", "no-store")
	head.Set("Content-Type", kinds[".html"])
	head.Add("Vary", "Accept-Encoding")
	body := bytes.Replace(h.files[index].plain, []byte("</body>"), []byte(`<script type="application/octet-stream" id="first">`+first+"</script>\n</body>"), 1)
	if accepts(r, "gzip") {
		var small bytes.Buffer
		z := gzip.NewWriter(&small)
		if _, err := z.Write(body); err == nil && z.Close() == nil {
			head.Set("Content-Encoding", "gzip")
			body = small.Bytes()
		}
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

// first packs the messages of the state until the first points, "" if they are many or there are
// none.
func (h *Handler) first(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, firstWait)
	defer cancel()
	reader := h.set.Hub.Join()
	defer reader.Close()
	p := newPacking()
	for n := 0; ; {
		m, err := reader.Next(ctx)
		if n += len(m.Data); err != nil || n > firstBytes || m.Text && string(m.Data) == whole || p.add(m) != nil {
			return ""
		}
		if !m.Text {
			break
		}
	}
	text, err := p.text()
	if err != nil {
		return ""
	}
	return text
}
