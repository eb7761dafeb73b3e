package web

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/page/bridge"
)

// settings are the runs with which each algorithm is compared: small, larger, and with chance.
var settings = []map[string]any{
	{"order": "random", "seed": 7},
	{"n": 16, "order": "worst"},
	{"order": "random", "delay": "random", "seed": 3},
}

// hashed is a run and what came out of it.
type hashed struct {
	Scenario json.RawMessage `json:"scenario"`
	Hash     string          `json:"hash"`
}

// native runs a scenario here.
func native(t *testing.T, b *bridge.Bridge, scenario any) (trace.FilmHead, []byte) {
	t.Helper()
	args, err := json.Marshal(map[string]any{"scenario": scenario})
	require.NoError(t, err)
	reply, err := b.Call(context.Background(), "film", args, nil)
	require.NoError(t, err)
	var head trace.FilmHead
	require.NoError(t, json.Unmarshal(reply.JSON, &head))
	return head, reply.Data
}

// short returns the scenario of settings.
func short(t *testing.T, b *bridge.Bridge, sugar map[string]any) (json.RawMessage, error) {
	t.Helper()
	args, err := json.Marshal(sugar)
	require.NoError(t, err)
	reply, err := b.Call(context.Background(), "scenario", args, nil)
	return reply.JSON, err
}

// under returns the scenario of an algorithm under one of the settings. Where no worst order is known, the
// processes are sorted. Each process doubles the messages of inquiry/naive: a film of 16 ends before the run
// and has no hash.
func under(t *testing.T, b *bridge.Bridge, name string, setting map[string]any) json.RawMessage {
	t.Helper()
	sugar := map[string]any{"algorithm": name, "n": 8}
	maps.Copy(sugar, setting)
	if name == "inquiry/naive" {
		sugar["n"] = min(sugar["n"].(int), 10)
	}
	scenario, err := short(t, b, sugar)
	if err != nil && sugar["order"] == "worst" {
		sugar["order"] = "sorted"
		scenario, err = short(t, b, sugar)
	}
	require.NoError(t, err, name)
	return scenario
}

func algorithms(t *testing.T, b *bridge.Bridge) (names []string) {
	t.Helper()
	reply, err := b.Call(context.Background(), "catalog", nil, nil)
	require.NoError(t, err)
	var list []struct{ Name, Variant string }
	require.NoError(t, json.Unmarshal(reply.JSON, &list))
	for _, a := range list {
		name := a.Name
		if a.Variant != "" {
			name += "/" + a.Variant
		}
		names = append(names, name)
	}
	return names
}

// Every algorithm makes the same run in the browser as here.
func TestRunsAreThoseOfTheLibrary(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	var b bridge.Bridge
	var runs []hashed
	for _, name := range algorithms(t, &b) {
		for _, s := range settings {
			scenario := under(t, &b, name, s)
			head, _ := native(t, &b, scenario)
			runs = append(runs, hashed{scenario, head.Hash})
		}
	}
	require.Greater(t, len(runs), 120)
	p.open(serve(t))
	p.makes(runs)
}

// makes checks that the page makes these runs as they were made here.
func (p *tab) makes(runs []hashed) {
	p.t.Helper()
	asked, err := json.Marshal(runs)
	require.NoError(p.t, err)
	var got []string
	p.script(&got, `
		const { call } = page, hashes = [];
		for (const { scenario } of `+string(asked)+`) {
			hashes.push((await call("film", { scenario })).json.hash);
		}
		return hashes;`)
	require.Len(p.t, got, len(runs))
	for i, r := range runs {
		require.Len(p.t, r.Hash, 16, "%s", r.Scenario)
		require.Equal(p.t, r.Hash, got[i], "%s", r.Scenario)
	}
}

// moment is what a film says of a step: of each process its role, status and leader, and the messages under
// way, each by its sender, receiver and kind.
type moment struct {
	Is [][4]int `json:"is"`
	// The role that is shown, and what is known of the critical section.
	Role    []int    `json:"role"`
	Section []int    `json:"section"`
	Way     [][3]int `json:"way"`
	At      float64  `json:"at"`
	By      int      `json:"by"`
	Out     uint32   `json:"out"`
	// How many messages are in flight at any moment from this step to three steps later.
	Between int `json:"between"`
	Busy    int `json:"busy"`
}

