package facts

import (
	"cmp"
	"slices"
	"time"

	"github.com/perfctl/perfctl/rundir"
)

// A Usage is one process over the measured window.
type Usage struct {
	Name                     string
	CPU                      time.Duration // used inside the window
	MeanCores, MaxCores      float64
	MemStart, MemEnd, MemMax int64 // working set, bytes
	Limit                    int64 // bytes, 0 when there is none
	Threads                  int
	Restarts                 int
	Samples                  int
	Covered                  bool // the samples reach over the whole window
}

// Usages reduces the samples to the measured window, processes in name order. CPU at
// the window's ends is interpolated between the samples around them.
func (t *Trial) Usages() []Usage {
	byName := map[string][]rundir.ResourceLine{}
	for _, l := range t.Resources {
		byName[l.Name] = append(byName[l.Name], l)
	}
	names := make([]string, 0, len(byName))
	for n := range byName {
		names = append(names, n)
	}
	slices.Sort(names)
	var out []Usage
	for _, n := range names {
		lines := byName[n]
		slices.SortStableFunc(lines, func(a, b rundir.ResourceLine) int { return cmp.Compare(a.OffsetNS, b.OffsetNS) })
		if u, ok := usage(n, lines, t.WarmupEndNS, t.WarmupEndNS+t.MeasureNS); ok {
			out = append(out, u)
		}
	}
	return out
}

func usage(name string, lines []rundir.ResourceLine, from, to int64) (Usage, bool) {
	u := Usage{Name: name}
	var inside []rundir.ResourceLine
	for i, l := range lines {
		if i > 0 && l.PID != lines[i-1].PID && l.OffsetNS > from && lines[i-1].OffsetNS < to {
			u.Restarts++
		}
		if l.OffsetNS >= from && l.OffsetNS <= to {
			inside = append(inside, l)
		}
	}
	if len(inside) == 0 || to <= from {
		return u, false
	}
	for i, l := range inside {
		u.MemMax = max(u.MemMax, l.Working)
		u.Threads = max(u.Threads, l.Threads)
		if i > 0 && l.PID == inside[i-1].PID && l.OffsetNS-inside[i-1].OffsetNS >= int64(100*time.Millisecond) {
			u.MaxCores = max(u.MaxCores, float64(l.CPUNS-inside[i-1].CPUNS)/float64(l.OffsetNS-inside[i-1].OffsetNS))
		}
	}
	u.MemStart, u.MemEnd = inside[0].Working, inside[len(inside)-1].Working
	u.Limit, u.Samples = inside[len(inside)-1].Limit, len(inside)
	u.CPU = time.Duration(cpuBetween(lines, from, to))
	u.Covered = lines[0].OffsetNS <= from && lines[len(lines)-1].OffsetNS >= to
	u.MeanCores = float64(u.CPU) / float64(to-from)
	u.MaxCores = max(u.MaxCores, u.MeanCores)
	return u, true
}

// cpuBetween sums the CPU of each pair of neighbouring samples that overlaps the
// window, in proportion to the overlap. A restarted process counts from 0, so what the
// old one used after its last sample is not known and left out.
func cpuBetween(lines []rundir.ResourceLine, from, to int64) int64 {
	var sum float64
	for i := 1; i < len(lines); i++ {
		a, b := lines[i-1], lines[i]
		span := b.OffsetNS - a.OffsetNS
		overlap := min(b.OffsetNS, to) - max(a.OffsetNS, from)
		if span <= 0 || overlap <= 0 {
			continue
		}
		used := b.CPUNS - a.CPUNS
		if b.PID != a.PID {
			used = b.CPUNS
		}
		sum += float64(used) * float64(overlap) / float64(span)
	}
	return int64(sum)
}
