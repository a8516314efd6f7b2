module example.com/outside

go 1.26.0

require (
	gonum.org/v1/gonum v0.17.0
	unfold v0.0.0
)

replace unfold => ../..
