package web

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The words of keys are with all others.
func TestKeysHaveTheirTexts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("keys.js")
	require.NoError(t, err)
	all := regexp.MustCompile(`words: (\S+)`).FindAllSubmatch(text, -1)
	require.Greater(t, len(all), 10)
	for _, words := range all {
		require.Regexp(t, `^(t\.key|string,)`, string(words[1]))
	}
}

// npm returns the folder of a package of the registry, which is used by tests only and never shipped.
func npm(t *testing.T, name, version string) string {
	t.Helper()
	browserName(t)
	cache, err := os.UserCacheDir()
	require.NoError(t, err)
	folder := filepath.Join(cache, "election", "npm", name+"@"+version)
	module := filepath.Join(folder, "node_modules", name)
	if _, err := os.Stat(filepath.Join(module, "package.json")); err == nil {
		return module
	}
	require.NoError(t, os.MkdirAll(folder, 0o755))
	out, err := exec.CommandContext(t.Context(), "npm", "install", "--prefix", folder, "--no-save",
		"--no-audit",
		"--ignore-scripts", name+"@"+version).CombinedOutput()
	if err == nil {
		return module
	}
	if os.Getenv(required) != "" {
		t.Fatalf("npm cannot install %s, and %s requires it: %v\n%s", name, required, err, out)
	}
	t.Skipf("%s is NOT RUN, as npm cannot install it: %v\n%s", name, err, out)
	return ""
}

// The modules are typed by their comments, strictly.
func TestModulesAreTyped(t *testing.T) {
	t.Parallel()
	compiler := filepath.Join(npm(t, "typescript", "7.0.2"), "..", ".bin", "tsc")
	out, err := exec.CommandContext(t.Context(), compiler, "-p", ".").CombinedOutput()
	require.NoError(t, err, string(out))
}

// finding is a rule of accessibility that an element breaks.
type finding struct{ ID, Impact, Help, Target, Summary string }

// The rules of accessibility that axe knows hold on each panel, in dialogs, in both schemes and on both
// screens.
func TestAccessible(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile(filepath.Join(npm(t, "axe-core", "4.14.1"), "axe.min.js"))
	require.NoError(t, err)
	server := serve(t)
	for _, l := range []look{{still: true}, {still: true, dark: true},
		{still: true, width: 390, height: 844, dark: true}} {
		t.Run(fmt.Sprintf("dark %v, width %d", l.dark, l.width), func(t *testing.T) {
			l.patience = 8 * time.Minute // it looks at each panel
			p := newTab(t, l)
			p.open(server)
			var found []finding
			p.script(&found, string(rules)+`;
				const found = [];
				const check = async (where) => {
					await settled();
					const { violations } = await axe.run(document);
					for (const { id, impact, help, nodes } of violations) {
						for (const { target, failureSummary } of nodes) found.push({ id: where + ": " + id,
							impact, help, target: target.join(" "), summary: failureSummary });
					}
				};
				for (const tab of document.querySelectorAll("[role=tab]")) {
					tab.click();
					to(range.max / 2);
					await check(tab.textContent);
				}
				press("End"); press("l");
				await check("the end, with causes");
				const [service, run] = every("#views button"), { store } = page;
				service.click();
				while (!document.querySelector(".member")) await frame();
				store.set({ doors: true });
				await check("the service at its start");
				for (const does of ["crash", "pause", "cut"]) {
					to(range.max / 2);
					await settled();
					document.querySelector("[data-does=" + does + "]").click();
					await settled();
					await check("the service after " + does);
				}
				every(".kinds button")[2].click();
				await settled();
				to(range.max / 4);
				await settled();
				document.querySelector("[data-does=cut]").click();
				await settled();
				to(range.max / 2);
				await check("two leaders");
				run.click();
				while (store.state.view !== "run") await frame();
				await settled();
				document.querySelector("details summary").click();
				await check("more settings");
				document.querySelector("details").open = false;
				for (const button of document.querySelectorAll("#tools button")) {
					button.click();
					while (!document.querySelector("dialog")) await frame();
					await check("dialog " + button.textContent);
					document.querySelector("dialog").close();
					while (document.querySelector("dialog")) await frame();
				}
				return found;`)
			var lines []string
			for _, f := range found {
				lines = append(lines, fmt.Sprintf("%s (%s) %s\n  %s", f.ID, f.Impact, f.Target,
					strings.ReplaceAll(f.Summary, "\n", " ")))
			}
			require.Zero(t, len(lines), strings.Join(lines[:min(len(lines), 12)], "\n"))
		})
	}
}
