// Package exp computes exponentials of many numbers at once, which dominate the time of kernel
// matrices and psi statistics.
//
//	exp.Exp(dst, x)                    // dst_i = e^{x_i}
//	exp.Gauss(dst, z, stride, mu, c)   // dst_i = e^{-sum_q c_q (mu_q - z_qi)^2}
//
// # Method
//
// With k the integer nearest to x / ln 2, and r = x - k ln 2 in two steps (ln 2 is stored as a sum
// of two numbers), |r| <= ln 2 / 2,
//
//	e^x = 2^k (1 + (r + r^2 (1/2! + r^2/4! + ... + r (1/3! + r^2/5! + ...))))
//
// with the series up to r^13/13!, whose remainder is 4e-18, and all sums and products fused.
//
// # Contract
//
// The result has an error of at most one unit in the last place. Overflow gives +Inf, underflow is
// gradual, and e^NaN = NaN. The bits are the same on all machines, because the kernels and the
// plain version do the same fused operations in the same order. Nothing is allocated.
package exp

//go:generate env GOFLAGS=-tags=noasm go run -C ../../asm ./amd64/exp -out ../simd/exp/kernels_amd64.s -stubs ../simd/exp/stubs_amd64.go -pkg exp
