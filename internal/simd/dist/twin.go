package dist

import "unfold/internal/vec"

// pairTwin is the portable version of the kernels for two vectors. The explicit conversions prevent
// compilers from fusing the product into the sum.
func pairTwin(a, b []float32) float32 {
	var lane [Lanes]float32
	b = b[:len(a)]
	for len(a) >= Lanes {
		x, y := (*[Lanes]float32)(a), (*[Lanes]float32)(b)
		for l := range lane {
			d := x[l] - y[l]
			lane[l] += float32(d * d)
		}
		a, b = a[Lanes:], b[Lanes:]
	}
	for l, v := range a {
		d := v - b[l]
		lane[l] += float32(d * d)
	}
	for h := Lanes / 2; h > 0; h /= 2 {
		for l := range h {
			lane[l] += lane[l+h]
		}
	}
	return lane[0]
}

// rowsTwin is the plain Go twin of the kernels for rows.
func rowsTwin(m measure, out, q, data []float32, stride, limit int, rows []int32) int {
	for i, r := range rows {
		if r < 0 || int(r) >= limit {
			return len(rows) - i
		}
		at := int(r) * stride
		if row := data[at : at+len(q)]; m == squared {
			out[i] = pairTwin(q, row)
		} else {
			out[i] = absoluteTwin(m, q, row)
		}
	}
	return 0
}

// exactTwin is the portable version of the kernel in double precision. Four rows at a time share
// the conversion of q.
func exactTwin(out []float64, q, data []float32, stride, limit int, rows []int32) int {
	row := func(i int) []float32 { return data[int(rows[i])*stride:][:len(q)] }
	for i, r := range rows {
		if r < 0 || int(r) >= limit {
			return len(rows) - i
		}
	}
	i := 0
	for ; i+4 <= len(rows); i += 4 {
		out[i], out[i+1], out[i+2], out[i+3] = exact4(q, row(i), row(i+1), row(i+2), row(i+3))
	}
	for ; i < len(rows); i++ {
		out[i] = vec.SquaredDistance(q, row(i))
	}
	return 0
}

// exact4 computes vec.SquaredDistance between q and four rows at once.
func exact4(q, a, b, c, d []float32) (sa, sb, sc, sd float64) {
	a, b, c, d = a[:len(q)], b[:len(q)], c[:len(q)], d[:len(q)]
	for k, v := range q {
		x := float64(v)
		da, db, dc, dd := x-float64(a[k]), x-float64(b[k]), x-float64(c[k]), x-float64(d[k])
		sa += float64(da * da)
		sb += float64(db * db)
		sc += float64(dc * dc)
		sd += float64(dd * dd)
	}
	return sa, sb, sc, sd
}
