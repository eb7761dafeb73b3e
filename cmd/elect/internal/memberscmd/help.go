package memberscmd

const long = `Shows the members of a group. URL is where a member answers by HTTP: the address of
elect lead --http or --control, or where a service serves Elector.Handler.

Only the votes of the agreed members count. The list of each process is a wish. The
leader replaces the agreed members when enough processes have the same new list and
answer. If lists differ, ask the leader: only it knows what the change waits for.

The table contains the agreed members and the processes that are connected to the
process at URL. Their roles are member; learner, a process that is not a member yet;
leaving, a member that its own list does not contain; and no member.`

const examples = `  elect members 10.0.0.1:8080
  elect members http://10.0.0.1:8080/election/ --json`

const longSet = `Changes the members of a group, whatever the lists of its processes contain, and
waits until the change is agreed, for at most ten leases. The arguments are all
members of the new group. An address that the group knows may be omitted.

URL is the address of elect lead --control at the leader; a follower answers with the
name of the leader. The default path is /members. A service that serves
Elector.MembersHandler at another path needs it in the URL.

New members must run, with any list. The members stay as they are set until enough
processes have a list that is new to the group, so correct the lists soon. Stop
removed members after the change, not before.`

const examplesSet = `  elect members set 127.0.0.1:8081 a=10.0.0.1:7946 b=10.0.0.2:7946 d=10.0.0.4:7946
  elect members set 127.0.0.1:8081 a b d`
