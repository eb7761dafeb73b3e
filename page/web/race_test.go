package web

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-election/election/lab/trace"
	"github.com/go-election/election/observe"
	"github.com/go-election/election/page/bridge"
)

// raced is what a race shows of an algorithm at a time.
type raced struct {
	Name     string
	Messages int
	Score    string
}

// racing runs four algorithms among 5 and among 12 processes, and says what their cards show.
const racing = `
		const got = { early: [], end: [], middles: [] };
		while (!document.querySelector(".setup select option")) await frame();
		[...document.querySelectorAll("#tools button")].find((b) => b.textContent === "Race").click();
		const race = document.querySelector(".race"), [n, clock] = race.querySelectorAll("input");
		const ready = async (cards) => {
			while (race.querySelectorAll(".card").length !== cards) await frame();
			await settled();
		};
		const shows = () => [...race.querySelectorAll(".card")].map((card) => ({ name: card.dataset.name,
			messages: Number(card.querySelector("b").textContent),
			score: card.querySelector(".score").textContent }));
		await ready(3);
		const order = race.querySelector("select");
		got.orders = [order.value];
		n.value = 12; // of which not all have a worst order that is known
		n.dispatchEvent(new Event("input"));
		await settled();
		while (order.value === "worst" || race.querySelectorAll(".card b").length !== 3) await frame();
		got.orders.push(order.value);
		const add = race.querySelectorAll("select")[1];
		add.value = "dkr";
		add.dispatchEvent(new Event("change"));
		await ready(4);
		got.signs = new Set(every(".card path").map((path) => path.getAttribute("d"))).size;
		for (const size of [5, 12]) {
			n.value = size;
			n.dispatchEvent(new Event("input"));
			await settled();
			const time = race.querySelectorAll("output")[1];
			for (const [at, list] of [[0, got.early], [1000, got.end]]) {
				clock.value = at;
				clock.dispatchEvent(new Event("input"));
				await settled();
				list.push(shows());
			}
			// Between two instants in the middle.
			const end = Number(time.textContent.split(" ")[1]), middle = Math.floor(end / 2);
			clock.value = Math.round((1000 * (middle + 0.6)) / end);
			clock.dispatchEvent(new Event("input"));
			await settled();
			got.middles.push({ at: middle, cards: shows() });
		}
		got.options = add.disabled ? 0 : 1;
		got.errors = race.querySelector(".wrong")?.textContent ?? "";
		race.querySelector(".card:last-child header .quiet:last-child").click();
		await ready(3);
		return got;`

// sentUntil returns how many messages are sent up to a time.
func sentUntil(film *trace.Film, at int) (n int) {
	for j, do := range film.Events.Do {
		if observe.What(do) == observe.Send && film.Events.At[j] <= float64(at) {
			n++
		}
	}
	return n
}

// In a race all algorithms have the same processes and one clock: the counters are those of their films at
// that time, and in the end those of the whole runs.
func TestRace(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Early, End [][]raced
		Middles    []struct {
			At    int
			Cards []raced
		}
		Errors         string
		Orders         []string
		Options, Signs int
	}
	p.script(&got, racing)
	require.Empty(t, got.Errors)
	require.Equal(t, []string{"worst", "random"}, got.Orders, "until one of them has no worst order")
	require.Zero(t, got.Options, "more than four can be added")
	require.Equal(t, 4, got.Signs, "algorithms differ in form, not in colour alone")
	var b bridge.Bridge
	for i, n := range []int{5, 12} {
		require.Len(t, got.End[i], 4)
		for k, r := range got.End[i] {
			scenario, err := short(t, &b, map[string]any{"algorithm": r.Name, "n": n, "order": "random",
				"seed": 4})
			require.NoError(t, err)
			head, data := native(t, &b, scenario)
			film, err := trace.ReadFilm(data)
			require.NoError(t, err)
			require.EqualValues(t, head.Messages, r.Messages, r.Name)
			require.Contains(t, r.Score, "leads")
			first, middle := sentUntil(film, 0), got.Middles[i]
			require.LessOrEqual(t, got.Early[i][k].Messages, first)
			require.Positive(t, first)
			sent := sentUntil(film, middle.At)
			require.Equal(t, sent, middle.Cards[k].Messages, "%s at %d", r.Name, middle.At)
		}
	}
}

