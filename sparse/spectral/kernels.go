package spectral

//go:generate env GOFLAGS=-tags=noasm go run -C ../../internal/asm ./amd64/spectral -out ../../sparse/spectral/kernels_amd64.s -stubs ../../sparse/spectral/stubs_amd64.go -pkg spectral

// wide is the number of columns of a block with kernels: two vectors, for a two-dimensional map,
// and their guard.
const wide = 4

// productsGeneric adds X'Y and then X'Z to sums, for rows of four columns.
func productsGeneric(sums *[2 * wide * wide]float64, x, y, z []float64) {
	products(sums[:wide*wide], x, y, wide)
	products(sums[wide*wide:], x, z, wide)
}

// combineGeneric replaces rows of four columns x by (x w p) C and p by (w p) C, the latter without
// the coefficients of x.
func combineGeneric(x, w, p []float64, coeff *[3 * wide * wide]float64) {
	for i := 0; i < len(x); i += wide {
		s0, s1, s2, s3 := four(x[i:i+wide], coeff[:], 0, 0, 0, 0)
		t0, t1, t2, t3 := four(w[i:i+wide], coeff[wide*wide:], 0, 0, 0, 0)
		t0, t1, t2, t3 = four(p[i:i+wide], coeff[2*wide*wide:], t0, t1, t2, t3)
		*(*[wide]float64)(x[i:]) = [wide]float64{s0 + t0, s1 + t1, s2 + t2, s3 + t3}
		*(*[wide]float64)(p[i:]) = [wide]float64{t0, t1, t2, t3}
	}
}

// residualGeneric sets rows of four columns r = lx - x theta and adds the squares of the columns to
// sums.
func residualGeneric(r, x, lx []float64, theta, sums *[wide]float64) {
	for i := 0; i < len(r); i += wide {
		for k, v := range theta {
			u := lx[i+k] - v*x[i+k]
			r[i+k] = u
			sums[k] += u * u
		}
	}
}

// projectGeneric sets rows of four columns x -= o P.
func projectGeneric(x, o []float64, part *[wide * wide]float64) {
	for i := 0; i < len(x); i += wide {
		s0, s1, s2, s3 := four(o[i:i+wide], part[:], 0, 0, 0, 0)
		u := (*[wide]float64)(x[i:])
		u[0], u[1], u[2], u[3] = u[0]-s0, u[1]-s1, u[2]-s2, u[3]-s3
	}
}
