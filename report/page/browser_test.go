package page_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/sightline-evm/sightline/report"
)

// withoutBrowser is the environment variable that lets these tests pass where there is no Chromium; ./test
// sets it, and says so, where it can neither find nor install one.
const withoutBrowser = "SIGHTLINE_TEST_WITHOUT_BROWSER"

// chromium is the browser's program.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"} {
		if found, err := exec.LookPath(name); name != "" && err == nil {
			return found
		}
	}
	if os.Getenv(withoutBrowser) != "" {
		t.Skipf("%s is set: the page was not opened in a browser", withoutBrowser)
	}
	t.Fatalf("Chromium is not on the PATH: install it (Debian: apt-get install chromium), name it in CHROMIUM, or set %s=1 to leave out the tests of the page in a browser", withoutBrowser)
	return ""
}

// browser is a Chromium for the tests of a package, started for the first of them.
type browser struct{ context.Context }

// newBrowser starts a browser that ends with the test. Its user wants no motion: on a busy machine, a page that scrolls smoothly
// moves on between the press and the release of a mouse's button, which is no click then.
func newBrowser(t *testing.T) browser {
	t.Helper()
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(chromium(t)), chromedp.NoSandbox, chromedp.UserDataDir(profile(t)), chromedp.WindowSize(1280, 1000), chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("force-prefers-reduced-motion", true))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Run(ctx); err != nil {
		t.Fatalf("Chromium does not start: %v", err)
	}
	return browser{ctx}
}

// profile makes a folder for a browser's profile. Not t.TempDir: removing that fails the test if a file appears meanwhile, and
// Chromium's processes end one after the other; the last may still be writing.
func profile(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "sightline-browser-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		const tries, pause = 50, 100 * time.Millisecond // arbitrary: 5 s
		for range tries {
			if err = os.RemoveAll(folder); err == nil {
				return
			}
			time.Sleep(pause)
		}
		t.Logf("the browser's profile was not removed: %v", err)
	})
	return folder
}

// tab is a page in a browser, with what it did that it must not do.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	said     []string // in the console, errors and dialogs
	requests []string
}

// open opens a report in a new tab, at an anchor.
func (b browser) open(t *testing.T, r *report.Report, anchor string) *tab {
	t.Helper()
	report.Decide(r)
	data, err := report.HTML(r, report.Options{FileURL: "https://github.com/o/r/blob/1a2b3c4/"})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return b.load(t, "file://"+file+anchor)
}

// load opens an address in a new tab.
func (b browser) load(t *testing.T, address string) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(b)
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	v := &tab{T: t, ctx: ctx}
	chromedp.ListenTarget(ctx, v.watch)
	t.Cleanup(func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if len(v.said) > 0 {
			t.Errorf("the console: %q", v.said)
		}
		for _, r := range v.requests {
			if r != address && r != strings.SplitN(address, "#", 2)[0] {
				t.Errorf("a request to %.200q", r)
			}
		}
		stop()
		end()
	})
	v.run(network.Enable(), log.Enable(), runtime.Enable(), page.Enable(), chromedp.Navigate(address), chromedp.WaitReady("html[data-ready]", chromedp.ByQuery))
	return v
}

func (v *tab) watch(event any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		v.said = append(v.said, string(e.Args[0].Value))
	case *runtime.EventExceptionThrown:
		v.said = append(v.said, e.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		v.said = append(v.said, e.Entry.Text)
	case *page.EventJavascriptDialogOpening:
		v.said = append(v.said, "dialog: "+e.Message)
	case *network.EventRequestWillBeSent:
		v.requests = append(v.requests, e.Request.URL)
	}
}

func (v *tab) run(actions ...chromedp.Action) {
	v.Helper()
	if err := chromedp.Run(v.ctx, actions...); err != nil {
		v.Fatal(err)
	}
}

// eval is the value of an expression in the page.
func eval[T any](v *tab, expression string) T {
	v.Helper()
	var value T
	v.run(chromedp.Evaluate(expression, &value))
	return value
}

