// Package observe answers: what did the machine, the programs under test and the
// generator use while the load ran, and what did the services say of themselves?
//
// Everything is read during the window, never after it, and a value that could not be
// read is missing, never zero.
//
// # Processes
//
// A [Sampler] reads /proc. The CPU time of a program is that of its process, of all its
// live descendants, and of the children each of them has waited for. The process's own
// part comes from its CPU clock (clock_gettime on the process clock: nanoseconds, all
// threads, the dead ones too); where that clock is not readable, and for waited
// children, it comes from /proc/PID/stat with a resolution of one tick, 10 ms. When a
// descendant is reaped its time moves from the first kind to the second, so a sum may
// lose up to two ticks at that moment. The time of a descendant that nobody waits for,
// or whose parent ended before it, is lost when it ends; a sum that fell is not complete.
//
// RSS is the resident set. The working set is RssAnon + RssShmem: what the kernel can
// only take back by swapping. Pages of mapped files can be dropped and read again, so
// they are in RSS only. Both are sums over the program's processes, and memory shared
// between them counts once for each. The kernel adds these up from per-core counters, so
// they may be off by some hundred KiB.
//
// # The host and the generator
//
// A [Window] takes the machine's counters at both ends. With T the length of the window
// times the number of cores,
//
//	steal share = growth of steal / T
//	other share = (T - idle - iowait - steal - own CPU - CPU of the system under test) / T
//
// T comes from the clock because the kernel measures idle time, and most kernels only
// sample at each tick what a core that is not idle does: bursts shorter than a tick would
// be over- or undercounted in the sum of /proc/stat. The window's other parts are exact.
// When the number of cores changed the shares are not known. A share that is not known
// is left zero, and its Known field says so.
//
// The clock step is the growth of the wall clock minus that of the monotonic clock: zero,
// to some nanoseconds, unless somebody set the clock. Slewing moves both alike.
//
// # Services
//
// A [Scraper] reads the Prometheus text (version 0.0.4) of each service at an interval
// and exactly at both ends of the window, keeps the samples in bounded memory, and
// writes them as one OpenMetrics document, which promtool backfills. An answer of another
// type is a failed scrape; a line that breaks the format is counted, and only it is lost.
// Growth of a counter over the window is known only when it never fell in it.
//
// The package knows nothing of scenarios, trials or judgement.
package observe
