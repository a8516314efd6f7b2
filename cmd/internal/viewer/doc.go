// Package viewer serves the page that shows a map.
//
//	GET /          the page, for browsers; who asks for something else gets what stands behind it
//	GET /app.js    and the other files that the page loads
//	GET /live      a WebSocket: the messages of package stream/view
//	GET /api/  the points for programs: openapi.json describes it
//
// Nothing that is asked changes anything. Requests that come by a name which is not this
// machine's are refused while only this machine can reach the address; sockets are refused
// to pages from elsewhere. With a token all of it wants that: in a header ("Authorization: Bearer"),
// as a cookie, or once as ?token=, which sets the cookie.
package viewer
