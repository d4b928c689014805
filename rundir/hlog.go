package rundir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	hdr "github.com/HdrHistogram/hdrhistogram-go"
)

// Kinds of histogram.
const (
	Response = "response"
	Service  = "service"
	Lateness = "lateness"
)

// A Tag names one histogram series of latency.hlog.
type Tag struct{ Operation, Outcome, Kind string }

// LatenessTag is the one series that is over all operations.
var LatenessTag = Tag{"all", "sent", Lateness}

func (t Tag) String() string { return t.Operation + "|" + t.Outcome + "|" + t.Kind }

var tagPart = regexp.MustCompile(`^[^\s,|"=#]+$`)

// check refuses what the log format cannot carry: a comma, a space or a bar in a
// name would make the rest of the log unreadable.
func (t Tag) check() error {
	for _, p := range []string{t.Operation, t.Outcome, t.Kind} {
		if !tagPart.MatchString(p) {
			return fmt.Errorf("histogram tag %q: %q may not hold spaces, commas, bars, quotes, = or #", t, p)
		}
	}
	return nil
}

func parseTag(s string) (Tag, error) {
	p := strings.Split(s, "|")
	if len(p) != 3 {
		return Tag{}, fmt.Errorf("tag %q is not operation|outcome|kind", s)
	}
	return Tag{p[0], p[1], p[2]}, nil
}

// ReadHistograms calls f with each interval of a trial's latency.hlog, in file
// order; second counts from the trial's start. cut is true when the last line was
// incomplete, as a crash leaves it. A bad line before the last one is an error, and so
// is an interval before the log's start time.
func ReadHistograms(trialPath string, f func(second int64, tag Tag, h *hdr.PackedHistogram) error) (cut bool, err error) {
	path := filepath.Join(trialPath, "latency.hlog")
	file, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	return readLog(path, file, f)
}

func readLog(path string, r io.Reader, f func(second int64, tag Tag, h *hdr.PackedHistogram) error) (cut bool, err error) {
	in := bufio.NewReaderSize(r, 256<<10)
	base := int64(-1)
	for n := 1; ; n++ {
		line, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return line != "", nil
		}
		if err != nil {
			return false, fmt.Errorf("%s: %w", path, err)
		}
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, startTime):
			base, err = parseStart(line)
		case line == "", line[0] == '#', line[0] == '"':
		default:
			err = interval(line, base, f)
		}
		if err != nil {
			return false, fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
}

const startTime = "#[StartTime: "

func parseStart(line string) (int64, error) {
	v, _, _ := strings.Cut(strings.TrimPrefix(line, startTime), " ")
	second, err := seconds(v)
	if err != nil {
		return 0, fmt.Errorf("start time %q is not a number of seconds", v)
	}
	return second, nil
}

// seconds reads a whole number of seconds since the epoch, written with or without
// decimals; it ends in the year 9999, long before the number loses its digits.
func seconds(v string) (int64, error) {
	s, err := strconv.ParseFloat(v, 64)
	if err != nil || !(s >= 0 && s < 253402300800) {
		return 0, errors.New("not a number of seconds")
	}
	return int64(s), nil
}

func interval(line string, base int64, f func(second int64, tag Tag, h *hdr.PackedHistogram) error) error {
	start, tag, h, err := parseInterval(line)
	switch {
	case err != nil:
		return err
	case base < 0:
		return errors.New("interval before the log's #[StartTime: ...] line")
	case start < base:
		return fmt.Errorf("interval starts %d s before the log's start time", base-start)
	}
	return f(start-base, tag, h)
}

// parseInterval reads Tag=T,start,length,max,payload.
func parseInterval(line string) (int64, Tag, *hdr.PackedHistogram, error) {
	rest, ok := strings.CutPrefix(line, "Tag=")
	if !ok {
		return 0, Tag{}, nil, errors.New("interval without a tag")
	}
	p := strings.SplitN(rest, ",", 5)
	if len(p) != 5 {
		return 0, Tag{}, nil, fmt.Errorf("interval has %d fields, want tag, start, length, max and histogram", len(p))
	}
	tag, err := parseTag(p[0])
	if err != nil {
		return 0, Tag{}, nil, err
	}
	start, err := seconds(p[1])
	if err != nil {
		return 0, Tag{}, nil, fmt.Errorf("interval start %q is not a number of seconds", p[1])
	}
	h, err := hdr.DecodePacked([]byte(p[4]))
	if err != nil {
		return 0, Tag{}, nil, fmt.Errorf("histogram: %w", err)
	}
	return start, tag, h, nil
}