// moments reads them off a film, without any index.
func moments(f *trace.Film) []moment {
	where := make(map[uint64]int)
	for p, id := range f.Head.IDs {
		n, _ := strconv.ParseUint(id, 10, 64)
		where[n] = p
	}
	n := len(f.Head.IDs)
	list := []moment{{Is: make([][4]int, n), Role: make([]int, n), Way: [][3]int{}, Section: []int{}, By: -1}}
	until := make([]float64, n)
	for p := range list[0].Is {
		list[0].Is[p][3] = -1
	}
	for k := uint32(1); int(k) <= len(f.Steps.Do); k++ {
		m := moment{At: f.Steps.At[k-1], By: int(f.Steps.Process[k-1]), Way: [][3]int{},
			Is: append([][4]int(nil), list[k-1].Is...)}
		for i, step := range f.Changes.Step {
			if step == k {
				leader, ok := where[f.Changes.Leader[i]]
				if !ok {
					leader = -1
				}
				m.Is[f.Changes.Process[i]] = [4]int{int(f.Changes.Role[i]), int(f.Changes.Status[i]),
					int(f.Changes.Term[i]), leader}
				until[f.Changes.Process[i]] = f.Changes.Until[i]
			}
		}
		for p := range m.Is {
			role := m.Is[p][0]
			if until[p] > 0 && until[p] <= m.At { // its lease is over
				role = 0
			}
			m.Role = append(m.Role, role)
		}
		m.Section = list[k-1].Section
		for _, s := range f.Head.Sections {
			if s[0] == int(k) {
				m.Section = s
			}
		}
		list = append(list, m)
	}
	journeys(f, list)
	return list
}

// journeys adds what is in flight, and how much was sent.
func journeys(f *trace.Film, list []moment) {
	for i, do := range f.Events.Do {
		begin, end := f.Events.Step[i], len(list)
		send, last := i, f.Events.Link[i]
		switch observe.What(do) {
		case observe.Send:
			for k := int(begin); k < len(list); k++ {
				list[k].Out++
			}
		case observe.Duplicate:
			send, last = int(f.Events.Link[i]), f.Events.Copy[i]
		default:
			continue
		}
		if send < 0 || f.Events.Peer[send] < 0 {
			continue
		}
		if last >= 0 {
			end = int(f.Events.Step[last])
		}
		for k := max(int(begin)-3, 0); k < max(end, int(begin)+1) && k < len(list); k++ {
			list[k].Between++ // also one that ends at once
		}
		for k := int(begin); k < end; k++ {
			list[k].Busy++
			list[k].Way = append(list[k].Way, [3]int{int(f.Events.Process[send]), int(f.Events.Peer[send]),
				int(f.Events.Kind[send])})
		}
	}
}

const readMoments = `
	const { call } = page, { Film } = FILM;
	const all = [], { data } = await call("film", { scenario: SCENARIO });
	let film;
	try {
		film = new Film(data);
	} catch (error) {
		return [String(error)];
	}
	const order = [];
	for (let k = 0; k <= film.length; k++) order.push((k * 7) % (film.length + 1));
	if (film.length % 7 === 6) order.sort((a, b) => b - a);
	for (const k of order) {
		const is = Array.from({ length: film.n }, (_, p) => {
			const c = film.condition(p, k), j = film.changesAt(k)[p];
			return [c.role, c.status, j < 0 ? 0 : Number(film.changes.term[j]), c.leader];
		});
		const role = is.map((_, p) => film.roleOf(p, k)), section = film.sectionAt(k);
		all[k] = ({ is, role, section, way: film.underWay(k).map((j) => [j.from, j.to, j.kind]),
			at: film.at(k), by: film.processOf(k), out: film.sent[k],
			between: film.between(k, Math.min(k + 3, film.length)).length, busy: film.busy[k] });
	}
	return all;`

// filmed are runs with all that a film can hold: many steps, losses, copies, crashes and returns.
var filmed = []string{
	`{"algorithm": "lcr", "n": 36, "order": "worst"}`,
	`{"algorithm": "bully", "ids": [1, 2, 3, 4, 5], "initiators": [1], "crash_at": [[5, 0.5]],
		"recover_at": [[5, 30]]}`,
	`{"algorithm": "hs", "n": 8, "order": "random", "seed": 5, "duplicate": 0.3}`,
	`{"algorithm": "lcr", "n": 8, "order": "random", "seed": 5, "loss": 0.3}`,
	`{"algorithm": "lease", "ids": [1, 2, 3], "until": 110, "crash_at": [[1, 20], [2, 20]],
		"recover_at": [[1, 102.718825937]]}`,
	`{"algorithm": "mutex", "variant": "ricartagrawala", "n": 3}`,
}

