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
