// Command outside is a program of another module that uses the library.
package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"unfold"
)

func main() {
	x := mat.NewDense(200, 8, nil)
	x.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64((j + 1) * i)) }, x)
	m, err := unfold.Fit(context.Background(), x, unfold.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Len(), "points in", m.Dims(), "dimensions")
}