// until waits for an expression to be true.
func (v *tab) until(expression string) {
	v.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !eval[bool](v, "!!("+expression+")") {
		if time.Now().After(deadline) {
			v.Fatalf("never: %s; the page says\n%.3000s", expression, v.text())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// frames is over once the page has drawn three times: two frames after its address changes, it goes to what that names.
const frames = "new Promise(done => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))))"

// click clicks with the mouse on the element that a selector finds first, once nothing moves it or covers it.
func (v *tab) click(selector string) {
	v.Helper()
	v.run(chromedp.Evaluate(frames, nil, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	v.until(fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e?.scrollIntoView({block: "center", behavior: "instant"});
		const r = e?.getBoundingClientRect();
		const x = r?.x + r?.width / 2, y = r?.y + r?.height / 2;
		window.clickAt = [x, y];
		const still = window.clickedBefore === x + " " + y;
		window.clickedBefore = x + " " + y;
		return still && e.contains(document.elementFromPoint(x, y));
	})()`, selector))
	at := eval[[2]float64](v, "window.clickAt")
	v.run(chromedp.MouseClickXY(at[0], at[1]))
}

// text is what a reader sees.
func (v *tab) text() string { return eval[string](v, "document.body.innerText") }

// key presses a key.
func (v *tab) key(keys string) { v.Helper(); v.run(chromedp.KeyEvent(keys)) }

// fixture is a report of the renderers' tests.
func fixture(t *testing.T, name string) *report.Report {
	t.Helper()
	data, err := os.ReadFile("../testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := report.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestBrowser(t *testing.T) {
	b := newBrowser(t)
	t.Run("verdict", func(t *testing.T) { testVerdict(t, b) })
	t.Run("search", func(t *testing.T) { testSearch(t, b) })
	t.Run("lines", func(t *testing.T) { testLines(t, b) })
	t.Run("links", func(t *testing.T) { testLinks(t, b) })
	t.Run("storage", func(t *testing.T) { testStorage(t, b) })
	t.Run("theme", func(t *testing.T) { testTheme(t, b) })
	t.Run("keyboard", func(t *testing.T) { testKeyboard(t, b) })
	t.Run("campaign", func(t *testing.T) { testCampaign(t, b) })
	t.Run("fixtures", func(t *testing.T) { testFixtures(t, b) })
	t.Run("hostile", func(t *testing.T) { testHostile(t, b) })
	t.Run("large", func(t *testing.T) { testLarge(t, b) })
	t.Run("print", func(t *testing.T) { testPrint(t, b) })
	t.Run("policy", func(t *testing.T) { testPolicy(t, b) })
	t.Run("contrast", func(t *testing.T) { testContrast(t, b) })
}

func testVerdict(t *testing.T, b browser) {
	v := b.open(t, fixture(t, "fail"), "")
	if got := eval[string](v, "document.querySelector('h1').textContent"); got != "1 introduced bug · 11 of 14 changed lines reached" {
		t.Errorf("headline %q", got)
	}
	text := v.text()
	for _, want := range []string{"Failed", "\"Unreached\" does not mean safe", "SL-7f3a", "Attacker gains 1 ether", "vault.withdrawAll()", "7741", "VaultTest.setUp()", "sightline replay reproducers/SL-7f3a.json"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q:\n%s", want, text)
		}
	}
	if eval[string](v, "document.title") != "1 introduced bug · 11 of 14 changed lines reached" {
		t.Error("the title is not the verdict")
	}
	if n := eval[int](v, "document.querySelectorAll('h1').length"); n != 1 {
		t.Errorf("%d headlines", n)
	}
}

func testSearch(t *testing.T, b browser) {
	v := b.open(t, fixture(t, "fail"), "")
	v.run(input.DispatchKeyEvent(input.KeyDown).WithKey("/").WithText("/"), input.DispatchKeyEvent(input.KeyUp).WithKey("/"))
	v.until("document.activeElement.type === 'search'")
	v.run(chromedp.SendKeys("input[type=search]", "epochEnd", chromedp.ByQuery))
	v.until("document.querySelector('[role=status]').textContent.startsWith('2 lines of 17, 0 findings of 1')")
	if n := eval[int](v, "document.querySelectorAll('.entry').length"); n != 2 {
		t.Errorf("%d lines match", n)
	}
	v.key("\x1b")
	v.until("document.querySelectorAll('.entry').length === 17")
}

func testLines(t *testing.T, b browser) {
	v := b.open(t, fixture(t, "fail"), "")
	v.click(`[id="src/Vault.sol:22"] button.line`)
	v.until(`document.getElementById("src/Vault.sol:22").innerText.includes("vault.deposit{value: 1 ether}()")`)
	if got := eval[string](v, `document.getElementById("src/Vault.sol:22").innerText`); !strings.Contains(got, "First after 167 calls in 38 executions") || !strings.Contains(got, "reached-vault-22.json") {
		t.Errorf("line 22 says %q", got)
	}
	v.click(`[id="src/Vault.sol:22"] button.line`)
	v.until(`!document.getElementById("src/Vault.sol:22").innerText.includes("First after")`)
	v.click(".filter") // the reached ones
	v.until("document.querySelectorAll('.entry').length === 6")
	if pressed := eval[string](v, "document.querySelector('.filter').getAttribute('aria-pressed')"); pressed != "false" {
		t.Errorf("the filter is pressed: %s", pressed)
	}
}

func testLinks(t *testing.T, b browser) {
	v := b.open(t, fixture(t, "fail"), "#src/FeeModule.sol:21")
	v.until(`document.activeElement.closest(".entry")?.id === "src/FeeModule.sol:21"`)
	v.until(`document.querySelector('[id="src/FeeModule.sol:21"] .details') !== null`)
	v.run(chromedp.Evaluate(`location.hash = "#SL-7f3a"`, nil))
	v.until(`document.activeElement.id === "SL-7f3a"`)
	v.run(chromedp.Evaluate(`location.hash = "#nothing-here"`, nil), chromedp.Evaluate(`location.hash = "#%"`, nil))
	v.click(`#SL-7f3a .where a[href="#src/Vault.sol:23"]`)
	v.until(`document.activeElement.closest(".entry")?.id === "src/Vault.sol:23"`)
	for _, link := range eval[[]string](v, "[...document.links].map(a => a.href)") {
		if u, err := url.Parse(link); err != nil || u.Scheme != "file" && u.Host != "github.com" {
			t.Errorf("a link to %q", link)
		}
	}
}

// testStorage: what a finding's calls change in storage is folded below them.
func testStorage(t *testing.T, b browser) {
	v := b.open(t, fixture(t, "fail"), "")
	const fold = `[...document.querySelectorAll("#SL-7f3a > .sequence + details")].find(d => d.innerText.startsWith("Storage before and after (5)"))`
	if !eval[bool](v, fold+"?.open === false") {
		t.Fatalf("no folded storage below the calls:\n%s", v.text())
	}
	v.click("#SL-7f3a > .sequence + details summary")
	v.until(fold + ".open")
	want := []string{"vault|balances[alice]|0|1e18|1", "vault|depositors|0|2|2", "fees|slot 0x7|false|true|3written, then undone"}
	if got := eval[[]string](v, fold+`.open && [...document.querySelectorAll("#SL-7f3a > .sequence + details tbody tr")].map(r => [...r.cells].map(c => c.textContent).join("|"))`); !slices.Equal(got, want) {
		t.Errorf("the table is %q, want %q", got, want)
	}
	if !strings.Contains(v.text(), "2 more variables left out.") {
		t.Error("it does not say what is left out")
	}
}

func testTheme(t *testing.T, b browser) {
	v := b.open(t, fixture(t, "fail"), "")
	background := "getComputedStyle(document.body).backgroundColor"
	v.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}))
	v.until("document.documentElement.dataset.theme === 'dark'")
	dark := eval[string](v, background)
	v.click("button.theme")
	v.until("document.documentElement.dataset.theme === 'light'")
	light := eval[string](v, background)
	if dark == light || dark != "rgb(20, 22, 26)" {
		t.Errorf("dark is %s, light %s", dark, light)
	}
	v.run(chromedp.Reload(), chromedp.WaitReady("html[data-ready]", chromedp.ByQuery)) // it stays
	v.until("document.documentElement.dataset.theme === 'light'")
	v.run(chromedp.Evaluate("localStorage.clear()", nil))
}

// testKeyboard goes through the page with the Tab key: all that can be clicked is reached, named, and shows
// that it has the focus.
func testKeyboard(t *testing.T, b browser) {
	v := b.open(t, fixture(t, "fail"), "")
	const clickable = `[...document.querySelectorAll("a[href], button, input, summary")].filter(e => e.checkVisibility())`
	total := eval[int](v, clickable+".length")
	v.run(chromedp.Evaluate("window.visited = new Set()", nil))
	for range 3 * total {
		v.key("\t")
		v.run(chromedp.Evaluate("window.visited.add(document.activeElement)", nil))
		if eval[int](v, clickable+".filter(e => !window.visited.has(e)).length") == 0 {
			break
		}
		if eval[bool](v, `document.activeElement !== document.body && getComputedStyle(document.activeElement).outlineStyle === "none"`) {
			t.Errorf("no focus is visible on %s", eval[string](v, "document.activeElement.outerHTML.slice(0, 200)"))
		}
	}
	for _, left := range eval[[]string](v, clickable+".filter(e => !window.visited.has(e)).map(e => e.outerHTML.slice(0, 200))") {
		t.Errorf("the keyboard does not get to %s", left)
	}
	for _, unnamed := range eval[[]string](v, clickable+`.filter(e => (e.getAttribute("aria-label") ?? e.closest("label")?.textContent ?? e.textContent).trim() === "").map(e => e.outerHTML)`) {
		t.Errorf("without a name: %s", unnamed)
	}
	v.run(chromedp.Focus(`[id="src/Vault.sol:13"] button.line`, chromedp.ByQuery))
	v.key("\r")
	v.until(`document.querySelector('[id="src/Vault.sol:13"] .details') !== null`)
	v.run(input.DispatchKeyEvent(input.KeyDown).WithKey("ArrowDown"))
	v.until(`document.activeElement.closest(".entry")?.id === "src/Vault.sol:17"`)
}

func testCampaign(t *testing.T, b browser) {
	r := fixture(t, "fail")
	r.Stats.Timeline = nil
	for i := range 60 {
		n := uint64(i)
		r.Stats.Timeline = append(r.Stats.Timeline, report.Sample{Executions: 1 + 50_000*n, Calls: 300_000 * n, Seconds: 1.5 * float64(i), Paths: 20 * i, Blocks: 100 + i, Reached: min(i, 11), Findings: i / 30})
	}
	v := b.open(t, r, "#campaign")
	v.until("document.querySelectorAll('#campaign canvas').length === 4")
	v.click("#campaign .choice:nth-child(2)")
	v.until("document.querySelectorAll('#campaign canvas').length === 4")
	const drawn = `[...document.querySelectorAll("#campaign canvas")].every(c => c.getContext("2d").getImageData(0, 0, c.width, c.height).data.some(x => x > 0))`
	v.until(drawn)
	for i := range r.Stats.Timeline { // as with --omit-times
		r.Stats.Timeline[i].Seconds = 0
	}
	v = b.open(t, r, "#campaign")
	v.until("document.querySelectorAll('#campaign canvas').length === 3")
}

// testFixtures opens every report of the renderers' tests, at the width of a telephone too, where nothing may
// be wider than the screen.
func testFixtures(t *testing.T, b browser) {
	files, err := filepath.Glob("../testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, file := range files {
		v := b.open(t, fixture(t, strings.TrimSuffix(filepath.Base(file), ".json")), "")
		for _, width := range []int64{1280, 390} {
			v.run(emulation.SetDeviceMetricsOverride(width, 900, 1, false))
			if got := eval[int64](v, "document.documentElement.scrollWidth"); got > width {
				t.Errorf("%s is %d wide on a screen of %d", file, got, width)
			}
		}
	}
}

// payloads are texts that would do something if they were more than text.
var payloads = []string{
	`<img src=x onerror="document.title='broken';alert(1)">`,
	`</script><script>document.title='broken';alert(2)</script>`,
	`javascript:alert(3)`,
	`"><svg onload=alert(4)>`,
	`<!--<script>`,
	"\u202e\u2028\u2029 ${alert(5)} {{alert(6)}} __proto__",
	`constructor`,
}

// fill sets every string that a value leads to, and fills empty lists.
func fill(v reflect.Value, text func() string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text())
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), text)
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint, reflect.Uint32, reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(1.5)
	case reflect.Bool:
		v.SetBool(true)
	}
}

