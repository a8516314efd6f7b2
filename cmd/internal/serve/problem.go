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

// Problem says why a request was not answered, as RFC 9457 has it.
type Problem struct {
	// Type is about:blank: Title is the status in words.
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Detail says what is wrong, where and what to do.
	Detail string `json:"detail"`
	// Row of the request, counted from 1, and Column, if it is one's fault.
	Row    int64  `json:"row,omitempty"`
	Column string `json:"column,omitempty"`
}

// Error is the detail.
func (p *Problem) Error() string { return p.Detail }

// problemf makes a problem.
func problemf(status int, format string, args ...any) *Problem {
	return &Problem{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: fmt.Sprintf(format, args...)}
}

// problemOf makes a problem of an error. Those that lie in the request have the status
// that is given.
func problemOf(err error, status int) *Problem {
	var p *Problem
	var at *table.Error
	switch {
	case errors.As(err, &p):
		return p
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return problemf(http.StatusServiceUnavailable, "the request took longer than it may; ask for less at a time, or later")
	case errors.As(err, &at):
		p = problemf(status, "%s", strings.TrimPrefix(at.Error(), request.String()+": "))
		p.Row, p.Column = at.Row+1, at.Column
		return p
	case models.IsBadInput(err):
		return problemf(status, "%s", strings.TrimPrefix(err.Error(), request.String()+": "))
	}
	return problemf(http.StatusInternalServerError, "%v", err)
}

// line is the problem as an object with the key error, for answers on a pipe.
func (p *Problem) line() []byte {
	text, err := json.Marshal(struct {
		Error  string `json:"error"`
		Status int    `json:"status"`
		Row    int64  `json:"row,omitempty"`
		Column string `json:"column,omitempty"`
	}{p.Detail, p.Status, p.Row, p.Column})
	if err != nil { // strings and numbers
		panic(err)
	}
	return text
}

// write answers with the problem.
func (p *Problem) write(w http.ResponseWriter) {
	text, err := json.Marshal(p)
	if err != nil { // strings and numbers
		panic(err)
	}
	if p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	send(w, p.Status, problemType, append(text, '\n'))
}

// send answers. An error is the reader's connection.
func send(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
