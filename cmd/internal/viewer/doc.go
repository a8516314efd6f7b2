// Package viewer serves the page that shows a map.
//
//	GET /          the page, for browsers; other clients get the original page
//	GET /app.js    and the other files that the page loads
//	GET /live      a WebSocket: the messages of package stream/view
//	GET /api/  the points for programs: openapi.json describes it
//
// No request changes anything. Package web controls access; sockets are also refused here to pages
// of other origins.
package viewer