func testHostile(t *testing.T, b browser) {
	for i, payload := range payloads {
		for _, varied := range []bool{false, true} { // as it is, and such that no two are alike
			n := 0
			var r report.Report
			fill(reflect.ValueOf(&r).Elem(), func() string {
				n++
				if varied {
					return fmt.Sprintf("%s %d", payload, n)
				}
				return payload
			})
			v := b.open(t, &r, "#"+url.PathEscape(payload))
			v.until("document.querySelectorAll('article').length > 5")
			v.run(chromedp.Evaluate(`document.querySelectorAll("button.line").forEach(x => x.click()); document.querySelectorAll("details").forEach(d => { d.open = true; }); document.querySelectorAll("button.copy").forEach(x => x.click())`, nil))
			time.Sleep(50 * time.Millisecond)
			title := eval[string](v, "document.title")
			if title == "broken" {
				t.Errorf("payload %d ran", i)
			}
			if got := eval[[]string](v, `[...document.querySelectorAll("img, iframe, object, embed, form, base, svg [onload], [onerror], link, script:not(#data):not(:last-of-type)")].map(e => e.outerHTML.slice(0, 100))`); len(got) > 0 {
				t.Errorf("payload %d became %q", i, got)
			}
			if got := eval[[]string](v, `[...document.links].map(a => a.href).filter(h => !h.startsWith("file:") && !h.startsWith("https://github.com/o/r/blob/"))`); len(got) > 0 {
				t.Errorf("payload %d became the links %.300q", i, got)
			}
			if strings.ContainsAny(v.text(), "\u202e\u2028\u2029") {
				t.Errorf("payload %d is invisible", i)
			}
		}
	}
}