// readFilm returns the scenario of a short form, and the film of its run.
func readFilm(t *testing.T, b *bridge.Bridge, form string) (json.RawMessage, *trace.Film) {
	t.Helper()
	var sugar map[string]any
	require.NoError(t, json.Unmarshal([]byte(form), &sugar))
	scenario, err := short(t, b, sugar)
	require.NoError(t, err)
	_, data := native(t, b, scenario)
	film, err := trace.ReadFilm(data)
	require.NoError(t, err)
	return scenario, film
}

// differs returns the first moment at which a module of the page reads a film otherwise than it is read here,
// or "" if there is none.
func differs(t *testing.T, p *tab, module string) string {
	t.Helper()
	var b bridge.Bridge
	for _, s := range filmed {
		scenario, film := readFilm(t, &b, s)
		var got []json.RawMessage
		p.script(&got, fmt.Sprintf("const SCENARIO = %s, FILM = %s;", scenario, module)+readMoments)
		for k, m := range moments(film) {
			want, err := json.Marshal(m)
			require.NoError(t, err)
			if k >= len(got) || string(want) != string(got[k]) {
				return fmt.Sprintf("%s, step %d:\nwant %s\ngot  %s", s, k, want,
					got[min(k, len(got)-1)])
			}
		}
	}
	return ""
}

func TestFilmsAreRead(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	require.Empty(t, differs(t, p, "page"))
}

// Each of these mistakes in reading a film, or in stepping through it, is found by the comparison above.
func TestMistakesInFilmsAreFound(t *testing.T) {
	t.Parallel()
	mistakes := []edit{
		{"film.js", `all[name] = new array(`,
			`all[{ process: "step", step: "process" }[name] ?? name] = new array(`},
		{"film.js", `step[held.next] <= k`, `step[held.next] < k`},
		{"film.js", `held.next = 1 + upTo(`, `held.next = upTo(`},
		{"film.js", `if (this.journeys[j].end > k) found`, `if (this.journeys[j].end >= k) found`},
		{"film.js", `j < this.firstJourney[k + 1]; j++`, `j < this.firstJourney[k]; j++`},
		{"film.js", `Math.min(k, this.length) - 1]`, `Math.min(k, this.length - 1)]`},
		{"film.js", `k <= this.length ? this.steps.process[k - 1]`,
			`k < this.length ? this.steps.process[k]`},
		{"film.js", `until[j] <= this.at(k)`, `until[j] < this.at(k)`},
		{"film.js", `since <= k`, `since < k`},
		{"film.js", `this.busy[begin]++`, `this.busy[begin + 1]++`},
		{"film.js", `this.busy[end]--`, `this.busy[end + 1]--`},
		{"film.js", `this.firstJourney[from + 1]; j`, `this.firstJourney[from]; j`},
		{"film.js", `this.firstJourney[to + 1]; j++`, `this.firstJourney[to]; j++`},
	}
	p := newTab(t, look{still: true})
	p.open(serve(t, mistakes...))
	for i, e := range mistakes {
		require.NotEmpty(t, differs(t, p, fmt.Sprintf(`await import("./%d/film.js")`, i)), "%s", e.new)
	}
}

// The picture of the network marks the links of the tree that ghs makes, each from the step on in which it
// joins: beside it the canvas has another colour then.
func TestTreeGrows(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Tree         [][3]int
		Before, Then []bool
	}
	p.script(&got, `
		const { encode, call } = page;
		const scenario = (await call("scenario", { algorithm: "ghs", n: 12, order: "random", seed: 3 })).json;
		const { tree } = (await call("film", { scenario })).json, got = { tree, before: [], then: [] };
		document.title = "";
		location.hash = await encode(scenario, 0);
		while (!document.title) await settled();
		const canvas = document.querySelector(".stage canvas"), ratio = window.devicePixelRatio || 1;
		const marked = async ([step, p, q], k) => {
			to(k);
			await settled();
			const { points } = page.scene.placed, g = canvas.getContext("2d");
			const [a, b] = [points[p], points[q]], far = Math.hypot(b.x - a.x, b.y - a.y);
			// A little beside the middle of the link.
			const off = { x: (-3 * (b.y - a.y)) / far, y: (3 * (b.x - a.x)) / far };
			const at = (name) => Math.round(ratio * (0.45 * a[name] + 0.55 * b[name] + off[name]));
			const [red, , blue] = g.getImageData(at("x"), at("y"), 1, 1).data;
			to(0);
			await settled();
			const [was, , too] = g.getImageData(at("x"), at("y"), 1, 1).data;
			return red - blue > was - too + 20;
		};
		for (const link of tree) {
			got.before.push(await marked(link, link[0] - 1));
			got.then.push(await marked(link, link[0]));
		}
		return got;`)
	require.Len(t, got.Tree, 11)
	require.Equal(t, slices.Repeat([]bool{false}, 11), got.Before)
	require.Equal(t, slices.Repeat([]bool{true}, 11), got.Then)
}

