package comparecmd

const long = `Simulates elections of several algorithms with several numbers of processes,
several times each. It shows their messages, time and bits side by side, and the
closed forms if there are any.

Every algorithm has links of its own, unless --topology gives all the same.
Trial k of each has seed + k, and so the same order of processes as the others:
elect sim shows it with that seed. Ids are 1 to n, or the ids of a DOT file in
their places. In --initiators, --crashed and as the value of a parameter, n is
the largest id, n-1 the next. A parameter applies to the algorithms that have
it.

--csv and --json hold everything; --markdown is a table of --metric. With best,
mean or worst as the metric, --least and --markdown show the closed forms alone,
and nothing is simulated. --svg draws the metric over the number of processes,
with logarithmic axes: the mean of the trials, with a bar from the least to the
most, and bands from the best to the worst case. Lines that run parallel are
easier to read with --per n or --per nlog: divided so, each algorithm has a
panel. Algorithms for critical sections (mutex) are counted by the entry, not by
the election, and cannot be compared.`

const examples = `  elect compare lcr hs franklin dkr -n 8,16,32,64,128,256 --svg compare.svg
  elect compare lcr dkr -n 2..100 --order worst --least
  elect compare bully modbully/number -n 5,50 --crashed n --initiators n-1 --param coordinator=n
  elect compare echo/extinction treeelect/graph --topology random:500 -n 200 --csv`
