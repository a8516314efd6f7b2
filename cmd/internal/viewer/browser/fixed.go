package browser

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
)

// fixed replaces what differs between machines, before the page's own scripts run: all texts, also
// those on a canvas, have the Go fonts, and times of day are one time. Nothing moves by itself.
const fixed = `(() => {
	const bytes = text => Uint8Array.from(atob(text), c => c.charCodeAt(0)).buffer;
	for (const [weight, text] of [["100 500", %q], ["501 900", %q]]) {
		const face = new FontFace("Fixed", bytes(text), {weight});
		document.fonts.add(face);
		face.load();
	}
	const sheet = new CSSStyleSheet();
	sheet.replaceSync("* { font-family: Fixed !important; caret-color: transparent !important; animation: none !important; transition: none !important; scrollbar-width: none !important; }");
	document.adoptedStyleSheets = [sheet];
	const font = Object.getOwnPropertyDescriptor(CanvasRenderingContext2D.prototype, "font");
	Object.defineProperty(CanvasRenderingContext2D.prototype, "font", {get: font.get, set(text) { font.set.call(this, text.replace(/(px(?:\/\S+)?) .*/, "$1 Fixed")); }});
	Date.prototype.toLocaleTimeString = () => "12:34:56";
})()`

// Fix makes pictures of the pages that are opened from now on comparable between machines: they
// have fixed fonts, times of day, language and time zone, and no motion.
func (b *Tab) Fix() {
	b.t.Helper()
	b.Do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		encoded := base64.StdEncoding.EncodeToString
		if _, err := cdp.Call(ctx, t, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: fmt.Sprintf(fixed, encoded(goregular.TTF), encoded(gobold.TTF))}); err != nil {
			return err
		}
		if _, err := cdp.Call(ctx, t, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"}); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, t, emulation.SetLocaleOverride, emulation.SetLocaleOverrideParams{Locale: "en-US"})
		return err
	}))
}
