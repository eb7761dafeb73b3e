# Everything is a plain go command; these are the ones worth a name.

.PHONY: test check race bench bench-large fuzz docs

test:       ## all tests of all modules
	go test work

check:      ## what runs for every change
	bash .ci/run

race:
	go test -race . ./internal/... ./local ./transport/... ./examples/... ./cmd/elect

bench:      ## ratios against hand-written loops of the same run
	go test -run '^$$' -bench . -benchtime 10x ./sim ./local ./bully

bench-large: ## the same for trees of up to ten million processes: some minutes, 4 GB
	go test -run '^$$' -bench Tree -benchtime 1x ./sim -args -large

fuzz:       ## a minute each
	go test -run '^$$' -fuzz FuzzParsePacket -fuzztime 1m .
	go test -run '^$$' -fuzz FuzzRestoreState -fuzztime 1m .
	go test -run '^$$' -fuzz FuzzRead -fuzztime 1m ./scenario
	go test -run '^$$' -fuzz FuzzRead -fuzztime 1m -fuzzminimizetime 1x ./trace
	go test -run '^$$' -fuzz FuzzReadDOT -fuzztime 1m ./topology

docs:       ## write the generated parts of the README and of docs anew
	go test . -run 'TestReadme|TestGuarantees' -update
	go test ./trace -run TestGolden -update
	go test ./cmd/elect -run 'TestTraceDocs|TestCompareDocs' -update
