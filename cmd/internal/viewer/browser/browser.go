// Package browser opens pages in a real browser, for tests.
//
// It uses an installed Chromium (Debian: apt-get install chromium). Tests that open one belong to
// the full tier; without a browser, see tier.Missing.
package browser

import (
	"context"
	"iter"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"unfold/internal/testkit/tier"
)

// names are the program names to search for; UNFOLD_BROWSER sets another.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// find returns the browser's path, or ends the test.
func find(t testing.TB) string {
	t.Helper()
	tier.Full(t, "it opens a browser")
	if path := os.Getenv("UNFOLD_BROWSER"); path != "" {
		return path
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	tier.Missing(t, "there is no browser (Debian: apt-get install chromium)")
	return ""
}

// Settings of a tab.
type Settings struct {
	// WebGL enables WebGL 2, with software rendering.
	WebGL bool
	// Width and Height are the window's size, 1280 x 800 if 0.
	Width, Height int
	// Dark requests dark pages.
	Dark bool
}

// Tab is a tab in its own browser.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu sync.Mutex
	// said has the errors and warnings that pages wrote to the console, and their exceptions.
	said []string
}

// Open starts a browser that lives as long as the test.
func Open(t testing.TB, s Settings) *Tab {
	t.Helper()
	path := find(t)
	if s.Width == 0 {
		s.Width, s.Height = 1280, 800
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("headless", "new"), chromedp.Flag("enable-precise-memory-info", true), chromedp.Flag("js-flags", "--expose-gc"), chromedp.Flag("hide-scrollbars", false), chromedp.Flag("force-color-profile", "srgb"), chromedp.WindowSize(s.Width, s.Height), chromedp.UserDataDir(t.TempDir()))
	if s.WebGL {
		options = append(options, chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("disable-gpu", false))
	} else {
		options = append(options, chromedp.Flag("disable-3d-apis", true))
	}
	if s.Dark {
		options = append(options, chromedp.Flag("force-dark-mode", true), chromedp.Flag("blink-settings", "preferredColorScheme=0"))
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	tab := &Tab{t: t, ctx: ctx}
	t.Cleanup(stop)
	console := chromedp.Console(ctx) // starts the browser
	heard := make(chan struct{})
	go func() {
		defer close(heard)
		tab.listen(console)
	}()
	t.Cleanup(func() {
		cancel()
		<-heard
	})
	// The page has the requested size, without the window's frame.
	tab.Do(chromedp.EmulateViewport(int64(s.Width), int64(s.Height)))
	return tab
}

// listen collects the errors and warnings of pages.
func (b *Tab) listen(console iter.Seq2[chromedp.ConsoleMessage, error]) {
	for m, err := range console {
		if err != nil {
			return // the tab is closed
		}
		if m.IsException() || m.Type == "error" || m.Type == "warning" {
			b.mu.Lock()
			b.said = append(b.said, m.String()+" "+m.URL)
			b.mu.Unlock()
		}
	}
}

// Said returns the errors and warnings since the last call.
func (b *Tab) Said() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := b.said
	b.said = nil
	return out
}

// patience is the timeout of a step.
const patience = 60 * time.Second

// Do runs actions, or ends the test. An action may lead to another page. It is repeated if the page
// was replaced before it began.
func (b *Tab) Do(actions ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for _, action := range actions {
		err := chromedp.Do(ctx, action)
		for err != nil && strings.Contains(err.Error(), notBegun) {
			err = chromedp.Do(ctx, action)
		}
		if err != nil && !replaced(err) {
			b.t.Fatalf("the browser: %v; the page said %q", err, b.Said())
		}
	}
}

// Eval evaluates an expression in the page and awaits promises. It repeats the evaluation if the
// page was just replaced by another.
func Eval[T any](b *Tab, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
		if err == nil {
			return v
		}
		if !replaced(err) {
			b.t.Fatalf("%s: %v; the page said %q", expression, err, b.Said())
		}
	}
}

// Wait waits until an expression of the page is true. It repeats the evaluation if the page was
// just replaced by another.
func (b *Tab) Wait(expression string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	for {
		err := chromedp.Do(ctx, chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience)))
		if err == nil {
			return
		}
		if !replaced(err) {
			b.t.Fatalf("%s: %v; the page said %q", expression, err, b.Said())
		}
	}
}

// notBegun is the answer to an evaluation in a page that was replaced before.
const notBegun = "Cannot find context with specified id"

// replaced reports whether an evaluation ended because another page took the place of its own.
// The answer depends on the moment: before the evaluation, during it, or between two of its steps.
func replaced(err error) bool {
	return slices.ContainsFunc([]string{
		notBegun,
		"Inspected target navigated or closed",
		"Execution context was destroyed",
	}, func(answer string) bool { return strings.Contains(err.Error(), answer) })
}

// Show opens a page and waits until it shows its points.
func (b *Tab) Show(url string) {
	b.t.Helper()
	b.Do(chromedp.Navigate(url))
	b.Wait(`document.body.dataset.ready === "yes"`)
}

// Picture takes a picture of the page, as PNG.
func (b *Tab) Picture() []byte {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatalf("a picture: %v", err)
	}
	return png
}
