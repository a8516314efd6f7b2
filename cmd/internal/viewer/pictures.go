package viewer

import (
	"net/http"
	"slices"
)

// MostPicture is the maximum size of a picture in bytes.
const MostPicture = 8 << 20

// pictureKinds are the media types of pictures that the page shows. SVG is none of them, since it can
// contain scripts.
var pictureKinds = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// PictureKind returns the media type of a picture by its first bytes, "" for anything else.
func PictureKind[T string | []byte](data T) string {
	const looked = 512 // of DetectContentType
	if kind := http.DetectContentType([]byte(data[:min(len(data), looked)])); slices.Contains(pictureKinds, kind) {
		return kind
	}
	return ""
}

// picture sends the picture of a point, or no content if the point has none. The browser must not take
// it for anything else.
func (h *Handler) picture(w http.ResponseWriter, r *http.Request) {
	data := h.set.Picture(r.PathValue("id"))
	kind := PictureKind(data)
	if kind == "" || len(data) > MostPicture {
		w.WriteHeader(http.StatusNoContent) // browsers write failures to their console
		return
	}
	plain(w, kind)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; sandbox")
	_, _ = w.Write(data) // only the client's connection can fail here
}
