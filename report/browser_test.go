package report_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
	"github.com/perfctl/perfctl/report"
)

// The page is read by a real browser: in light and dark, on a phone, a tablet and a desk. Without
// Chromium the test is skipped, and says so, unless PERFCTL_REQUIRE names chromium.
func TestPageInChromium(t *testing.T) {
	path := chromium(t)
	dir := t.TempDir()
	watch, browser := startBrowser(t, path)
	for _, f := range fixtures {
		file := writePage(t, dir, f)
		t.Run(f.name, func(t *testing.T) {
			for _, scheme := range []string{"light", "dark"} {
				for _, width := range []int64{320, 768, 1280} {
					name := fmt.Sprintf("%s-%d", scheme, width)
					watch.reset()
					do(t, browser, look(file, scheme, width))
					evaluate[faults](t, browser, inspect).report(t, name)
					watch.report(t, name, file)
					keepScreenshot(t, browser, f.name+"-"+name)
				}
			}
			sameTextWithoutScript(t, browser, file)
		})
	}
	printsTheVerdict(t, browser, writePage(t, dir, fixtures[0]))
	sortsAndChangesTheme(t, browser, writePage(t, dir, fixtures[1]))
	readsValues(t, browser, writePage(t, dir, fixtures[1]))
}

func chromium(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: -short leaves out the browser")
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if strings.Contains(os.Getenv("PERFCTL_REQUIRE"), "chromium") {
		t.Fatal("chromium is required (PERFCTL_REQUIRE) and not on PATH")
	}
	t.Skip("SKIPPED: chromium is not on PATH, so no page was looked at; set PERFCTL_REQUIRE=chromium to make this a failure")
	return ""
}

func writePage(t *testing.T, dir string, f fixture) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.HTML(&b, f.build()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, f.name+".html")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// watcher collects what the page asks for and complains about.
type watcher struct {
	mu       sync.Mutex
	requests []string
	errors   []string
}

func (w *watcher) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests, w.errors = nil, nil
}

func (w *watcher) on(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.requests = append(w.requests, e.Request.URL)
	case *runtime.EventExceptionThrown:
		w.errors = append(w.errors, e.ExceptionDetails.Text)
	case *runtime.EventConsoleAPICalled:
		w.errors = append(w.errors, fmt.Sprintf("console.%s", e.Type))
	case *cdplog.EventEntryAdded:
		w.errors = append(w.errors, e.Entry.Text)
	}
}

func (w *watcher) report(t *testing.T, name, file string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, url := range w.requests {
		if url != file && !strings.HasPrefix(url, "data:") {
			t.Errorf("%s: asks for %s", name, url)
		}
	}
	if len(w.requests) == 0 {
		t.Errorf("%s: not even the page was requested: the watch does not work", name)
	}
	for _, e := range w.errors {
		t.Errorf("%s: %s", name, e)
	}
}

func startBrowser(t *testing.T, path string) (*watcher, context.Context) {
	t.Helper()
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(path), chromedp.Headless, chromedp.NoFirstRun, chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true), chromedp.Flag("disable-dev-shm-usage", true)}
	limited, stop := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(stop)
	allocated, stopAllocator := chromedp.NewExecAllocator(limited, options...)
	t.Cleanup(stopAllocator)
	w := &watcher{}
	browser, stopBrowser := chromedp.NewContext(allocated, chromedp.WithListener(w.on))
	t.Cleanup(stopBrowser)
	if err := chromedp.Do(browser, command(network.Enable, network.EnableParams{})); err != nil {
		t.Fatalf("start chromium: %v", err)
	}
	return w, browser
}

// command is a protocol command as a step.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

func look(file, scheme string, width int64) chromedp.Action[chromedp.Void] {
	return chromedp.Steps(
		command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}),
		command(emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: 900, DeviceScaleFactor: 1}),
		chromedp.Navigate(file))
}

