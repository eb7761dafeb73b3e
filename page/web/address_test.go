package web

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A run that cannot be encoded leaves the address as it is, and the page does not wait for it.
func TestAddressThatCannotBe(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got []any
	p.script(&got, `
		await settled();
		const { dataset } = document.documentElement, before = location.hash;
		window.CompressionStream = class { constructor() { throw new Error("full"); } };
		page.store.set({ step: 2 });
		const late = dataset.address;
		await new Promise((on) => new MutationObserver(on).observe(document.documentElement,
			{ attributeFilter: ["data-address"] }));
		return [late, dataset.address, location.hash === before];`)
	require.Equal(t, []any{"late", "", true}, got)
}

// An address of which a part is changed by chance is read, or refused in one line, as its run is.
func TestAddressesByChance(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Read, Films int
		Refused     []string
	}
	p.script(&got, `
		await addressed();
		let seed = 7;
		const chance = (n) => (seed = (seed * 48271) % 2147483647) % n;
		const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
		const got = { read: 0, films: 0, refused: [] }, whole = location.hash.slice(1), refused = new Set();
		const { scenario } = await page.decode(whole), text = JSON.stringify(scenario);
		const refuse = (e) => void refused.add(e.message);
		const film = (scenario) => page.call("film", { scenario }).then(() => got.films++, refuse);
		const changed = (text, k, by, from = k + 1) => text.slice(0, k) + by + text.slice(from);
		for (let i = 0; i < 300; i++) {
			const at = chance(whole.length), code = changed(whole, at,
				letters[chance(64)], at + 1 + chance(2));
			const value = await page.decode(code).catch(refuse);
			if (value) await film(value.scenario);
			// What is inside is changed, too: else it would hardly ever be read.
			const other = changed(text, chance(text.length), '0123456789{}[]",:-e'[chance(19)]);
			const parsed = await Promise.resolve(other).then(JSON.parse).catch(() => null);
			if (!parsed) continue;
			const { scenario } = await page.decode(await page.encode(parsed, chance(99)));
			got.read += JSON.stringify(scenario) === JSON.stringify(parsed) ? 1 : 0;
			await film(scenario);
		}
		got.refused = [...refused];
		return got;`)
	require.Greater(t, got.Read, 30)
	require.Greater(t, got.Films, 10)
	require.Greater(t, len(got.Refused), 10)
	for _, words := range got.Refused {
		require.NotContains(t, words, "\n")
		require.NotContains(t, words, "panic")
		require.Less(t, len(words), 300, words)
	}
}

// An address that inflates to more than a megabyte is refused there; a version that this page does not know
// is named in short; nesting that no scenario has is an error, not a page that stops.
func TestAddressOfAnything(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Long, Fits, Version, Object, Nested string
		Inflated                            int
	}
	p.script(&got, `
		const { decode, encode } = page;
		const says = (address) => decode(address).then(() => "read", (error) => error.message);
		const packed = async (text) => {
			const bytes = await new Response(new Blob([text]).stream()
				.pipeThrough(new CompressionStream("deflate-raw"))).bytes();
			return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
		};
		const got = { fits: await says(await encode({ name: "x".repeat(9e5) }, 0)) };
		const bomb = await encode({ name: "x".repeat(4e7) }, 0), Inflate = DecompressionStream;
		got.inflated = 0;
		window.DecompressionStream = class {
			constructor(kind) {
				const stream = new Inflate(kind);
				this.writable = stream.writable;
				this.readable = stream.readable.pipeThrough(new TransformStream({ transform(part, on) {
					got.inflated += part.length;
					on.enqueue(part);
				} }));
			}
		};
		got.long = await says(bomb);
		window.DecompressionStream = Inflate;
		got.version = await says(await packed(JSON.stringify({ v: "9".repeat(5000) })));
		got.object = await says(await packed('{"v": {"toString": 1}}'));
		const error = document.querySelector("#error");
		error.textContent = "";
		location.hash = await packed('{"v": 1, "s": {"a": ' + "[".repeat(4e5) + "]".repeat(4e5) + '}}');
		while (!error.textContent) await settled();
		return { ...got, nested: error.textContent };`)
	require.Equal(t, "read", got.Fits)
	require.Contains(t, got.Long, "too long for an address")
	require.Less(t, got.Inflated, 3_000_000, "the rest is not inflated")
	require.Equal(t, `The address is of version "`+strings.Repeat("9", 59)+`, not 1.`, got.Version)
	require.Equal(t, `The address is of version {"toString":1}, not 1.`, got.Object)
	require.NotEmpty(t, got.Nested)
	require.Less(t, len(got.Nested), 200)
}
