// Package exp computes exponentials of many numbers at once, the time of kernel
// matrices and of psi statistics.
//
//	exp.Exp(dst, x)                    // dst_i = e^{x_i}
//	exp.Gauss(dst, z, stride, mu, c)   // dst_i = e^{-sum_q c_q (mu_q - z_qi)^2}
//
// # Method
//
// With k the whole number nearest to x / ln 2, r = x - k ln 2 in two steps (ln 2 is
// the sum of two numbers), |r| <= ln 2 / 2,
//
//	e^x = 2^k (1 + (r + r^2 (1/2! + r^2/4! + ... + r (1/3! + r^2/5! + ...))))
//
// with the series up to r^13/13!, of which 4e-18 is missing, and all sums and
// products fused.
//
// # Contract
//
// The result is right to one unit in the last place. Overflow is +Inf, underflow
// gradual, e^NaN = NaN. The bits are the same on all machines: the kernels and
// their plain twin do the same fused operations in the same order. Nothing is
// allocated.
package exp

//go:generate env GOFLAGS=-tags=noasm go run ./asm -out kernels_amd64.s -stubs stubs_amd64.go -pkg exp
