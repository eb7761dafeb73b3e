package leadcmd

const long = `Runs COMMAND on one member of a group at a time. Each member runs elect lead
with the same list of members. The one that is elected holds a lease, renews it,
and runs COMMAND for as long as it does. All members found the group, once; later
a majority is enough.

COMMAND finds ELECTION_TOKEN, ELECTION_TERM, ELECTION_GROUP and ELECTION_SELF in
its environment. What it writes to refuses a token that is smaller than one that
it has seen: a machine may be paused between the look at the clock and the
write, and no lease prevents that.

If SIGSTOP stops elect lead alone, COMMAND continues alongside the next member's
until SIGCONT: a program that is stopped cannot end another one. To pause a
member, freeze the control group of both, or the whole machine. What refuses
smaller tokens is safe from such a COMMAND in any case.

When the lease cannot be renewed, COMMAND and its whole process group get
SIGTERM a quarter of the lease before it ends, and SIGKILL an eighth before.
Upon SIGTERM or SIGINT elect lead hands over: COMMAND gets SIGTERM, and SIGKILL
after the Drain of --times, while the lease is renewed; then the next member leads
immediately. A second such signal ends elect lead immediately.

A process that COMMAND has started and that leaves that group, as by setsid,
gets neither signal and lives on. COMMAND has to end it, or what runs elect
lead, as systemd does with KillMode=mixed.

If COMMAND ends unasked, with any status, the member gives up the lead; another
member that is up leads immediately. This one is no candidate for a lease, for
twice as long each time that COMMAND ends soon, up to 32 leases. With --once the
member ends as well, with the status of COMMAND.

COMMAND reads nothing from standard input; its output goes where the output of
elect lead goes. It leads a process group of its own. If elect lead is killed by
SIGKILL, COMMAND dies with it on Linux; what COMMAND has started, and COMMAND
elsewhere, live on.

Members know each other by certificates, as elect cert makes them: the
certificate of member a of group orders is for spiffe://orders/a and needs
--group orders. Without TLS all addresses must be of this machine, unless
--insecure-plaintext allows for others.

Every setting can also come from the environment, as ELECTION_SELF, ELECTION_MEMBERS,
ELECTION_TLS_CERT and so on, or from a file:

  elect lead --config a.json -- ./worker

  {"self": "a", "members": {"a": "10.0.0.1:7946", "b": "10.0.0.2:7946"}, "times": "cloud",
   "tls_cert": "a.pem", "tls_key": "a.key.pem", "tls_ca": "ca.pem"}

Its fields have the names of the flags, with _ for -, but members and observers. A
flag comes before a variable, and a variable before the file.

Upon SIGHUP elect lead reads that file again, and passes the signal on to COMMAND,
which has to handle or ignore it: otherwise it ends.
Only members can change so, and not the address of this member; another change is
refused by name in the log, and everything stays as it was. Certificates are read again
whenever their files change.

If systemd starts elect lead with Type=notify, it learns when the member takes part,
and who leads. examples/systemd has a unit.

To change the members, start new ones, and give the others the new list, by a restart
or by SIGHUP, in any order. The log of each contains what is agreed, and elect members shows it.
Stop removed members after that. A process that is not a member, or not yet, has
no vote, never runs COMMAND, and waits. If its own list does not contain it, it
needs --listen.

With --http, a member answers GET / with its state, /healthz with 200 if it takes
part and /leader with 200 if it leads. With --control, it also accepts elect members
set at that address: anybody on this machine can then change the members.
While a member with --advertise leads, the state of every member contains the
address that it advertises, for instance the address at which COMMAND listens.

With --resolve dns:orders:7946, the address of member a is port 7946 of the host
a.orders. With --resolve srv:_election._tcp.orders, it is the host and port of the SRV
record whose target is a or begins with "a.". Then --member a needs no address, but
the member needs --listen.

With --store, a store such as a database keeps the lease. Do not list
members then: any process that can write to the store can take part, and one process is
enough. Check with elect store test whether your store is suitable. URL is one of

`

const exits = `
The exit status is 0 after a hand-over, 1 if the member could not go on, and 2
if the command line is invalid. With --once it is the exit status of COMMAND,
128 plus the number of the signal if one killed it, and 126 if COMMAND could not
be started.`

const examples = `  elect lead --self a --member a=10.0.0.1:7946 --member b=10.0.0.2:7946 --member c=10.0.0.3:7946 \
    --tls-cert a.pem --tls-key a.key.pem --tls-ca ca.pem --dir /var/lib/elect -- ./worker --verbose
  elect lead --self a --member a --member b --member c --resolve dns:orders:7946 --listen :7946 \
    --tls-cert a.pem --tls-key a.key.pem --tls-ca ca.pem --dir /var/lib/elect -- ./worker
  elect lead --self a --store postgres://elect:secret@10.0.0.9/orders -- ./worker
  elect lead --self a --member a=127.0.0.1:0 --once -- printenv ELECTION_TOKEN`
