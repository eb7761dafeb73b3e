package pagecmd

const long = `Serves a page on which any of the algorithms runs in the browser: watch it step
by step, forwards and backwards, with the lines of Go that each step runs; crash
processes, lose and delay messages; check all orders of a small election. The
page needs no network and no other server: it runs the library itself.

A release contains the page. Otherwise the command builds the page from the source
of this version, once, into the user's cache, which needs the go command. It
prints the address, which works only on this machine. Ctrl-C ends it.

--trace shows a finished run. The page runs a trace of elect sim again, so you can
change it and share its address.

--out and --single write the page instead: as a folder for any web server, or as
a single file, which a browser opens without a server.`

const examples = `  elect page --open
  elect page --scenario counterexample.json
  elect sim lcr -n 9 --seed 7 --trace - | elect page --open --trace -
  elect page --trace lcr.ndjson --addr 127.0.0.1:8080
  elect page --single election.html`
