//go:build !amd64 || noasm

package topk

import "unfold/internal/simd"

func below(_ simd.Level, at, s []int32, bound int32) int { return belowTwin(at, s, bound) }

func count(_ simd.Level, s []int32, bound int32) int { return countTwin(s, bound) }

func ranks(_ simd.Level, rank, s []int32, n int) { ranksTwin(rank, s, n) }

func mostRanks(simd.Level) int { return 0 }
