package comparecmd

const long = `Simulates elections of several algorithms with several numbers of processes,
several times each. It shows their messages, time and bits side by side, and
closed forms if they are known.

Each algorithm has its own links, unless --topology gives the same links to all.
Trial k of each algorithm has seed + k, and therefore the same order of processes
as trial k of the others; elect sim shows the trial with that seed. Ids are 1 to
n, or the ids of a DOT file in their places. In --initiators, --crashed and
values of parameters, n is the largest id and n-1 the second largest. A parameter
applies to the algorithms that have it.

--csv and --json contain everything; --markdown is a table of --metric. If the
metric is best, mean or worst, --least and --markdown show only closed forms, and
nothing is simulated. --svg draws the metric over the number of processes, with
logarithmic axes: the mean of the trials, a bar from the smallest to the largest
number, and a band from the best to the worst case. With --per n or --per nlog
each algorithm has a panel, which makes parallel lines easier to read. Algorithms
for critical sections (mutex) count messages per entry, not per election, and
cannot be compared.`

const examples = `  elect compare lcr hs franklin dkr -n 8,16,32,64,128,256 --svg compare.svg
  elect compare lcr dkr -n 2..100 --order worst --least
  elect compare bully modbully/number -n 5,50 --crashed n --initiators n-1 --param coordinator=n
  elect compare echo/extinction treeelect/graph --topology random:500 -n 200 --csv`
