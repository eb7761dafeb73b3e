package leadcmd

const long = `Runs COMMAND on one member of a group at a time. Each member runs elect lead
with the same list of members. The elected member holds a lease, renews it, and
runs COMMAND while it holds the lease. To found a group, all members must run.
After that, a majority is enough.

COMMAND finds ELECTION_TOKEN, ELECTION_TERM, ELECTION_GROUP and ELECTION_SELF in
its environment. The resource to which COMMAND writes should refuse a token that
is smaller than one it has seen: a machine may pause between a look at the clock
and the write, and no lease prevents that.

If SIGSTOP stops only elect lead, COMMAND continues until SIGCONT, next to the
COMMAND of the next member, because a stopped program cannot end another one. To
pause a member, freeze the control group of both processes, or the whole machine.
A resource that refuses smaller tokens is safe in any case.

If the lease cannot be renewed, COMMAND and its whole process group receive
SIGTERM a quarter of the lease before it ends, and SIGKILL an eighth before it
ends. On SIGTERM or SIGINT elect lead hands over: COMMAND receives SIGTERM, and
after the Drain of --times SIGKILL, while the lease is renewed. Then the next
member leads immediately. A second signal ends elect lead immediately.

If COMMAND starts a process that leaves the process group, for instance with
setsid, this process receives neither signal. COMMAND has to end it, or the
program that runs elect lead, such as systemd with KillMode=mixed.

If COMMAND ends by itself, with any status, the member gives up the lease, and
another live member leads immediately. The member then waits before it is a
candidate again: twice as long each time COMMAND ends soon, up to 32 leases. With
--once the member ends as well, with the status of COMMAND.

COMMAND has no standard input, and shares the standard output and error of elect
lead. It has its own process group. If elect lead is killed by SIGKILL, COMMAND
is killed as well on Linux, but not on other systems. Processes that COMMAND has
started continue.

Members authenticate with certificates; elect cert can make them. Member a of
group orders needs a certificate for spiffe://orders/a, and --group orders.
Without TLS all addresses must be on this machine, unless --insecure-plaintext
allows other addresses.

Every setting can also come from the environment, for instance ELECTION_SELF,
ELECTION_MEMBERS or ELECTION_TLS_CERT, or from a file:

  elect lead --config a.json -- ./worker

  {"self": "a", "members": {"a": "10.0.0.1:7946", "b": "10.0.0.2:7946"}, "times": "cloud",
   "tls_cert": "a.pem", "tls_key": "a.key.pem", "tls_ca": "ca.pem"}

The fields are named like the flags, with _ instead of -, except members and
observers. A flag overrides a variable, and a variable overrides the file.

On SIGHUP elect lead reads the file again, and passes the signal on to COMMAND,
which ends unless it handles or ignores the signal. Only the list of members can
change in this way, except for the address of this member. If any other setting
has changed, the log names it and nothing changes. Certificates are read again
when their files change.

If systemd starts elect lead with Type=notify, the unit shows when the member
takes part and which member leads. examples/systemd contains a unit.

To change the members, start the new ones, and give the new list to the others,
by a restart or by SIGHUP, in any order. Each member logs the agreed members, and
elect members shows them. Stop removed members after the change is agreed. A
process that is not an agreed member has no vote, never runs COMMAND, and waits.
If the list of a process does not contain the process itself, it needs --listen.

With --http, a member serves its state at /, and status 200 at /healthz if it
takes part and at /leader if it leads. With --control, it also accepts elect
members set at that address, so anybody on this machine can change the members.
While a member with --advertise leads, the state of every member contains the
advertised address, for instance the address on which COMMAND listens.

With --resolve dns:orders:7946, the address of member a is port 7946 of the host
a.orders. With --resolve srv:_election._tcp.orders, it is the host and port of
the SRV record whose target is a or begins with "a.". Then --member a needs no
address, but the member needs --listen.

With --store, a store such as a database keeps the lease. Do not list members
then: any process that can write to the store can take part, and one process is
enough. elect store test checks whether a store is suitable. URL is one of

`

const exits = `
The exit status is 0 after a handover, 1 if the member could not continue, and 2
if the command line is invalid. With --once it is the exit status of COMMAND,
128 plus the number of the signal if one killed it, and 126 if COMMAND could not
be started.`

const examples = `  elect lead --self a --member a=10.0.0.1:7946 --member b=10.0.0.2:7946 --member c=10.0.0.3:7946 \
    --tls-cert a.pem --tls-key a.key.pem --tls-ca ca.pem --dir /var/lib/elect -- ./worker --verbose
  elect lead --self a --member a --member b --member c --resolve dns:orders:7946 --listen :7946 \
    --tls-cert a.pem --tls-key a.key.pem --tls-ca ca.pem --dir /var/lib/elect -- ./worker
  elect lead --self a --store postgres://elect:secret@10.0.0.9/orders -- ./worker
  elect lead --self a --member a=127.0.0.1:0 --once -- printenv ELECTION_TOKEN`
