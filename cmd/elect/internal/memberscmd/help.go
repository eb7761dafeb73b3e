package memberscmd

const long = `Shows the members of a group. URL is where a member answers by HTTP: the address of
elect lead --http or --control, or where a service serves Elector.Handler.

Only the votes of the agreed members count. Each process has a list, which is what
it wishes, and the leader replaces the agreed members when enough processes have
the same new list and answer. If lists differ, ask the leader: only it knows what
the change waits for.

A process is a member; a learner, which is not a member yet; leaving, which is a
member that its own list does not contain; or no member. The table has the agreed
members, and the processes that are connected to the one that is asked.`

const examples = `  elect members 10.0.0.1:8080
  elect members http://10.0.0.1:8080/election/ --json`

const longSet = `Changes the members of a group, whatever the lists of its processes contain, and
waits until the change is agreed, at most ten leases. The arguments are all
members that the group is to have. An address may be omitted if it is known.

URL is the address of elect lead --control at the leader, which a follower names.
Its path is /members, unless it is another one, under which a service serves
Elector.MembersHandler.

New members must be running, with any list. The members then stay as they are set
until enough processes have a list that is new to the group, so correct the lists
soon. Stop removed members after the change, not before.`

const examplesSet = `  elect members set 127.0.0.1:8081 a=10.0.0.1:7946 b=10.0.0.2:7946 d=10.0.0.4:7946
  elect members set 127.0.0.1:8081 a b d`
