package storecmd

const long = `Commands about stores, such as a database, that keep the lease of a group.`

const longTest = `Tests whether a store can keep a lease, on the server itself. It takes about half a
minute. The keys that it writes begin with storetest/ and remain; the last line is
how to remove them. Members may go on using the store.

The server must replace a value only if its revision is the expected one, even if
several clients write, if an answer is lost, or if a write arrives after its client
has given up. A proxy between this command and the server makes that happen.

A property that is broken makes two leaders possible. A property that is not
promised makes none: it is reported so that you know. What no test can find, such as
what a server forgets in a crash, is printed below the table.

URL is one of

`

const examplesTest = `  elect store test postgres://elect:secret@10.0.0.9/orders
  elect store test file:///var/lib/orders --json`

const exits = `
The exit status is 0 if no property is broken, and 1 if one is, or if the store
cannot be reached.`
