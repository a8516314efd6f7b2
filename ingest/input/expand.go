package input

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unfold/ingest/table"
)

// Expand expands patterns like Glob, and replaces folders by the data files in them, sorted by
// path. A folder without data is an *Error.
func Expand(patterns []string) ([]string, error) {
	paths, err := Glob(patterns)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range paths {
		files, err := below(p)
		if err != nil {
			return nil, err
		}
		out = append(out, files...)
	}
	return out, nil
}

// Glob replaces patterns (*, ?, [a-z]) by the matching files, sorted. Other paths are unchanged. A
// pattern without a match is an *Error.
func Glob(patterns []string) ([]string, error) {
	var out []string
	for _, p := range patterns {
		if IsAddress(p) {
			return nil, addressError(p)
		}
		if _, err := os.Lstat(p); err == nil || p == "-" || !strings.ContainsAny(p, "*?[") {
			out = append(out, p)
			continue
		}
		match, err := filepath.Glob(p)
		if err != nil {
			return nil, table.Origin{File: p}.Bad("the pattern is malformed").Because(err)
		}
		if len(match) == 0 {
			return nil, table.Origin{File: p}.Bad("no file matches the pattern")
		}
		slices.Sort(match)
		out = append(out, match...)
	}
	if len(out) == 0 {
		return nil, table.Origin{}.Bad("no input is named")
	}
	return out, nil
}

// below returns the data files in a folder and its subfolders, or any other path itself.
func below(path string) ([]string, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path}, nil
	}
	if err := foreignFolder(path); err != nil {
		return nil, err
	}
	var out []string
	other := "" // the first file that is no data by its name
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != path && Hidden(d.Name()) && d.IsDir():
			return fs.SkipDir
		case !d.IsDir() && IsData(name):
			out = append(out, name)
		case !d.IsDir() && other == "" && !Hidden(d.Name()):
			other = name
		}
		return nil
	})
	if err != nil {
		return nil, table.Origin{File: path}.Bad("the folder cannot be read").Because(err)
	}
	if len(out) == 0 && other != "" {
		if is, do := kindOf(other); is != "" {
			return nil, table.Origin{File: other}.Bad("this is %s, which is not read", is).Suggest("%s", do)
		}
	}
	return out, CheckFolder(path, out)
}

// kindOf returns the name of a file's format that is not read, and advice; "" for others.
func kindOf(path string) (is, do string) {
	f, err := os.Open(path)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 1<<16))
	if s, known := RecognizeFile(head); err == nil && known && s.File != "" {
		return s.Is, s.File
	}
	return "", ""
}

// CheckFolder returns an error if a folder has no data files, or files of several formats.
func CheckFolder(path string, files []string) error {
	o := table.Origin{File: path}
	if len(files) == 0 {
		return o.Bad("there is no data in the folder").Suggest("files with these endings are looked for: %s", strings.Join(endings, " "))
	}
	for _, f := range files {
		if a, b := ending(files[0]), ending(f); a != b {
			return o.Bad("the folder holds %s files and %s files", a, b).Suggest("name those of one kind, such as %q", filepath.Join(path, "*"+a))
		}
	}
	return nil
}

// endings are the extensions of data files.
var endings = []string{".arrow", ".arrows", ".feather", ".ipc", ".parquet", ".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".npy"}

// ending returns the extension of a data file without that of a compression, "" for other files. A
// ? begins the query of an address.
func ending(name string) string {
	name, _, _ = strings.Cut(name, "?")
	if ext := filepath.Ext(Unpacked(name)); slices.Contains(endings, ext) {
		return ext
	}
	return ""
}

// Hidden reports whether a name is that of an auxiliary file of writers of partitioned folders.
func Hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// descriptions are files that Hugging Face's datasets write beside the data.
var descriptions = []string{"dataset_info.json", "dataset_infos.json", "dataset_dict.json", "state.json"}

// IsData reports whether a path has the name of a data file.
func IsData(path string) bool {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return !Hidden(name) && ending(name) != "" && !slices.Contains(descriptions, name)
}
