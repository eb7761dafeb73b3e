package clustercmd

const long = `Starts members of a service as processes of this machine, each with a
certificate and connected by TCP. One member at a time leads, by elector.Run. On
a terminal a moving picture shows the leader and the rest of its lease. The
command kills, stops, cuts off and terminates the leader in turn until you press
a key; from then on, keys do it. Without a terminal and without --script, it
kills and terminates the leader once. With --svg it does all four, which needs
at least three members.

A script has one step on each line, and comments after #. MEMBER is a letter,
leader or all:
  kill, term, stop, cont MEMBER   send SIGKILL; SIGTERM, on which it hands over; SIGSTOP; SIGCONT
  cut, heal MEMBER                drop all packets from and to other members; stop that
  restart MEMBER                  start it again, after killing it if it runs
  restart all                     start the members that are down
  transfer b, resign              let the leader hand over to b, or to any member
  sleep 2s                        wait for this time
  wait leader                     wait until a member leads that runs and is not cut off
  wait leader b, wait no leader   wait until b leads; until no lease is valid
  wait agreement                  wait until all running members follow the same leader
  expect one leader               fail unless one lease is valid; likewise expect leader b,
                                  expect no leader, expect agreement

To found the group, all members must run. With --dir they remember it, so a later
run with another -n changes the members, which needs a majority of the old ones.

Each member records when its lease is valid. All members use the clock of this
machine, so the times can be compared exactly. A killed or stopped member holds
its lease until it ends. The table after the run shows all leases, and how long
after which event each of them began. Terms have fifteen digits; the table shows
the last six, --json all. Packets and bytes do not include headers of TCP and IP.

The exit status is 0 if no two leases were valid at the same time, Terms
increased from lease to lease, and every step of the script succeeded; otherwise
it is 1. It is 2 if the command line or the script is invalid.`

const examples = `  elect cluster
  elect cluster --svg run.svg
  elect cluster -n 3 --lease 300ms --for 10s --json
  printf 'wait leader\nstop leader\nwait leader\ncont all\nwait agreement\n' | elect cluster --script -`
