package tile

// addGeneric is the plain twin of the adding kernels: it adds the Height x
// Width products of the vectors at a and b to dst, line by line stride apart.
// Sums over the depth are float32.
func addGeneric(dst []float64, stride int, a, b []float32, depth int) {
	for r := range Height {
		var sum [Width]float32
		for k := range depth {
			x := a[k*Width+r]
			for c, y := range (*[Width]float32)(b[k*Width:]) {
				sum[c] += x * y
			}
		}
		line := dst[r*stride:][:Width]
		for c, v := range sum {
			line[c] += float64(v)
		}
	}
}