// testPrint: on paper, the findings have all of their parts, and buttons are left out.
func testPrint(t *testing.T, b browser) {
	v := b.open(t, fixture(t, "fail"), "")
	v.run(emulation.SetEmulatedMedia().WithMedia("print"), chromedp.Evaluate(`window.dispatchEvent(new Event("beforeprint"))`, nil))
	if got := eval[[]string](v, `[...document.querySelectorAll("button.copy, .filters, nav")].filter(e => e.checkVisibility()).map(e => e.outerHTML.slice(0, 100))`); len(got) > 0 {
		t.Errorf("on paper: %q", got)
	}
	if !strings.Contains(v.text(), "contract Sightline_SL_7f3a") {
		t.Error("the Foundry test is not on paper")
	}
	v.run(chromedp.Evaluate(`window.dispatchEvent(new Event("afterprint"))`, nil))
	if n := eval[int](v, `document.querySelectorAll(".finding details[open]").length`); n != 0 {
		t.Errorf("%d parts stay open", n)
	}
}

// testPolicy: if a text became markup all the same, it could still do nothing.
func testPolicy(t *testing.T, b browser) {
	v := b.open(t, fixture(t, "fail"), "")
	var broken []string
	v.run(chromedp.Evaluate(`(async () => {
		const seen = [];
		document.addEventListener("securitypolicyviolation", e => seen.push(e.effectiveDirective));
		for (const [name, key, value] of [["script", "textContent", "document.title = 'broken'"], ["img", "src", "https://example.com/x.png"], ["iframe", "src", "https://example.com/"]]) {
			try { const e = document.createElement(name); e[key] = value; document.body.append(e); } catch { seen.push("trusted types: " + name); }
		}
		try { document.body.innerHTML = "<b>x</b>"; } catch { seen.push("trusted types: markup"); }
		try { await fetch("https://example.com/"); } catch { }
		await new Promise(done => setTimeout(done, 100));
		return [...new Set(seen)].sort();
	})()`, &broken, func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }))
	for _, want := range []string{"connect-src", "frame-src", "img-src", "require-trusted-types-for", "trusted types: markup", "trusted types: script"} {
		if !slices.Contains(broken, want) {
			t.Errorf("allowed: %s; refused are %q", want, broken)
		}
	}
	if eval[string](v, "document.title") == "broken" {
		t.Error("a script ran")
	}
	v.mu.Lock()
	v.said = nil // what was refused, which is what this test is about
	v.requests = nil
	v.mu.Unlock()
}

