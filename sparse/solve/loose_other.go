//go:build !amd64 || noasm

package solve

func (s *loose) mul(a *Laplacian, from, to int, sums *looseSums) { s.mulPlain(a, from, to, sums) }

func (s *loose) step(factors *looseFactors, from, to int, sums *looseSums) {
	s.stepPlain(factors, from, to, sums)
}
