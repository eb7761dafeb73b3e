package web

import (
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
