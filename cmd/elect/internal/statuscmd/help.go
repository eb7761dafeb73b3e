package statuscmd

const long = `Asks the members of a group for their state, all at the same time, and reports whether
one of them leads and all agree. ADDRESS is where a member answers by HTTP: the address of
elect lead --http, or where a service serves Elector.Handler.

The first line is for monitoring: ok, warning or critical, and the reason. The table
shows the answer of each member: the leader that it knows, the rest of the lease at the
leader, the agreed members and its own list, and the version of this library.

The exit status is

  0  ok: one leader, all members answer, are healthy, and agree on everything
  1  warning: there is one leader, but a member does not answer, is not healthy,
     knows another leader or Term, or has another list or version
  2  critical: there is no leader, several members lead, no member answers, or the
     answers are of several groups; or the command line is invalid

During a failover members may disagree for a moment, and there may be no leader for about
a lease. A monitor should ask again before it raises an alarm.`

const examples = `  elect status 10.0.0.1:8080 10.0.0.2:8080 10.0.0.3:8080
  elect status --json --timeout 2s 10.0.0.1:8080 10.0.0.2:8080 10.0.0.3:8080`
