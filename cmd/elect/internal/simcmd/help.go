package simcmd

const longSim = `Simulates an election in virtual time. The same input and seed give the same
run, event for event, on every machine, and so the same trace hash.`

const examplesSim = `  elect sim lcr -n 1000 --order random --seed 7
  elect sim lcr/initiators --ids 3,1,4,8,5,2 --initiators 3,5 --json
  elect sim hs -n 64 --schedule random --seed 3
  elect sim lcr -n 9 --loss 0.01 --partition '1,2|3,4,5@3-9'
  elect sim mutex --param election=lcr -n 5 --crash-at 5@9 --suspect-after 2
  elect sim hs -n 8 --order random --seed 3 --svg hs.svg --trace hs.ndjson
  elect sim --scenario file.json`

const longRun = `Runs an election among goroutines of this process, one for each participant.
The Go scheduler alone determines the order of their steps, so two runs may
differ.`

const examplesRun = `  elect run hs -n 200
  elect run lcr --ids 3,1,4,8,5,2 --json
  elect run bully -n 5 --crashed 5 --initiators 1 --unit 20ms`
