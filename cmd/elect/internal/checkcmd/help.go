package checkcmd

const long = `Visits every state that an election can reach. Initiators start at any moment,
any link delivers, any timer expires. Within the given budgets, processes crash
and return, and messages are lost and duplicated. The command judges what the
algorithm promises in every state, at the end of every run, and over all runs.
For a property that does not hold it shows a shortest run to the violation, step
by step.

A property that must hold at some time, such as that a process leads, is seen or
not seen. Every other property holds or is violated. If initiators start at any
moment, a late start may begin another election. The numbers of messages and
steps then cover all elections of a run; with --started they cover one election.

--network is one of

  fifo          links keep the order (the default)
  unordered     any message on a link may be the next
  lossy         fifo, but up to --losses messages are lost (default: unlimited)
  duplicating   fifo, but up to --duplicates messages arrive twice (default: 1)

Budgets may be combined with unordered links and with each other.

An algorithm that assumes a bound on delays is checked with time: messages take
up to --delay, and timers expire when they are due, in steps of --tick. With
--untimed, or if the algorithm assumes no bound, a message takes any time. A
timer then expires at any time, but not before a shorter timer that was set
earlier.

A lease has many more states than an election: each process has a clock, and
renewals never end. So the example below has leases of two ticks, exact clocks,
and candidates that claim without asking first.

With --voters the voters of a lease change. The option takes these words:

  agreed=123    the ids of the voters in the first state; without it the
                group has to be founded
  wishes=12,3   the wish of each process; the last wish applies to all others
  returns=12,3  the wishes after a restart (default: the same as before)
  to=12,3       the sets to which a leader may change the voters
  changes=1     the number of changes that each process may begin
  by=1          the processes that may begin a change (default: all)
  terms=3       the largest term that is claimed (default: 3)
  late          releases, and claims sent before them, also arrive at any moment
  stay          no process stops before its claim or its lease ends
  leases        only leases and terms are judged, not the order of changes

Leaders then stop, renew and take steps at any moment, messages are lost, late
and repeated, and a configuration arrives in one message. See lab/check.Voters.

If the budgets exceed the model of the algorithm, such as crashes on a ring, the
report says so. Properties that do not depend on them are still judged.

The exit status is 0 if everything holds, 1 if a property is violated, 2 if the
command line is invalid, and 3 if not every state was visited because of a limit
or an interrupt. The report then contains the results so far. In --json, a
property that was not judged, or not violated so far, is null.

The command shows a counterexample as a log, and as the pictures that flags ask
for. --out writes it as a scenario, which elect check --replay and elect sim
--scenario run. After a correction of the algorithm, use --replay: it judges the
property that was violated, and accepts steps that no longer violate it. elect
sim requires a leader, which there may not be yet where the steps end.`

const examples = `  elect check lcr -n 5
  elect check lcr -n 5 --order worst --network unordered --no-announcement
  elect check dkr -n 3 --network unordered --out counterexample.json
  elect check --replay counterexample.json --mermaid counterexample.mmd
  elect check bully -n 3 --crashes 1
  elect check lease -n 3 --initiators 2 --crashes 1 --recoveries 1 --param lease=2 --param renew=2 --param drift=0 --param stagger=0 --param eager=yes --until 5
  elect check lease -n 3 --voters "agreed=123 to=1,23 changes=1 by=1 terms=2" --param lease=2 --param renew=2 --param drift=0 --param stagger=0 --param eager=yes --param durable=yes --delay 100 --tick 1 --until 0.5
  elect check mutex/ricartagrawala -n 3 --memory 4GB --json`
