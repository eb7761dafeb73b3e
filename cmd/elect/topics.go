package main

import "github.com/spf13/cobra"

// topics returns help about what several commands share: cobra lists a command that runs nothing as a topic.
func topics() []*cobra.Command {
	return []*cobra.Command{
		{Use: "topology", Short: "The links between processes: --topology", Long: helpTopology},
		{Use: "scenario", Short: "Elections in files: --scenario", Long: helpScenario},
		{Use: "faults", Short: "What goes wrong: crashes, losses, partitions", Long: helpFaults},
		{Use: "output", Short: "What elect sim and elect run report", Long: helpOutput},
	}
}

const helpTopology = `--topology is one of

  ring, complete          one-way or two-way, as the algorithm needs it
  tree                    a complete binary tree
  path, star              trees, too
  randomtree              each tree is equally likely
  grid:3x4, torus:3x4     rows and columns; without them, close to a square
  hypercube:3             of this dimension; without it, as the number of processes says
  random:20               a connected graph of 20 links; without a number, of two links for each process
  circulant:1,5           a graph: each process has links to those 1 and 5 places further in a circle
  dot:file                a graph or tree in a small part of the DOT language, whose names are ids

If the topology gives the number of processes, -n and --ids are not needed. The
first process is the root of a tree. Random topologies follow from --seed. An
algorithm for any graph runs on trees, rings, complete graphs, grids and
hypercubes as well. Without --topology, graphs are rings with chords, trees are
complete binary trees, and meshes are close to a square.`

const helpScenario = `A scenario is an election in a file of JSON: the algorithm, the processes, the
links, what goes wrong, and perhaps the expected result. Its fields have the
names of the flags, with _ for -.

  {"algorithm": "bully", "ids": [1, 2, 3], "crash_at": [[3, 0.5]]}

  algorithm, variant   as in bully and rules
  ids, priorities      the processes, in the order of the topology
  topology             an object with the field kind, and those that this kind has
  initiators           a list of ids; start_times are the times of their starts
  crashed              the ids that are down from the beginning
  crash_at             a list of [id, time], as recover_at and restart_at
  pause_at             a list of [id, from, until]
  partitions           a list of objects with from, until, groups, one_way
  wishes               the voters that each process wants: a list of [id, time, voters]; lease only
  commands             a list of objects with at, process, command, voters: change, take back ...
  schedule, seed       unit, random or hand; what every random choice follows from
  params               the parameters of the algorithm, an object
  steps                all that happens, one step after another
  acts                 what a hand does, each act after a number of occurrences; with the schedule
                       hand, all that happens
  expect               leader, messages, by_kind and more; a field that is absent may have any value

A file for --scenario holds one scenario or an array of them. The command checks
all of them before it runs the first. One that fails does not keep the others
from being run; each failure gives a line on standard error. With --json, each
election is one object on one line.

testdata/scenarios/README.md describes every field. elect check --out writes a
counterexample as a scenario.`

const helpFaults = `Flags of elect sim describe what goes wrong in an election; elect run has the
flags for crashes.

  --crashed 4              4 is down from the beginning
  --crash-at 4@3.5         4 crashes after 3.5 units; at one instant crashes come before all else
  --recover-at 4@15        it comes back, and has lost its state
  --restart-at 4@15        it comes back with the state that it saved last
  --suspect-after 2        a detector that is never wrong reports each crash and return 2 units later
  --pause-at 3@2-6         3 handles nothing from 2 until 6; what comes meanwhile waits
  --loss 0.1               each message is lost with this probability
  --duplicate 0.1          each message arrives twice with this probability
  --reorder 0.1            each message is delayed once more with this probability
  --partition '1,2|3@2-8'  no message that is sent between these groups from 2 until 8 arrives;
                           1,2>3 is one-way: messages from 1 or 2 to 3 are lost; the processes
                           that no group names are one more group, the last; without @2-8 it is
                           there for the whole run, with @2 from 2 on

Most algorithms reckon with messages that arrive once: --duplicate needs --force
there.

Which faults an algorithm survives is in elect list NAME. An election with other
faults may fail: that is reported, and is no error of the command line. elect
check tries faults at every moment, within numbers such as --crashes 1; elect
soak draws them at random.`

const helpOutput = `elect sim and elect run report each election in lines: the leader, the messages
by kind, the bits, the longest chain of messages, the time in units, and the
trace, which is a hash of all events. With --json, each election is one object
on one line.

The lines best, mean and worst give the number of messages in that case, if all
processes start simultaneously, or the one that may. Next to each is the number
of messages of this election as a percentage of it: after worst, 50 % means that
the election took half of the largest number; after best, 200 % means that it
took twice the least. The word reached stands where both numbers are equal. A
number after ≤ is a bound that need not be attained.

-v adds how fast the program was.`
