package tile

// addGeneric is the plain version of the adding kernels. It adds the Height x Width products of the
// vectors at a and b to dst, whose lines are stride apart.
func addGeneric(dst []float64, stride int, a, b []float32, depth int) {
	for r := range Height {
		var sum [Width]float32
		multiply(&sum, a[r:], b, depth)
		line := dst[r*stride:][:Width]
		for c, v := range sum {
			line[c] += float64(v)
		}
	}
}

// multiply adds to q the products of one vector of a panel, whose elements are a[0], a[Width], ...,
// with the vectors of a panel b. Every sum is in order.
func multiply(q *[Width]float32, a, b []float32, depth int) {
	k := 0
	for ; k+4 <= depth; k += 4 {
		x0, x1, x2, x3 := a[k*Width], a[(k+1)*Width], a[(k+2)*Width], a[(k+3)*Width]
		y := (*[4 * Width]float32)(b[k*Width:])
		for c := range q {
			q[c] = q[c] + x0*y[c] + x1*y[Width+c] + x2*y[2*Width+c] + x3*y[3*Width+c]
		}
	}
	for ; k < depth; k++ {
		x := a[k*Width]
		for c, y := range (*[Width]float32)(b[k*Width:]) {
			q[c] += x * y
		}
	}
}
