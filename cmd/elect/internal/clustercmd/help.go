package clustercmd

const long = `Starts members of a service as processes of this machine, each with a
certificate and connected by TCP. One at a time leads, as elector.Run has it. On
a terminal a moving picture shows which, and for how long its lease lasts. The
leader is killed, stopped, cut off and asked to end, one after another, until a
key is pressed; then keys do that. Without a terminal, and without --script, the
leader is killed once and asked to end once, or with --svg all of these, which
takes three members or more.

A script has a step on each line, and comments behind #. MEMBER is a letter,
leader or all:
  kill, term, stop, cont MEMBER   SIGKILL; SIGTERM, upon which it hands over; SIGSTOP; SIGCONT
  cut, heal MEMBER                no packet from or to others arrives; they arrive again
  restart MEMBER                  start it again; one that runs is killed before
  restart all                     start those that are down
  transfer b, resign              the leader hands over: to b, or to any
  sleep 2s                        wait for this time
  wait leader                     until a member leads that runs and is not cut off
  wait leader b, wait no leader   until b leads; until no lease is valid
  wait agreement                  until all members that run follow the same leader
  expect one leader               fail unless one lease is valid; likewise expect leader b,
                                  expect no leader, expect agreement

All members found the group. With --dir they store who they are, so a later run with
another -n changes the members, for which it needs a majority of the last ones.

A member notes from when until when its lease is valid. All use the clock of
this machine, so that these times can be compared exactly. A member that was
killed or stopped holds its lease until that ends. The table after the run shows
all leases, and how long after which event each began. Terms have fifteen digits,
of which the last six are shown; --json has all. Packets and bytes are without the
headers of TCP and IP.

The exit status is 0 if no two leases were valid at the same time, each had a
larger Term than all before, and every step of the script was done; else 1. It
is 2 if the command line or the script is invalid.`

const examples = `  elect cluster
  elect cluster --svg run.svg
  elect cluster -n 3 --lease 300ms --for 10s --json
  printf 'wait leader\nstop leader\nwait leader\ncont all\nwait agreement\n' | elect cluster --script -`