// The names above the picture in time do not overlap, whichever process is chosen and leads.
func TestNamesDoNotOverlap(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Overlaps     []string
		Drawn, Shown int
	}
	p.script(&got, `
		const got = { overlaps: [], drawn: 0, shown: 0 }, { fillText } = CanvasRenderingContext2D.prototype;
		const n = document.querySelector(".size input[type=number]");
		for (const size of [64, 256]) {
			n.value = size;
			n.dispatchEvent(new Event("change"));
			while (document.querySelectorAll(".node").length !== size) await frame();
			press("End");
			for (let k = 0; k < size; k += size / 32) {
				const chosen = (k + (k % 5)) % size;
				choose(chosen);
				await settled();
				let names = [];
				CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...more) {
					if (y === 15) {
						const half = this.measureText(text).width / 2;
						names.push({ text, from: x - half, to: x + half });
					}
					return fillText.call(this, text, x, y, ...more);
				};
				page.store.set({ paint: page.store.state.paint + 1 });
				await settled();
				CanvasRenderingContext2D.prototype.fillText = fillText;
				got.drawn += names.length;
				if (names.some((name) => name.text === page.store.state.film.name(chosen))) got.shown++;
				names = names.sort((a, b) => a.from - b.from);
				names.forEach((name, i) => {
					if (i > 0 && names[i - 1].to > name.from && names[i - 1].text !== name.text) {
						got.overlaps.push(size + ": " + names[i - 1].text + " and " + name.text);
					}
				});
			}
		}
		return got;`)
	require.Equal(t, 64, got.Shown)
	require.Greater(t, got.Drawn, 300)
	require.Empty(t, got.Overlaps)
}

// What the reader changes in the settings is changed of the run that is shown, also if an address, a
// lesson or a file has brought it.
func TestSettingsAreThoseOfTheRun(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got [][3]any
	p.script(&got, `
		const { encode, call, store } = page, got = [];
		while (!document.querySelector(".setup select")) await frame();
		const n = document.querySelector(".size input[type=number]");
		const shown = async (change) => {
			document.title = "";
			await change();
			while (!document.title) await settled();
		};
		const more = async (size) => {
			await shown(() => { n.value = size; n.dispatchEvent(new Event("change")); });
			const { algorithm, variant, ids, schedule, params, delay } = store.state.scenario;
			got.push([algorithm + "/" + variant, ids.length, JSON.stringify([schedule, delay, params])]);
		};
		const { json: fast } = await call("scenario", { algorithm: "bully/rules", n: 5, delay: "1-3",
			params: { delay: 4 } });
		await shown(async () => { location.hash = await encode(fast, 3); });
		await more(6);
		const scenario = { algorithm: "hs", variant: "respond", ids: [2, 3, 1] };
		const { text } = (await call("export", { kind: "trace", scenario })).json;
		await shown(() => {
			const files = new DataTransfer();
			files.items.add(new File([text.replace('"sim"', '"local"')], "a.trace"));
			window.dispatchEvent(new DragEvent("drop", { dataTransfer: files }));
		});
		await more(4);
		document.querySelector("#tab-learn").click();
		while (!document.querySelector(".lessons .does:not(.challenge)")) await frame();
		await shown(() => document.querySelector(".lessons .does:not(.challenge)").click());
		await more(7);
		return got;`)
	require.Equal(t, [][3]any{{"bully/rules", 6.0, `["random",{"min":1,"max":3},{"delay":4}]`},
		{"hs/respond", 4.0, `[null,null,{}]`}, {"lcr/participant", 7.0, `[null,null,null]`}}, got)
}