// evaluate runs an expression in the page.
func evaluate[T any](t *testing.T, browser context.Context, expression string) T {
	t.Helper()
	v, err := chromedp.Run(browser, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func do(t *testing.T, browser context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(browser, steps...); err != nil {
		t.Fatal(err)
	}
}

// faults is what the inspection of a page found.
type faults struct {
	Scroll  int      // how far the page can be scrolled sideways
	Overlap []string // pairs of labels of one drawing that touch
	Clipped []string // labels outside their drawing
	Cut     []string // text that its box hides
	Unnamed int      // drawings without a name
	Drawn   int
	Ground  string
}

const inspect = `(() => {
  const out = {Scroll: 0, Overlap: [], Clipped: [], Cut: [], Unnamed: 0, Drawn: 0, Ground: ""};
  const root = document.documentElement;
  out.Scroll = root.scrollWidth - root.clientWidth;
  out.Ground = getComputedStyle(document.body).backgroundColor;
  document.querySelectorAll("details").forEach(d => { d.open = true; });
  for (const svg of document.querySelectorAll("svg")) {
    out.Drawn++;
    const hidden = svg.getAttribute("aria-hidden") === "true";
    const title = svg.querySelector(":scope > title");
    if (!hidden && !(svg.getAttribute("role") === "img" && title && title.textContent)) { out.Unnamed++; }
    const box = svg.getBoundingClientRect();
    const texts = [...svg.querySelectorAll("text")].map(t => ({t: t.textContent, b: t.getBoundingClientRect()}));
    texts.forEach((a, i) => {
      if (a.b.left < box.left - 1 || a.b.right > box.right + 1 || a.b.top < box.top - 1 || a.b.bottom > box.bottom + 1) { out.Clipped.push(a.t); }
      texts.slice(i + 1).forEach(b => {
        const w = Math.min(a.b.right, b.b.right) - Math.max(a.b.left, b.b.left);
        const h = Math.min(a.b.bottom, b.b.bottom) - Math.max(a.b.top, b.b.top);
        if (w > 1 && h > 2) { out.Overlap.push(a.t + " / " + b.t); }
      });
    });
  }
  for (const e of document.querySelectorAll("h1,h2,p,li,td,th,figcaption,summary,small,b,code")) {
    const s = getComputedStyle(e);
    if (e.scrollWidth > e.clientWidth + 1 && s.overflowX === "hidden" && s.clipPath === "none") { out.Cut.push(e.textContent.slice(0, 40)); }
    if (s.display !== "inline" && e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1 && !e.querySelector("svg")) { out.Cut.push(e.tagName + " " + e.textContent.slice(0, 40)); }
  }
  return out;
})()`

func (f faults) report(t *testing.T, name string) {
	t.Helper()
	if f.Scroll > 0 {
		t.Errorf("%s: the page scrolls sideways by %d px", name, f.Scroll)
	}
	if len(f.Overlap) > 0 {
		t.Errorf("%s: labels overlap: %q", name, f.Overlap)
	}
	if len(f.Clipped) > 0 {
		t.Errorf("%s: labels are clipped: %q", name, f.Clipped)
	}
	if len(f.Cut) > 0 {
		t.Errorf("%s: text is cut: %q", name, f.Cut)
	}
	if f.Unnamed > 0 {
		t.Errorf("%s: %d of %d drawings have no name", name, f.Unnamed, f.Drawn)
	}
	want := "rgb(255, 255, 255)"
	if strings.HasPrefix(name, "dark") {
		want = "rgb(15, 18, 22)"
	}
	if f.Ground != want {
		t.Errorf("%s: background %s, want %s", name, f.Ground, want)
	}
}

// keepScreenshot writes a picture for a person to look at, where PERFCTL_SCREENSHOTS asks for it.
func keepScreenshot(t *testing.T, browser context.Context, name string) {
	t.Helper()
	dir := os.Getenv("PERFCTL_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(browser, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// text is all the text of the report, folded parts too.
const text = `document.querySelector("main").textContent.replace(/\s+/g, " ")`

func sameTextWithoutScript(t *testing.T, browser context.Context, file string) {
	t.Helper()
	with := evaluate[string](t, browser, text)
	do(t, browser, command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true}), chromedp.Navigate(file))
	without := evaluate[string](t, browser, text)
	do(t, browser, command(emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{}))
	if with != without || len(with) < 200 {
		t.Errorf("without a script the report reads differently (%d and %d characters)", len(with), len(without))
	}
}

func printsTheVerdict(t *testing.T, browser context.Context, file string) {
	t.Helper()
	do(t, browser, look(file, "dark", 1280), command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "print"}))
	shown := evaluate[string](t, browser, `getComputedStyle(document.querySelector(".bar")).display + " " + getComputedStyle(document.body).backgroundColor + " " + getComputedStyle(document.querySelector("h1")).color`)
	if want := "none rgb(255, 255, 255) rgb(26, 29, 33)"; shown != want {
		t.Errorf("in print: %s, want %s", shown, want)
	}
	keepScreenshot(t, browser, "print")
	pdf, err := chromedp.Run(browser, chromedp.PrintToPDF(chromedp.PDFPrintBackground()))
	if err != nil {
		t.Fatal(err)
	}
	if pages := bytes.Count(pdf, []byte("/Type /Page\n")); !bytes.HasPrefix(pdf, []byte("%PDF-")) || pages < 2 || pages > 12 {
		t.Errorf("PDF of %d bytes with %d pages", len(pdf), pages)
	}
	if dir := os.Getenv("PERFCTL_SCREENSHOTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "print.pdf"), pdf, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	do(t, browser, command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{}))
}

func sortsAndChangesTheme(t *testing.T, browser context.Context, file string) {
	t.Helper()
	do(t, browser, look(file, "light", 1280))
	themes := evaluate[[]string](t, browser, `(() => {
  const button = document.getElementById("theme"), seen = [];
  for (let i = 0; i < 3; i++) { button.click(); seen.push(button.textContent + " " + getComputedStyle(document.body).backgroundColor); }
  return seen;
})()`)
	check(t, []string{"theme: light rgb(255, 255, 255)", "theme: dark rgb(15, 18, 22)", "theme: auto rgb(255, 255, 255)"}, themes)
	column := evaluate[[]string](t, browser, `(() => {
  const table = document.querySelector("#changed table");
  table.querySelectorAll("thead button")[3].click();
  return [...table.tBodies[0].rows].map(r => r.cells[3].textContent);
})()`)
	check(t, []string{"-18.2 %", "-12.4 %", "-1.2 %", "+0.02 pp", "+18.2 %", "+44.0 %"}, column)
}

// The line under a plot reads what the document says, by pointer and by keyboard.
func readsValues(t *testing.T, browser context.Context, file string) {
	t.Helper()
	do(t, browser, look(file, "light", 1280))
	got := evaluate[[]string](t, browser, `(() => {
  const figure = document.querySelector("#order figure"), plot = figure.querySelector(".plot"), svg = plot.querySelector("svg");
  const line = figure.querySelector(".readout"), seen = [line.textContent];
  const mark = [...svg.querySelectorAll(".m")].find(m => m.textContent.startsWith("slot 7,")), box = mark.getBoundingClientRect();
  svg.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + box.width / 2, clientY: box.top}));
  seen.push(line.textContent.split("   ").find(s => s.startsWith("slot 7,")));
  svg.dispatchEvent(new PointerEvent("pointerleave"));
  seen.push(line.textContent);
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"]) { plot.dispatchEvent(new KeyboardEvent("keydown", {key})); }
  seen.push(line.textContent.split("   ").find(s => s.startsWith("slot 0,")));
  return seen;
})()`)
	value := better().Trials[7].Values["create_order p95"]
	check(t, []string{"", fmt.Sprintf("slot 7, B: %.1f ms", value), "", "slot 0, burn-in: 31.0 ms, does not count: burn-in, never counted"}, got)
}

func check(t *testing.T, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