// large is a report of so many lines and findings.
func large(t *testing.T, lines, findings int) *report.Report {
	t.Helper()
	r := fixture(t, "fail")
	target, finding := r.Targets[0], r.Findings[0]
	r.Lines, r.Targets, r.Findings = nil, nil, nil
	for i := range lines {
		file := fmt.Sprintf("src/Contract%d.sol", i%20)
		status := []string{report.Reached, report.Reached, report.Reached, report.Unreached, report.NoBytecode}[i%5]
		r.Lines = append(r.Lines, report.Line{File: file, Line: 1 + i/20*3, Kind: "edited", Text: "balanceOf[msg.sender] += msg.value * rate / 1e18;", Status: status, Reason: "needs `msg.sender == guardian`; guardian is 0x0"})
		target.File, target.Line, target.Status = file, 1+i/20*3, status
		r.Targets = append(r.Targets, target)
	}
	for i := range findings {
		finding.ID = fmt.Sprintf("SL-%04x", i)
		r.Findings = append(r.Findings, finding)
	}
	return r
}

// testLarge: large reports are pages that can be used. The bounds are generous, since machines differ; the
// figures are in the test's log.
func testLarge(t *testing.T, b browser) {
	for _, c := range []struct{ lines, findings, bytes int }{{500, 20, 3_000_000}, {10_000, 250, 30_000_000}} {
		r := large(t, c.lines, c.findings)
		report.Decide(r)
		data, err := report.HTML(r, report.Options{})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		v := b.open(t, r, "")
		v.run(chromedp.Evaluate(`document.querySelector("button.line").click()`, nil))
		v.until("document.querySelector('.details') !== null")
		took := time.Since(start)
		within := eval[float64](v, "performance.now()")
		t.Logf("%d lines, %d findings: %d bytes; a line opens %v after the page was asked for (%.0f ms in the page)", c.lines, c.findings, len(data), took.Round(time.Millisecond), within)
		// The last line and the last finding are found although the page shows only the first ones.
		line, finding := r.Lines[len(r.Lines)-1], r.Findings[len(r.Findings)-1].ID
		place := fmt.Sprintf("%s:%d", line.File, line.Line)
		v = b.open(t, r, "#"+place)
		v.until(fmt.Sprintf(`document.activeElement.closest(".entry")?.id === %q`, place))
		v.run(chromedp.Evaluate(fmt.Sprintf("location.hash = %q", "#"+finding), nil))
		v.until(fmt.Sprintf("document.activeElement.id === %q", finding))
		if len(data) > c.bytes {
			t.Errorf("%d lines: %d bytes, at most %d", c.lines, len(data), c.bytes)
		}
		if took > 30*time.Second {
			t.Errorf("%d lines: it took %v", c.lines, took)
		}
	}
}

