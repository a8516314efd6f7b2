// Package serve places what is asked for over HTTP, or over a pipe.
//
//	POST /place        rows in, places out, in their order
//	POST /decode       positions of the map in, the vectors there out, in their order
//	GET  /model        what they are placed on
//	GET  /openapi.json the description of all (OpenAPI 3.1)
//
// A body is one Arrow IPC stream, a JSON object or an array of objects as on topics, or
// {"vectors": [[...], ...]}. The answer is JSON or Arrow. Errors are problem details (RFC
// 9457) that name row and column. docs/operations.md has the limits, docs/reference/http.md what
// goes to and fro.
//
// Each leads through one function, Placer.Place or Placer.Decode: bytes of a request to bytes of an
// answer. Handler is that behind HTTP, Lines and Frames are it on a pipe, where one request
// follows the other. Places are those that files and streams get: package stream/embed makes
// them, so that the same row has the same place whichever way it came.
//
// Requests are not gathered into batches: a row among many takes about as long as one alone
// (BenchmarkPlace), so that waiting for others would only make answers late.
//
// Nothing of a request is logged.
package serve
