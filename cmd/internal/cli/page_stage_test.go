package cli

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"unfold/cmd/internal/viewer/browser"
	"unfold/stream"
)

// forget sends tombstones for ids.
func forget(t *testing.T, brokers []string, ids ...string) {
	t.Helper()
	var all []stream.Message
	for _, id := range ids {
		all = append(all, stream.Message{Key: []byte(id)})
	}
	send(t, brokers, 0, 0, nil, all...)
}

// The page of a stage, in a browser. It waits for the first map, shows events as they arrive and
// leave, follows new maps, and reconnects after the stage restarts.
func TestPageOfAStage(t *testing.T) {
	b := browser.Open(t, browser.Settings{})
	brokers, configuration := broker(t, "events", "places", "dead")
	m := join(t, "-c", configuration)
	url := "http://" + m.address()
	b.Show(url)
	b.Wait(`document.getElementById("banner").textContent.startsWith("waiting for the first map: 0 of 100 events")`)
	b.Wait(`document.getElementById("count").textContent === "0 points"`)
	produce(t, brokers, 0, 20)
	counts := func(points int) {
		t.Helper()
		b.Wait(fmt.Sprintf(`unfold.store.n === %d && document.getElementById("count").textContent.startsWith("%[1]d points")`, points))
	}
	counts(200)
	b.Wait(`document.getElementById("banner").textContent.includes("dead letter")`) // produce sends a broken message
	b.Wait(`document.querySelectorAll(".sparks figure").length >= 4`)
	b.Wait(`unfold.store.under > 0 && document.getElementById("count").textContent.includes("version")`)
	if got := browser.Eval[string](b, `unfold.store.columns.map(c => c.name).sort().join(" ")`); got != "novelty_global novelty_local partition sigma" {
		t.Errorf("the columns are %s", got)
	}
	forget(t, brokers, "e3", "e4", "never")
	counts(198)
	produce(t, brokers, 20, 5)
	counts(248)
	if places := browser.Eval[string](b, `(() => { const at = {}; unfold.store.each(s => { at[unfold.store.id(s)] = 1; }); return ["e3", "e4", "e5", "e249"].map(i => i in at).join(" "); })()`); places != "false false true true" {
		t.Errorf("e3, e4, e5 and e249 are there: %s", places)
	}
	// The time slider hides events that arrived later.
	b.Wait(`!document.getElementById("timeline").hidden`)
	b.Wait(`fetch("api/history").then(r => r.json()).then(h => h.maps.length > 0 && h.maps[0].version === 1 && h.maps[0].points > 0)`)
	browser.Eval[bool](b, `(() => { const at = []; unfold.store.each(s => at.push(unfold.store.at[s])); at.sort((a, b) => a - b); unfold.timeline.set(at[100]); return true; })()`)
	b.Wait(`(() => { let n = 0; unfold.store.each(s => { if (unfold.painting.shown(s)) n++; }); return n > 0 && n < 248; })()`)
	produce(t, brokers, 25, 1)
	counts(258)
	b.Wait(`(() => { let n = 0; unfold.store.each(s => { if (unfold.painting.shown(s)) n++; }); return n < 248; })()`)
	if said := b.Said(); len(said) > 0 {
		t.Errorf("the page complained: %q", said)
	}
	if code := m.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	b.Wait(`document.getElementById("banner").textContent.startsWith("The connection is lost")`)
	text, err := os.ReadFile(configuration)
	if err != nil {
		t.Fatal(err)
	}
	write(t, configuration, strings.Replace(string(text), "127.0.0.1:0", strings.TrimPrefix(url, "http://"), 1))
	again := join(t, "-c", configuration)
	again.address()
	produce(t, brokers, 26, 1)
	b.Wait(`unfold.store.n >= 10 && unfold.store.under > 0 && document.getElementById("link").textContent === "live"`)
	if code := again.leave(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// On a public address the page exists only if it was requested. With page.points: 0 it never
// exists.
func TestPageIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		name, more string
		there      bool
	}{
		{"this machine alone", "", true},
		{"none", "page: {points: 0}\n", false},
		{"everyone", "http: 0.0.0.0:0\n", false},
		{"everyone, public", "http: 0.0.0.0:0\npage: {public: true}\n", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, configuration := broker(t, "events", "places", "dead")
			text, err := os.ReadFile(configuration)
			if err != nil {
				t.Fatal(err)
			}
			all := string(text)
			if strings.Contains(c.more, "http:") {
				all = strings.Replace(all, "http: 127.0.0.1:0\n", "", 1)
			}
			write(t, configuration, all+c.more)
			m := join(t, "-c", configuration)
			b := asking(m, m.address())
			status, _ := b.get(t, "/app.js")
			if (status == 200) != c.there {
				t.Errorf("/app.js answers %d", status)
			}
			if code := m.leave(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}
