package tracecmd

const long = `Shows an election that elect sim --trace or elect run --trace has recorded: as a
log, which is the default, or as a space-time or sequence diagram.
The name - stands for standard input and output.

In a space-time diagram each process is a vertical line, and each message an
arrow in the color of its kind. More than 12 processes or 200 messages are drawn
as an overview, and not as a sequence diagram.

--chrome and --shiviz write files for the viewers ui.perfetto.dev and ShiViz,
which can zoom and search.

--process, --kind, --from and --until select lines of the log; pictures show the
whole run. On a terminal $PAGER shows the log, by default less.`

const examples = `  elect sim hs -n 8 --trace hs.ndjson
  elect trace hs.ndjson
  elect trace hs.ndjson --process 3 --from 2 --until 10
  elect trace hs.ndjson --svg hs.svg --mermaid hs.mmd
  elect trace hs.ndjson --chrome hs.json
  elect trace replay hs.ndjson
  elect trace diff hs.ndjson other.ndjson`

const longReplay = `Gives all events of a recorded election to the algorithm again, and compares its
effects with the recorded ones. It prints the first difference on standard error,
and the exit status is 1.`

const longDiff = `Compares two recorded elections process by process: the events of each process,
and their effects, in order. It ignores times, and the order of events of
different processes. It prints the first difference on standard error, and the
exit status is 1.`

const longMerge = `Joins the traces of a run whose processes ran in separate programs and wrote a
trace each. It puts the events into causal order, and corrects slow clocks so
that no message arrives before it was sent. A process that has returned after a
crash may have several files, in order. Without --trace or another file to write,
the trace goes to standard output. It refuses files that do not fit together,
such as traces of different runs, or messages that were received but not sent.`

const examplesMerge = `  elect trace merge 1.ndjson 2.ndjson 3.ndjson --trace all.ndjson --svg all.svg
  elect trace merge *.ndjson | elect trace replay -`
