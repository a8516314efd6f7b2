// Package serve answers placement requests over HTTP or pipes.
//
//	POST /place        rows in, places out, in their order
//	POST /decode       map positions in, decoded vectors out, in their order
//	GET  /model        description of the model
//	GET  /openapi.json description of the API (OpenAPI 3.1)
//
// A body is one Arrow IPC stream, a JSON object, an array of objects as on topics, or {"vectors":
// [[...], ...]}. The response is JSON or Arrow. Errors are problem details (RFC 9457) with row and
// column. docs/operations.md describes the limits, docs/reference/http.md the requests and
// responses.
//
// All requests use one function, Placer.Place or Placer.Decode, which converts the bytes of a
// request to those of a response. Handler calls it for HTTP. Lines and Frames call it for
// consecutive requests on a pipe. Package stream/embed computes the places, as for files and
// streams. So a row gets the same place everywhere.
//
// Requests are not batched. A row in a batch takes about as long as a single row (BenchmarkPlace),
// so batching would only delay responses.
//
// The contents of requests are not logged.
package serve
