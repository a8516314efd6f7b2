package cli

import "testing"

// A file is one message, or one a line if each line is JSON by itself.
func TestMessagesOfFiles(t *testing.T) {
	for _, row := range []struct {
		name, content string
		want          int
	}{
		{"lines", "{\"a\":1}\n{\"a\":2}\n", 2},
		{"lines of Windows, and empty ones", "\r\n {\"a\":1}\r\n\r\n{\"a\":2}\r\n", 2},
		{"lists", "[{\"a\":1}]\n[{\"a\":2}]", 2},
		{"a broken line", "{\"a\":1}\n{\"a\":", 2},
		{"one line", "{\"a\":1}\n", 1},
		{"an object over lines", "{\n \"a\": 1\n}\n", 1},
		{"bytes", "\xff\xff\xff\xff\n{\n", 1},
		{"numbers", "1\n2\n", 1},
		{"nothing", "", 1},
	} {
		if got := messagesOf("f", []byte(row.content)); len(got) != row.want {
			t.Errorf("%s: %d messages, expected %d", row.name, len(got), row.want)
		}
	}
}
