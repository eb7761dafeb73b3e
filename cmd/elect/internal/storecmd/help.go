package storecmd

const long = `Commands about stores, such as a database, that keep the lease of a group.`

const longTest = `Tests on the real server whether a store can keep a lease. It takes about half a
minute. The keys that it writes begin with storetest/ and remain; the last line
shows how to remove them. Members may continue to use the store.

The server must replace a value only if its revision is the expected one, even if
several clients write, if an answer is lost, or if a write arrives after its client
has given up. A proxy between this command and the server causes such faults.

If a property is broken, two leaders are possible. A property that is not promised
is harmless, and is reported for your information. Below the table are the
limitations that no test can find, such as data that a server loses in a crash.

URL is one of

`

const examplesTest = `  elect store test postgres://elect:secret@10.0.0.9/orders
  elect store test file:///var/lib/orders --json`

const exits = `
The exit status is 0 if no property is broken, and 1 if a property is broken or
the store cannot be reached.`
