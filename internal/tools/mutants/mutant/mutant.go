// Package mutant switches on one small change of a program. Command mutants inserts calls of its
// functions into copies of the sources; nothing else imports it.
//
// The environment variable UNFOLD_MUTANT is the number of the change, none if unset. With
// UNFOLD_MUTANT_HITS=FILE the numbers of reached changes are written to the file, one a line.
package mutant

import (
	"fmt"
	"os"
	"strconv"
	"sync/atomic"
)

var (
	active = number()
	hits   = os.Getenv("UNFOLD_MUTANT_HITS")
	seen   [1 << 16]atomic.Bool // a table, because some tests count allocations
)

func number() int {
	if n, err := strconv.Atoi(os.Getenv("UNFOLD_MUTANT")); err == nil {
		return n
	}
	return -1
}

// On reports whether change k is switched on.
func On(k int) bool {
	if hits != "" {
		record(k)
	}
	return active == k
}

// Not negates the condition if change k is on.
func Not(k int, condition bool) bool { return condition != On(k) }

// Or returns usual, or other if change k is on.
func Or(k int, usual, other bool) bool {
	if On(k) {
		return other
	}
	return usual
}

// One returns 1, or 0 if change k is on.
func One(k int) int {
	if On(k) {
		return 0
	}
	return 1
}

// record appends the number of a change to the file of hits when it is first reached.
func record(k int) {
	if s := &seen[k]; s.Load() || s.Swap(true) {
		return
	}
	f, err := os.OpenFile(hits, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err) // without the hits the results would be wrong
	}
	defer f.Close()
	if _, err := fmt.Fprintln(f, k); err != nil {
		panic(err)
	}
}
