package listcmd

const long = `Lists the algorithms in a table: the number of variants, the links, which
process wins, and which faults are survived.

With names it shows a page for each: lcr is all variants of lcr, lcr/wave is
one. A page has what each variant does, its source, whether links must keep the
order of messages or have a bound on delays, what happens to a process that
starts after it has relayed a message, the numbers of messages with the
condition of each, the kinds of messages, the parameters, which all variants
share, and commands that run it. Times are in units.

A parameter is given as --param heartbeat=2. One that is a time for each process
is a table, as in --param pending=1:3,2:3, and one that is a list of processes
for each as in --param groups=5:1/3,4:2: 5 leads 1 and 3, 4 leads 2.`

const examples = `  elect list
  elect list lcr hs/respond
  elect list --json`
