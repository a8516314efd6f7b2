package transcript

import "testing"

func TestDifference(t *testing.T) {
	for name, c := range map[string]struct {
		want, got string
		equal     bool
	}{
		"the same":                      {"a 1\nb 2.5\n", "a 1\nb 2.5\n", true},
		"another word":                  {"a 1\n", "b 1\n", false},
		"a line more":                   {"a\n", "a\nb\n", false},
		"a figure, without a tolerance": {"x 1.501\n", "x 1.502\n", false},
		"a figure within it":            {"# Figures within 2 %.\n$ a\nx  -10.501 y\n", "# Figures within 2 %.\n$ a\nx  -10.4 y\n", true},
		"a small figure":                {"# Figures within 2 %.\n$ a\nx 0.001\n", "# Figures within 2 %.\n$ a\nx 0.019\n", true},
		"a figure beyond it":            {"# Figures within 2 %.\n$ a\nx 10.5\n", "# Figures within 2 %.\n$ a\nx 10.8\n", false},
		"the other sign":                {"# Figures within 2 %.\n$ a\nx 10.5\n", "# Figures within 2 %.\n$ a\nx -10.5\n", false},
		"a wider column":                {"# Figures within 2 %.\n$ a\nx 9.99  y\n", "# Figures within 2 %.\n$ a\nx 10.01 y\n", true},
		"no figure":                     {"# Figures within 2 %.\n$ a\nx 9.99\n", "# Figures within 2 %.\n$ a\nx NaN\n", false},
		"a count":                       {"# Figures within 2 %.\n$ a\n1000 of 9.5\n", "# Figures within 2 %.\n$ a\n1001 of 9.5\n", false},
		"a wider column alone":          {"x  y\n", "x y\n", false},
		"after an empty line":           {"# Figures within 2 %.\n$ a\nx 1.5\n\nx 1.5\n", "# Figures within 2 %.\n$ a\nx 1.5\n\nx 1.501\n", true},
		"after the next command":        {"# Figures within 2 %.\n$ a\nx 1.5\n$ b\nx 1.5\n", "# Figures within 2 %.\n$ a\nx 1.5\n$ b\nx 1.501\n", false},
		"memory":                        {"about 1.5 GiB, --memory 1600MiB", "about 900 MiB, --memory 1000MiB", true},
		"much more memory":              {"about 1.5 GiB", "about 5 GiB", false},
		"no memory":                     {"about 1.5 GiB", "about 0 MiB", false},
	} {
		if d := Difference(c.want, c.got); (d == "") != c.equal {
			t.Errorf("%s: %q", name, d)
		}
	}
}
