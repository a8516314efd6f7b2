package serve

import (
	_ "embed"
	"net/http"
)

// OpenAPI describes what a Handler answers, as OpenAPI 3.1.
//
//go:embed openapi.json
var OpenAPI []byte

func (h *Handler) openAPI(w http.ResponseWriter, _ *http.Request) {
	send(w, http.StatusOK, jsonType, OpenAPI)
}
