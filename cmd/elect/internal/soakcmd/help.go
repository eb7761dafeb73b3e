package soakcmd

const long = `Simulates many random elections. A single number determines each of them: the
links, the number of processes, their ids, priorities and places, the initiators
and their times, and the delays and order of messages. It also determines faults
that the model of the algorithm allows, such as crashes and returns for
algorithms that elect the largest live process, or pauses for algorithms that
assume no delay. After the last fault all crashes are noticed. Then there must be
one leader, the right process, that all processes know. A run that does not come
to rest fails. Runs with heartbeats never rest; they must have a leader after
some time, and keep it.

--profile voters is for algorithms whose voters may change. Processes wish for
different voters and return from crashes with their saved state, and programs
change the voters and take changes back. Each configuration of voters must follow
the previous one. Finally all processes are restarted with the same wish, and a
process must lead these voters.

The first run has the number --seed, the second --seed + 1, and so on. If runs
fail, the report shows the failing run with the smallest number, shrunk as far as
possible: as a log, and with --out as a scenario for elect sim. For a single
algorithm, --runs 1 always shows the log of the run. --all prints a row for each
algorithm, and below it a full report for each algorithm that fails.

The results of --runs do not depend on --workers or the speed of the machine.
--duration makes as many runs as it has time for.

The report gives virtual time, in units. The hash covers all events of the runs.
Equal runs have the same time and hash on every machine.

The exit status is 0 if no run fails, 1 if a run fails, 2 if the command line is
invalid, and 3 if there was no time for all --runs, or the command was
interrupted.`

const examples = `  elect soak bully --duration 30s
  elect soak bully --runs 10000 --seed 5 --out failure.json
  elect soak bully --seed 4 --runs 1
  elect soak lease --profile voters --runs 100000
  elect soak --all --runs 1000 --json`
