package student_test

import (
	"context"
	"fmt"

	"unfold/internal/vec"
	"unfold/models"
	"unfold/models/student"
)

// A ring of 60 points in three dimensions, every point given twice, becomes a closed curve on the
// map. Neighbours on the ring stay neighbours.
func ExampleFit() {
	ring := vec.New[float32](120, 3)
	for i := range ring.Rows {
		copy(ring.Row(i), circle(i%60, 60))
	}
	r, err := student.Fit(context.Background(), ring, student.Settings{Common: models.Common{Neighbors: 4}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	kept := 0
	for i := range r.Mu.Rows {
		nearest, least := -1, 0.0
		for j := range r.Mu.Rows {
			if d := vec.SquaredDistance(r.Mu.Row(i), r.Mu.Row(j)); j != i && (nearest < 0 || d < least) {
				nearest, least = j, d
			}
		}
		if apart := (nearest - i + 60) % 60; apart <= 2 || apart >= 58 {
			kept++
		}
	}
	fmt.Printf("%d rows, %d points, level %d, likelihood rose: %v\n",
		r.Report.N, r.Report.Unique, r.Report.Level, r.Report.Loglik > r.Report.LoglikInitial)
	fmt.Printf("%d of %d points lie next to a neighbour of theirs\n", kept, r.Mu.Rows)
	// Output:
	// 120 rows, 60 points, level 0, likelihood rose: true
	// 60 of 60 points lie next to a neighbour of theirs
}
