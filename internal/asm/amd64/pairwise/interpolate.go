package main

import (
	"math"
	"math/big"
)

// precision is the precision of the results, in bits.
const precision = 200

func number(v float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(v) }

// powerTerms returns the coefficients c of sum_j c_j f^j for
//
//	(2^f - 1 - f ln 2) / f^2,  |f| <= 1/2,
//
// by interpolation at the zeros of the n-th Chebyshev polynomial. This is almost the polynomial of
// least error, which is half a Taylor term times 4^-n n!.
func powerTerms(n int) []float64 {
	nodes, values := make([]*big.Float, n), make([]*big.Float, n)
	for k := range nodes {
		nodes[k] = number(0.5 * math.Cos(math.Pi*(float64(k)+0.5)/float64(n)))
		values[k] = powerRest(nodes[k])
	}
	// Newton's divided differences, in place.
	for d := 1; d < n; d++ {
		for k := n - 1; k >= d; k-- {
			width := number(0).Sub(nodes[k], nodes[k-d])
			values[k] = number(0).Sub(values[k], values[k-1])
			values[k].Quo(values[k], width)
		}
	}
	// Newton's form is converted to powers: c becomes c (f - node) + value, from the last on.
	c := make([]*big.Float, n)
	for k := range c {
		c[k] = number(0)
	}
	for k := n - 1; k >= 0; k-- {
		for j := n - 1; j >= 0; j-- {
			c[j].Mul(c[j], number(0).Neg(nodes[k]))
			if j > 0 {
				c[j].Add(c[j], c[j-1])
			}
		}
		c[0].Add(c[0], values[k])
	}
	terms := make([]float64, n)
	for j := range terms {
		terms[j], _ = c[j].Float64()
	}
	return terms
}

// powerRest returns (2^f - 1 - f ln 2) / f^2 from its series.
func powerRest(f *big.Float) *big.Float {
	ln2 := ln2()
	sum, term := number(0), number(0.5)
	term.Mul(term, ln2).Mul(term, ln2)
	for n := 3.0; n < 60; n++ {
		sum.Add(sum, term)
		term.Mul(term, ln2).Mul(term, f).Quo(term, number(n))
	}
	return sum
}

// ln2 returns ln 2 = sum_n 1 / (n 2^n).
func ln2() *big.Float {
	sum := number(0)
	for n := 1; n < precision; n++ {
		term := number(0).Quo(number(1), number(float64(n)))
		sum.Add(sum, term.SetMantExp(term, -n))
	}
	return sum
}
