package viewer

import (
	"net/http"
	"strings"
)

// MostPicture is the maximum size of a picture in bytes.
const MostPicture = 8 << 20

// pictureKinds are the formats of pictures that the page shows, by their first bytes. SVG is none of
// them, since it can contain scripts.
var pictureKinds = []struct{ begins, then, kind string }{
	{"\x89PNG\r\n\x1a\n", "", "image/png"},
	{"\xff\xd8\xff", "", "image/jpeg"},
	{"GIF8", "", "image/gif"},
	{"RIFF", "WEBP", "image/webp"},
}

// thenAt is the position of the second mark of a format.
const thenAt = 8

// PictureKind returns the media type of a picture by its first bytes, "" for anything else.
func PictureKind[T string | []byte](data T) string {
	head := string(data[:min(len(data), thenAt+4)])
	for _, k := range pictureKinds {
		if strings.HasPrefix(head, k.begins) && strings.HasPrefix(head[min(thenAt, len(head)):], k.then) {
			return k.kind
		}
	}
	return ""
}

// picture sends the picture of a point. The browser must not take it for anything else.
func (h *Handler) picture(w http.ResponseWriter, r *http.Request) {
	data := h.set.Picture(r.PathValue("id"))
	kind := PictureKind(data)
	if kind == "" || len(data) > MostPicture {
		http.Error(w, "this point has no picture", http.StatusNotFound)
		return
	}
	plain(w, kind)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = w.Write(data) // only the client's connection can fail here
}
