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
  grid:3x4, torus:3x4     rows and columns; by default close to a square
  hypercube:3             a hypercube of dimension 3; by default the number of processes determines it
  random:20               a connected graph with 20 links; by default two links for each process
  circulant:1,5           a circle in which each process has links to the processes 1 and 5 places on
  dot:file                a graph or tree in a small part of the DOT language, whose names are ids

If the topology gives the number of processes, -n and --ids are not needed. The
first process is the root of a tree. --seed determines random topologies. An
algorithm for any graph runs on trees, rings, complete graphs, grids and
hypercubes as well. Without --topology, graphs are rings with chords, trees are
complete binary trees, and meshes are close to a square.`

const helpScenario = `A scenario is an election in a file of JSON: the algorithm, the processes, the
links, what goes wrong, and perhaps the expected result. Its fields have the
names of the flags, with _ for -.

  {"algorithm": "bully", "ids": [1, 2, 3], "crash_at": [[3, 0.5]]}

  algorithm, variant   as in bully and rules
  ids, priorities      the processes, in the order of the topology
  topology             an object with the field kind and the fields of this kind
  initiators           a list of ids; start_times are the times of their starts
  crashed              the ids of processes that are down from the beginning
  crash_at             a list of [id, time], like recover_at and restart_at
  pause_at             a list of [id, from, until]
  partitions           a list of objects with from, until, groups, one_way
  wishes               the voters that each process wants: a list of [id, time, voters]; lease only
  commands             a list of objects with at, process, command, voters: change, take back ...
  schedule, seed       unit, random or hand; a number that determines every random choice
  params               the parameters of the algorithm, an object
  steps                everything that happens, step by step
  acts                 interventions by hand, each after a number of occurrences; with the schedule
                       hand, everything that happens
  expect               leader, messages, by_kind and more; a field that is absent may have any value

A file for --scenario contains one scenario or an array of scenarios. The command
checks all of them before it runs the first. If one fails, the others still run;
each failure is a line on standard error. With --json, each
election is one object on one line.

testdata/scenarios/README.md describes every field. elect check --out writes a
counterexample as a scenario.`

const helpFaults = `Flags of elect sim describe what goes wrong in an election; elect run has the
flags for crashes.

  --crashed 4              4 is down from the beginning
  --crash-at 4@3.5         4 crashes after 3.5 units, before anything else at that time
  --recover-at 4@15        it returns without its state
  --restart-at 4@15        it returns with the state that it saved last
  --suspect-after 2        a detector that is never wrong reports each crash and return 2 units later
  --pause-at 3@2-6         3 handles nothing from 2 until 6; events wait until then
  --loss 0.1               each message is lost with this probability
  --duplicate 0.1          each message arrives twice with this probability
  --reorder 0.1            each message is delayed once more with this probability
  --partition '1,2|3@2-8'  messages between these groups are lost from 2 until 8; 1,2>3 is one-way:
                           messages from 1 or 2 to 3 are lost; processes in no group form another
                           group, the last; without @2-8 it lasts for the whole run, with @2 from
                           2 on

Most algorithms require that messages arrive once. For them --duplicate needs
--force.

elect list NAME shows which faults an algorithm tolerates. An election with other
faults may fail. The report says so, but the command line is valid. elect check
tries faults at every moment, within a budget such as --crashes 1. elect soak
draws them at random.`

const helpOutput = `elect sim and elect run report each election in lines: the leader, the messages
by kind, the bits, the longest chain of messages, the time in units, and the
trace, which is a hash of all events. With --json, each election is one object
on one line.

The lines best, mean and worst give the number of messages in each case if all
processes start simultaneously, or only one if only one may. The percentage next
to it compares this election with it: after worst, 50 % means that the election
took half of the largest number; after best, 200 % means twice the smallest
number. If both numbers are equal, it says reached. A number after ≤ is a bound
that need not be attained.

-v also shows how fast the program was.`
