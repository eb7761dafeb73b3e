package pagecmd

const long = `Serves a page on which any of the algorithms runs in the browser: watch it step
by step, forwards and backwards, with the lines of Go that each step runs; crash
processes, lose and delay messages; check all orders of a small election. The
page needs no network and no other server: it runs the library itself.

The page is built from the source of this version, once, into the cache of the
user; that needs the go command, unless the program is a release, which holds
the page. The address is for this machine only, and is printed in one line.
Ctrl-C ends it.

A run that --trace shows is over, but for one of elect sim, which the page runs
again: that can be changed, and has an address.

--out and --single write the page instead: as a folder for any web server, or as
one file, which a browser opens without a server.`

const examples = `  elect page --open
  elect page --scenario counterexample.json
  elect sim lcr -n 9 --seed 7 --trace - | elect page --open --trace -
  elect page --trace lcr.ndjson --addr 127.0.0.1:8080
  elect page --single election.html`
