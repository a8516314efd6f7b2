package spd

import "unfold/internal/simd/gemm"

// corner is a quarter of a tile, by rows: a right panel.
type corner [half * half]float64

// quarter returns a quarter of t as a block.
func (t *tile) quarter(i, j int) block { return block{t[i*half*side+j*half:], side, half, half} }

func (b block) copyTo(c *corner) {
	for r := range half {
		copy(c[r*half:][:half], b.a[r*b.ld:])
	}
}

func (b block) copyFrom(c *corner) {
	for r := range half {
		copy(b.a[r*b.ld:][:half], c[r*half:])
	}
}

// multiply adds alpha times left right to the quarter; left is packed by rows into packed.
func (b block) multiply(alpha float64, left []float64, ld int, right, packed *corner) {
	for r := 0; r < half; r += gemm.Height {
		p := packed[r*half:][:half*gemm.Height]
		gemm.PackLeft(p, left[r*ld:], ld, gemm.Height, half)
		gemm.AddTile(b.a[r*b.ld:], b.ld, p, right[:], half, alpha)
	}
}

// invertCorner returns the inverse of a lower triangle, with zeros above the diagonal.
func (b block) invertCorner(c *corner) {
	b.copyTo(c)
	block{c[:], half, half, half}.invertLeaf()
	for r := range half {
		clear(c[r*half+r+1 : (r+1)*half])
	}
}

// factor overwrites t with its factor, zeros above the diagonal.
func (t *tile) factor(at *room, row int) error {
	t11, t12, t21, t22 := t.quarter(0, 0), t.quarter(0, 1), t.quarter(1, 0), t.quarter(1, 1)
	inverse, turned, product, packed := &at.corner[0], &at.corner[1], &at.corner[2], &at.corner[3]
	if err := t11.factorLeaf(row); err != nil {
		return err
	}
	t11.invertCorner(inverse)
	gemm.PackRight(turned[:], inverse[:], half, half, half)
	clear(product[:])
	block{product[:], half, half, half}.multiply(1, t21.a, side, turned, packed)
	t21.copyFrom(product)
	gemm.PackRight(turned[:], product[:], half, half, half)
	t22.multiply(-1, product[:], half, turned, packed)
	if err := t22.factorLeaf(row + half); err != nil {
		return err
	}
	clear(product[:])
	t12.copyFrom(product)
	for r := range half {
		clear(t11.a[r*side+r+1:][:half-1-r])
		clear(t22.a[r*side+r+1:][:half-1-r])
	}
	return nil
}

// invert overwrites a factor with its inverse: the quarter below is -W22 L21 W11.
func (t *tile) invert(at *room) {
	t11, t21, t22 := t.quarter(0, 0), t.quarter(1, 0), t.quarter(1, 1)
	w11, w22, product, packed := &at.corner[0], &at.corner[1], &at.corner[2], &at.corner[3]
	t11.invertCorner(w11)
	t22.invertCorner(w22)
	clear(product[:])
	block{product[:], half, half, half}.multiply(1, t21.a, side, w11, packed)
	t11.copyFrom(w11)
	t22.copyFrom(w22)
	clear(at.corner[4][:])
	t21.copyFrom(&at.corner[4])
	t21.multiply(-1, w22[:], half, product, packed)
}
