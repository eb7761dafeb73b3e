package experimentcmd

const long = `Repeats measurements of R. Nourmandipour's paper on the modified bully
algorithm, with the algorithms of this project in the simulator, and reports
which results of the paper hold.`

const examples = `  elect experiment redundancy --svg figure.svg
  elect experiment redundancy --iterations 10000 --model b
  elect experiment complexity -n 12`

const longRedundancy = `Lets the largest of N processes be elected and crash, again and again. It counts
how many of the others start an election of their own, how many elections are
served, and the messages. The algorithms are the modified bully algorithm
(base), pending convenience under three policies of waiting, and election
numbers (number). The policies are paper: all wait the same maximum; own: each
waits its own time; rank: each has a slot by its rank. One process in ten has
exactly the same pending-convenience time, which is the longest of all, or any.

The paper does not say how processes notice the crash. In model a, 1 to 6 of
them do at the same instant, and an election is over before a process with a
longer wait starts. In model b all notice, each at a time of its own within 40
units; a message takes 1 to 10 units.

The figure of --svg shows how the numbers are distributed; with --bars each of
at most 20 iterations, as the figures of the paper do.`

const examplesRedundancy = `  elect experiment redundancy
  elect experiment redundancy --iterations 10000 --svg figure.svg
  elect experiment redundancy -n 100 --model a --seed 3 --json`

const longComplexity = `Measures the number of messages of pending convenience and of election numbers,
for 3 to N processes and each process that may notice the crash. Beside it stand
the equations (1) to (10) of the paper and the right formulas. For up to 10
processes it also searches for the largest number over all sets of processes
that are down. The exit status is 1 if a measured number differs from the right
formula.`

const examplesComplexity = `  elect experiment complexity
  elect experiment complexity -n 30 --json`
