package process

import (
	"io"
	"os"
	"strings"
)

const (
	tailLines = 10
	tailBytes = 8 << 10
	lineBytes = 300
)

// tail returns the last lines of a log, each cut to a length that can be read.
func tail(path string) []string {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil
	}
	from := max(0, size-tailBytes)
	text := make([]byte, size-from)
	n, err := f.ReadAt(text, from)
	if err != nil && err != io.EOF {
		return nil
	}
	lines := strings.Split(strings.TrimRight(string(text[:n]), "\n"), "\n")
	if from > 0 && len(lines) > 1 {
		lines = lines[1:] // its beginning was cut off
	}
	lines = lines[max(0, len(lines)-tailLines):]
	for i, line := range lines {
		line = strings.ToValidUTF8(strings.TrimRight(line, "\r"), "?")
		if len(line) > lineBytes {
			line = strings.ToValidUTF8(line[:lineBytes], "") + "..."
		}
		lines[i] = line
	}
	if len(lines) == 1 && lines[0] == "" {
		return nil
	}
	return lines
}
