package labels

import (
	"cmp"
	"math"
	"slices"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/score"
)

// Events are labelled places.
type Events struct {
	Mu    vec.Matrix[float64] // n x d
	Sigma []float64           // n
	Class []int32             // n: index into Names, or negative without a label
	Names []string
	// Seen are the projected vectors of the events, n x q (models.Placed). It has no rows if they
	// are unknown; nearby events are then found on the map only.
	Seen vec.Matrix[float32]
	// Key identifies an event across trainings; nil means that its row does.
	Key []uint64
}

// EventsAt returns events at their places. label are texts, "" for none, and key is as in Events.
func EventsAt(at models.Placed, label []string, key []uint64) Events {
	class, names := score.Classes(label)
	e := Events{Mu: vec.Convert[float64](at.Mu), Sigma: make([]float64, at.Mu.Rows), Class: class, Names: names, Seen: at.Seen, Key: key}
	for i, s := range at.Sigma {
		e.Sigma[i] = float64(s)
	}
	return e
}

func (e Events) key(row int) uint64 {
	if e.Key == nil {
		return uint64(row)
	}
	return e.Key[row]
}

// labelled returns the rows with a label and validates the events.
func (e Events) labelled() (rows []int, err error) {
	n := e.Mu.Rows
	if len(e.Sigma) != n || len(e.Class) != n || e.Key != nil && len(e.Key) != n || e.Seen.Rows != 0 && e.Seen.Rows != n {
		return nil, models.BadInputf("there are %d places, %d scales, %d classes, %d keys and %d rows that the model sees", n, len(e.Sigma), len(e.Class), len(e.Key), e.Seen.Rows)
	}
	for i, c := range e.Class {
		switch {
		case c < 0:
			continue
		case int(c) >= len(e.Names):
			return nil, models.BadInputf("row %d has class %d: there are %d", i, c, len(e.Names))
		case !(e.Sigma[i] >= 0) || math.IsInf(e.Sigma[i], 0):
			return nil, models.BadInputf("row %d has the scale %g: it must be a number not below zero", i, e.Sigma[i])
		}
		if err := models.CheckRows(e.Mu.Slice(i, i+1), nil); err != nil {
			return nil, models.BadInputf("place of row %d: %w", i, err)
		}
		rows = append(rows, i)
	}
	if len(rows) == 0 {
		return nil, models.BadInputf("no event has a label")
	}
	return rows, nil
}

// sample returns the rows to use, in an order that depends only on their keys.
func (e Events) sample(rows []int, set Settings) []int {
	slices.SortFunc(rows, func(a, b int) int {
		return cmp.Or(cmp.Compare(mix(e.key(a)^set.Seed), mix(e.key(b)^set.Seed)), cmp.Compare(a, b))
	})
	return rows[:min(len(rows), set.Most)]
}

// mix is the finaliser of splitmix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// known are the events from which a classifier is learnt, in the order of Events.sample. Any first
// part of them is a random sample.
type known struct {
	mu       vec.Matrix[float64] // n x d
	variance []float64           // squared scales
	seen     vec.Matrix[float32] // n x q, or no rows
	class    []int32
	names    []string
	key      []uint64
	prior    []float64 // shares of the classes
}

// rarity is added to the number of events of every class, so that no class has probability 0.
const rarity = 0.5

// take returns the given rows of the events.
func (e Events) take(rows []int) *known {
	k := &known{mu: vec.Take(e.Mu, rows), variance: make([]float64, len(rows)), class: make([]int32, len(rows)),
		key: make([]uint64, len(rows)), names: e.Names, prior: make([]float64, len(e.Names))}
	if e.Seen.Rows > 0 {
		k.seen = vec.Take(e.Seen, rows)
		for i := range rows {
			if !vec.Finite(k.seen.Row(i)) {
				k.seen = vec.Matrix[float32]{} // values are missing, so only the places of these events are used
				break
			}
		}
	}
	for i, row := range rows {
		k.variance[i], k.class[i], k.key[i] = e.Sigma[row]*e.Sigma[row], e.Class[row], e.key(row)
		k.prior[k.class[i]]++
	}
	for c := range k.prior {
		k.prior[c] = (k.prior[c] + rarity) / (float64(len(rows)) + rarity*float64(len(k.prior)))
	}
	return k
}
