package ingest

import (
	"archive/zip"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// newZipReader reads an array of NumPy's archives, .npz, and names other files that are
// zip archives inside.
func newZipReader(in *opened, batchRows int) (Reader, error) {
	f, size, err := in.seekable(math.MaxInt64)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, size)
	if err != nil {
		return nil, in.origin.bad("the zip archive is corrupt or truncated").cause(err)
	}
	var arrays []string
	for _, m := range z.File {
		if name, is := strings.CutSuffix(m.Name, ".npy"); is {
			arrays = append(arrays, name)
		}
	}
	if len(arrays) == 0 || len(arrays) < len(z.File) {
		is, do := zipKind(z)
		return nil, in.origin.bad("this is %s, which is not read", is).hint("%s", do)
	}
	name, err := chosenArray(in.origin, arrays)
	if err != nil {
		return nil, err
	}
	for _, m := range z.File {
		if m.Name != name+".npy" {
			continue
		}
		part, err := m.Open()
		if err != nil {
			return nil, readError(in.origin, err)
		}
		in.enter(part, "zip")
		break
	}
	if head, _ := in.Peek(6); string(head) != "\x93NUMPY" {
		return nil, in.origin.bad("its part %q is no array", name)
	}
	return newNPYReader(in, batchRows)
}

// chosenArray is the one that the path names, or the only one.
func chosenArray(o Origin, arrays []string) (string, error) {
	file, name, named := archiveMember(o.File)
	switch {
	case named && slices.Contains(arrays, name):
		return name, nil
	case named:
		e := o.bad("there is no array %q in it", name)
		if near := Nearest(name, arrays); near != "" {
			return "", e.hint("did you mean %q? The arrays are %s", near, list(arrays))
		}
		return "", e.hint("the arrays are %s", list(arrays))
	case len(arrays) > 1:
		return "", o.bad("it holds %d arrays: %s", len(arrays), list(arrays)).hint("name one: %s:%s", file, arrays[0])
	}
	return arrays[0], nil
}

// zipKind says what a zip archive is.
func zipKind(z *zip.Reader) (is, do string) {
	has := func(prefix string) bool {
		return slices.ContainsFunc(z.File, func(f *zip.File) bool { return strings.HasPrefix(f.Name, prefix) })
	}
	switch {
	case has("xl/"):
		return "an Excel workbook", "save it as CSV or Parquet"
	case has("content.xml") && has("mimetype"):
		return "an OpenDocument file", "save it as CSV or Parquet"
	case len(z.File) == 1:
		return fmt.Sprintf("a zip archive that holds %s", path.Base(z.File[0].Name)), "unpack it first: unzip, or unzip -p FILE | unfold ... -"
	}
	return fmt.Sprintf("a zip archive of %d files", len(z.File)), "unpack it first"
}
