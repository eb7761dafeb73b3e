package listcmd

const long = `Lists the algorithms in a table: the number of variants, the links, which
process wins, and which faults are tolerated.

With names it shows a page for each of them: lcr means all variants of lcr,
lcr/wave one variant. A page describes what each variant does, its source,
whether links must keep messages in order or have a bound on delays, what happens
to a process that starts after it has relayed a message, the numbers of messages
with their conditions, the kinds of messages, the parameters, which all variants
share, and commands that run it. Times are in units.

Set a parameter by --param heartbeat=2. A parameter with a time for each process
is a table, such as --param pending=1:3,2:3. A parameter with a list of processes
for each process looks like --param groups=5:1/3,4:2, in which 5 leads 1 and 3,
and 4 leads 2.`

const examples = `  elect list
  elect list lcr hs/respond
  elect list --json`
