// The generators of assembly are a module of their own, so that what they alone need is not the product's.
module unfold/internal/asm

go 1.26.0

require (
	github.com/mmcloughlin/avo v0.5.0
	unfold v0.0.0-00010101000000-000000000000
)

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
)

replace unfold => ../..
