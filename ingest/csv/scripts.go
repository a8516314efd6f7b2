package csv

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// scripts are encodings of other scripts than Latin, with the letters that their texts have.
var scripts = []struct {
	is, name string
	of       encoding.Encoding
	letters  []*unicode.RangeTable
}{
	{"Cyrillic", "windows-1251", charmap.Windows1251, []*unicode.RangeTable{unicode.Cyrillic}},
	{"Cyrillic", "koi8-r", charmap.KOI8R, []*unicode.RangeTable{unicode.Cyrillic}},
	{"Greek", "windows-1253", charmap.Windows1253, []*unicode.RangeTable{unicode.Greek}},
	{"Hebrew", "windows-1255", charmap.Windows1255, []*unicode.RangeTable{unicode.Hebrew}},
	{"Arabic", "windows-1256", charmap.Windows1256, []*unicode.RangeTable{unicode.Arabic}},
	{"Thai", "windows-874", charmap.Windows874, []*unicode.RangeTable{unicode.Thai}},
	{"Korean", "euc-kr", korean.EUCKR, []*unicode.RangeTable{unicode.Hangul}},
	{"Japanese", "shift_jis", japanese.ShiftJIS, []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana}},
	{"Japanese", "euc-jp", japanese.EUCJP, []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana}},
	{"Chinese", "gbk", simplifiedchinese.GBK, []*unicode.RangeTable{unicode.Han}},
	{"Chinese", "big5", traditionalchinese.Big5, []*unicode.RangeTable{unicode.Han}},
}

// likelyScripts lists the scripts that text may have that is not UTF-8, with the options of their
// encodings. Letters of Latin text that are not ASCII stand alone; those of other scripts in words.
func likelyScripts(text []byte) (out []string) {
	const alone, share = 1.5, 0.9
	if meanRun(text) < alone {
		return nil
	}
	for _, s := range scripts {
		decoded, err := s.of.NewDecoder().Bytes(text)
		if err != nil {
			continue
		}
		all, letters, lower, upper := 0, 0, 0, 0
		for _, r := range string(decoded) {
			if r < utf8.RuneSelf {
				continue
			}
			all++
			switch {
			case !unicode.In(r, s.letters...):
			case unicode.IsUpper(r):
				letters, upper = letters+1, upper+1
			case unicode.IsLower(r):
				letters, lower = letters+1, lower+1
			default:
				letters++
			}
		}
		if float64(letters) >= share*float64(all) && upper <= lower {
			out = append(out, s.is+" text say so: --encoding "+s.name)
		}
	}
	return out
}

// meanRun returns the mean length of sequences of bytes that are not ASCII.
func meanRun(text []byte) float64 {
	count, runs := 0, 0
	for i, b := range text {
		if b >= utf8.RuneSelf {
			count++
			if i == 0 || text[i-1] < utf8.RuneSelf {
				runs++
			}
		}
	}
	return float64(count) / float64(max(1, runs))
}
