package hnsw

import "math"

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// hashRow returns equal hashes for equal rows; both zeros count as one value.
func hashRow(row []float32) uint64 {
	var h uint64
	for _, v := range row {
		h = (h ^ uint64(math.Float32bits(v+0))) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return h
}