// contrast finds text whose contrast with its background is below 4.5 to 1.
const contrast = `(() => {
  const rgb = c => { const m = c.match(/[\d.]+/g).map(Number); return c.startsWith("color(srgb") ? [m[0]*255, m[1]*255, m[2]*255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
  const over = (a, b) => [0, 1, 2].map(i => a[i]*a[3] + b[i]*(1-a[3])).concat(1);
  const light = c => { const [r, g, b] = c.map(x => x/255).map(x => x <= .04045 ? x/12.92 : ((x+.055)/1.055)**2.4); return .2126*r + .7152*g + .0722*b; };
  const back = e => { const chain = []; for (; e; e = e.parentElement) chain.push(rgb(getComputedStyle(e).backgroundColor)); return chain.reverse().reduce((b, c) => over(c, b), [255, 255, 255, 1]); };
  const bad = new Set();
  for (const e of document.querySelectorAll("body *")) {
    if (e.closest("svg, canvas, script") || !e.checkVisibility() || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    const b = back(e), f = over(rgb(getComputedStyle(e).color), b), [x, y] = [light(f), light(b)];
    const ratio = (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
    if (ratio < 4.5) bad.add(e.className + " " + ratio.toFixed(2) + " " + e.textContent.slice(0, 30));
  }
  return [...bad];
})()`

