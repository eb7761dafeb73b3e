package web

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// In a large network, too, each process can be suspected, and a list that is not shown whole says so.
func TestManyThingsToDo(t *testing.T) {
	t.Parallel()
	p := newTab(t, look{still: true})
	p.open(serve(t))
	var got struct {
		Suspects, Pending, Shown int
		More                     string
	}
	p.script(&got, asks+`
		await open(store, (await call("scenario", { algorithm: "bully", n: 20 })).json, { step: 60 });
		choose(0);
		document.querySelector("#tab-acts").click();
		await settled();
		const title = every("#panel-acts h2").find((e) => e.textContent.startsWith("What may"));
		const next = every("#panel-acts .next li");
		const suspects = every("#panel-acts p").find((e) => e.textContent.startsWith("It suspects"));
		return { suspects: suspects.querySelectorAll("button").length,
			pending: Number(/\d+/.exec(title.textContent)[0]), more: next.at(-1).textContent,
			shown: next.filter((li) => li.querySelector(".does")).length };`)
	require.Equal(t, 19, got.Suspects)
	require.Greater(t, got.Pending, got.Shown)
	require.Equal(t, fmt.Sprintf("And %d more.", got.Pending-got.Shown), got.More)
}
