package dist

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"unfold/sparse/vec/simd"
)

// guarded returns n elements that end where a page begins that cannot be read
// or written: a kernel that looks beyond them dies.
func guarded[T float32 | int32](t *testing.T, n int) []T {
	t.Helper()
	page := unix.Getpagesize()
	whole := (4*n + page - 1) / page * page
	m, err := unix.Mmap(-1, 0, whole+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(m); err != nil {
			t.Error(err)
		}
	})
	if err := unix.Mprotect(m[whole:], unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&m[whole-4*n])), n)
}

// No kernel reads or writes outside its slices.
func TestKernelsStayInside(t *testing.T) {
	const most, stride = 257, 260
	q, data := guarded[float32](t, most), guarded[float32](t, 4*stride+most)
	rows, out := guarded[int32](t, 7), guarded[float32](t, 7)
	for k := range data {
		data[k] = float32(k % 11)
	}
	for _, l := range simd.Levels() {
		for n := range most + 1 {
			// All slices end where their memory does.
			x, d := q[most-n:], data[most-n:]
			squaredAt(l, x, data[len(data)-n:])
			for count := range len(rows) + 1 {
				r := rows[len(rows)-count:]
				for i := range r {
					r[i] = int32(4 - i%5)
				}
				o := out[len(out)-count:]
				rowsAt(l, o, x, d, stride, r)
				for i := range r {
					if want := pairTwin(x, d[int(r[i])*stride:]); o[i] != want {
						t.Fatalf("%v: %d elements, row %d: %v, want %v", l, n, r[i], o[i], want)
					}
				}
			}
		}
	}
}
