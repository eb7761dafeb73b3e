package sim_test

// pinned are the hashes of configs(1).
const pinned = `92229d9be21f1333
0b0a81c40f264bba
6a340c99139e8ab5
affcf7cb0a2cdc7b
85b004235380830a
`
