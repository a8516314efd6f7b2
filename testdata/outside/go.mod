module example.com/outside

go 1.26.0

require (
	gonum.org/v1/gonum v0.17.0
	unfold v0.0.0
)

require (
	github.com/gonum/floats v0.0.0-20181209220543-c233463c7e82 // indirect
	github.com/gonum/internal v0.0.0-20181124074243-f884aa714029 // indirect
	github.com/james-bowman/sparse v0.0.0-20190423065201-80c6877364c7 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)

replace unfold => ../..
