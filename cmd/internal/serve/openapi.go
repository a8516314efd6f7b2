package serve

import (
	_ "embed"
	"net/http"
	"unfold/ingest/emit"
)

// openAPI describes the requests and answers of a Handler, as OpenAPI 3.1.
//
//go:embed openapi.json
var openAPI []byte

func (h *Handler) openAPI(w http.ResponseWriter, _ *http.Request) {
	send(w, http.StatusOK, emit.JSONType, openAPI)
}