func testContrast(t *testing.T, b browser) {
	for _, name := range []string{"fail", "clash", "few"} {
		for _, theme := range []string{"light", "dark"} {
			v := b.open(t, fixture(t, name), "")
			v.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}))
			v.until(fmt.Sprintf("document.documentElement.dataset.theme === %q", theme))
			v.run(chromedp.Evaluate(`document.querySelectorAll("button.line").forEach(x => x.click()); document.querySelectorAll("details").forEach(d => { d.open = true; })`, nil))
			for _, bad := range eval[[]string](v, contrast) {
				t.Errorf("%s, %s: %s", name, theme, bad)
			}
		}
	}
}

// screenshots writes pictures of a page to a folder, to look at: SIGHTLINE_PICTURES=DIR.
func TestPictures(t *testing.T) {
	folder := os.Getenv("SIGHTLINE_PICTURES")
	if folder == "" {
		return
	}
	b := newBrowser(t)
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range pages {
		for _, c := range []struct {
			name, theme string
			width       int64
		}{{"light", "light", 1280}, {"dark", "dark", 1280}, {"phone", "light", 390}, {"open", "light", 1280}, {"print", "light", 800}} {
			v := b.load(t, "file://"+file)
			v.run(emulation.SetDeviceMetricsOverride(c.width, 900, 1, false), emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: c.theme}}))
			if c.name == "print" {
				v.run(emulation.SetEmulatedMedia().WithMedia("print"), chromedp.Evaluate(`window.dispatchEvent(new Event("beforeprint"))`, nil))
			}
			if c.name == "open" {
				v.run(chromedp.Evaluate(`document.querySelectorAll(".entry:not(.s-no-bytecode) button.line").forEach(x => x.click()); document.querySelectorAll("details").forEach(d => { d.open = true; })`, nil))
			}
			v.run(chromedp.Evaluate(`document.querySelectorAll(".file").forEach(f => { f.style.contentVisibility = "visible"; })`, nil))
			for i, selector := range []string{".verdict", "#findings", "#lines", "#effect", "#campaign", "#world"} {
				var nodes []*cdp.Node
				v.run(chromedp.Nodes(selector, &nodes, chromedp.AtLeast(0), chromedp.ByQuery))
				if len(nodes) == 0 {
					continue
				}
				var picture []byte
				v.run(chromedp.Screenshot(selector, &picture, chromedp.ByQuery))
				name := fmt.Sprintf("%s-%s-%d%s.png", strings.TrimSuffix(filepath.Base(file), ".html"), c.name, i, strings.Trim(selector, "#."))
				if err := os.WriteFile(filepath.Join(folder, name), picture, 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
