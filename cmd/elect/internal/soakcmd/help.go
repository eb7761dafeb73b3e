package soakcmd

const long = `Simulates a large number of elections, each drawn from one number: links that
fit, the number of processes, their ids, priorities and places, the initiators
and their times, the delays of messages and whether they may overtake each
other. It also draws the faults that the model of the algorithm allows: crashes
and returns where the largest process that is up is elected, pauses where no
delay is assumed. Then faults end, crashes are noticed, and there must be one
leader, the right one, that all processes know. A run that does not come to rest
fails. One with heartbeats, which never rests, must have its leader after a
time, and keep it.

With --profile voters, which only an algorithm takes whose voters may change,
processes wish different voters, all return from their crashes with what they
have saved, and programs change the voters and take that back. Each agreement on
voters must follow the one before. In the end all processes are restarted with
one wish, and one must lead these voters.

The first run has the number --seed, the next the one after it. If some fail,
the report shows the failing run with the smallest number, shrunk as far as it
still fails: as a log, and with --out as a scenario that elect sim runs. For one
algorithm, --runs 1 shows the log of that run in any case. With --all there is a
row for each algorithm, and a full report on each that fails below.

The results of --runs depend neither on --workers nor on the speed of the
machine. With --duration there are as many runs as there is time for.

The time of the report is virtual time, in units. The hash covers all events of
the runs. Equal runs have the same time and hash on every machine.

The exit status is 0 if no run fails, 1 if one does, 2 if the command line is
invalid, and 3 if not all runs were made: the time was up before --runs were, or
the command was interrupted.`

const examples = `  elect soak bully --duration 30s
  elect soak bully --runs 10000 --seed 5 --out failure.json
  elect soak bully --seed 4 --runs 1
  elect soak lease --profile voters --runs 100000
  elect soak --all --runs 1000 --json`
