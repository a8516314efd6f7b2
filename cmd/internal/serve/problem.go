package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"unfold/ingest/table"
	"unfold/models"
)

// problemType is the content type of problem details (RFC 9457).
const problemType = "application/problem+json"

// Problem is the error of a request in the form of RFC 9457.
type Problem struct {
	// Type is about:blank, which means that Title is the text of the status.
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Detail describes the error, its position and the remedy.
	Detail string `json:"detail"`
	// Row is the row of the request, counted from 1, and Column its column. They are empty if the
	// error concerns none.
	Row    int64  `json:"row,omitempty"`
	Column string `json:"column,omitempty"`
}

// Error returns the detail.
func (p *Problem) Error() string { return p.Detail }

// Problemf returns a problem with a formatted detail.
func Problemf(status int, format string, args ...any) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// problemOf converts an error to a problem. Errors in the request get the given status.
func problemOf(err error, status int) *Problem {
	var p *Problem
	var at *table.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return Problemf(http.StatusServiceUnavailable, "the request took longer than it may; ask for less at a time, or later")
	case errors.As(err, &at):
		p = Problemf(status, "%s", strings.TrimPrefix(at.Error(), request.String()+": "))
		p.Row, p.Column = at.Row+1, at.Column
		return p
	case models.IsBadInput(err):
		return Problemf(status, "%s", strings.TrimPrefix(err.Error(), request.String()+": "))
	}
	return Problemf(http.StatusInternalServerError, "%v", err)
}

// line encodes the problem as an object with the key error, for responses on a pipe.
func (p *Problem) line() []byte {
	text, err := json.Marshal(struct {
		Error  string `json:"error"`
		Status int    `json:"status"`
		Row    int64  `json:"row,omitempty"`
		Column string `json:"column,omitempty"`
	}{p.Detail, p.Status, p.Row, p.Column})
	if err != nil { // strings and numbers always encode
		panic(err)
	}
	return text
}

// write sends the problem as a response.
func (p *Problem) write(w http.ResponseWriter) {
	text, err := json.Marshal(p)
	if err != nil { // strings and numbers always encode
		panic(err)
	}
	if p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	send(w, p.Status, problemType, append(text, '\n'))
}

// send writes a response. A write error is ignored: it means that the connection is broken.
func send(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