// A race begins with the algorithm that is shown, beside others on the same links; the processes have their
// names.
func TestRaceOfTheAlgorithmShown(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct{ Names, Drawn [][]string }
	p.script(&got, `
		const got = { names: [], drawn: [] }, { fillText } = CanvasRenderingContext2D.prototype;
		let drawn = new Set();
		CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
			if (this.canvas.closest(".net")) drawn.add(text);
			fillText.call(this, text, ...more);
		};
		while (!document.querySelector(".setup select option")) await frame();
		const select = document.querySelector(".setup select");
		for (const name of ["dkr", "mutex/tokenring", "echo/implicit"]) {
			select.value = name;
			select.dispatchEvent(new Event("change"));
			await settled();
			drawn = new Set();
			every("#tools button").find((b) => b.textContent === "Race").click();
			while (every(".race .card").length < 2) await frame();
			await settled();
			got.names.push(every(".race .card").map((card) => card.dataset.name));
			got.drawn.push([...drawn].sort());
			document.querySelector(".race").close();
			await frame();
		}
		return got;`)
	require.Equal(t, [][]string{{"dkr", "lcr/initiators", "franklin"},
		{"mutex/tokenring", "lcr/participant", "hs/probe"},
		{"echo/implicit", "treeelect/graph", "floodmax/alpha"}}, got.Names)
	for _, drawn := range got.Drawn {
		require.Subset(t, drawn, []string{"1", "2", "3"})
	}
}

// A service elects again and again: from its view, algorithms on a ring race, in their worst order.
func TestRaceFromTheService(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t) + "/?")
	var got struct {
		Names []string
		Order string
		N     int
	}
	p.script(&got, `
		const race = () => every("#tools button").find((b) => b.textContent === "Race").click();
		while (!page.store.state.catalog.length || !page.store.state.film) await frame();
		race();
		while (every(".race .card").length !== 3) await frame();
		await settled();
		return { names: every(".race .card").map((card) => card.dataset.name),
			order: document.querySelector(".race select").value, n: Number(document.querySelector(".race input").value) };`)
	require.Equal(t, []string{"lcr/participant", "hs/probe", "franklin"}, got.Names)
	require.Equal(t, "worst", got.Order)
	require.Equal(t, 8, got.N)
}

// The lines of the curves stand at round numbers: 1, 2 or 5 times a power of ten apart.
func TestRaceHasRoundNumbers(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []int
	p.script(&got, `
		let got = [], now = [];
		const { fillText } = CanvasRenderingContext2D.prototype;
		CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
			const upright = this.textAlign === "right"; // beside the upright axis
			if (upright && this.canvas.closest(".curves") && /^[0-9]+$/.test(text)) now.push(Number(text));
			if (text.startsWith("messages")) [got, now] = [now, []]; // the last word of a picture
			fillText.call(this, text, ...more);
		};
		while (!document.querySelector(".setup select option")) await frame();
		[...document.querySelectorAll("#tools button")].find((b) => b.textContent === "Race").click();
		while (document.querySelectorAll(".race .card").length !== 3 || got.length < 4) await frame();
		await settled();
		const n = document.querySelector(".race input");
		n.value = 12;
		n.dispatchEvent(new Event("input"));
		await settled();
		await frame();
		return got;`)
	require.GreaterOrEqual(t, len(got), 4)
	step := got[1]
	for step%10 == 0 {
		step /= 10
	}
	require.Contains(t, []int{1, 2, 5}, step, got)
	for i, v := range got {
		require.Equal(t, i*got[1], v, got)
	}
}

// The counters of a race, and the numbers beside its curves, group their digits, as other numbers of the
// page do.
func TestRaceGroupsDigits(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Counts []string
		Axis   []string
	}
	p.script(&got, `
		const axis = new Set(), { fillText } = CanvasRenderingContext2D.prototype;
		CanvasRenderingContext2D.prototype.fillText = function (text, ...more) {
			if (this.canvas.closest(".curves")) axis.add(text);
			fillText.call(this, text, ...more);
		};
		while (!document.querySelector(".setup select option")) await frame();
		every("#tools button").find((b) => b.textContent === "Race").click();
		while (every(".race .card").length !== 3) await frame();
		const [n, clock] = document.querySelectorAll(".race input");
		n.value = 64;
		n.dispatchEvent(new Event("input"));
		await settled();
		clock.value = 1000;
		clock.dispatchEvent(new Event("input"));
		await settled();
		return { counts: every(".race .card b").map((b) => b.textContent), axis: [...axis] };`)
	require.Len(t, got.Counts, 3)
	require.Regexp(t, `(?m)^\d,\d{3}$`, strings.Join(got.Counts, "\n"))
	require.Regexp(t, `(?m)^\d,000$`, strings.Join(got.Axis, "\n"))
	for _, text := range append(got.Counts, got.Axis...) {
		require.NotRegexp(t, `^\d{4,}$`, text)
	}
}
