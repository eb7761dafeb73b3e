# Everything is a plain go command; these are the ones worth a name.

.PHONY: test check race bench bench-large bench-check bench-peers verify fuzz mutate chaos chaos-short docs page release

test:       ## all tests of all modules
	go test work

check:      ## what runs for every change
	bash .ci/run

race:       ## the race detector, where goroutines are: drivers, transports, and searches with several workers
	go test -race -short -timeout 30m ./process/... ./local ./internal/alarm ./internal/mailbox ./mutex/lock ./elector/... ./electortest ./transport/... ./examples/... ./lab/cluster ./internal/supervise
	go test -race -short -timeout 30m -run '^(TestConformance|TestReopenGroup|TestProxy)$$' ./transport/tcp -args -sockets
	go test -race -timeout 30m -run 'TestRace|Reproducible|Deterministic|Interrupt|TestProcesses' ./lab/check ./lab/soak ./lab/experiment ./lab/trace ./cmd/elect/...

bench:      ## ratios against hand-written loops of the same run
	go test -run '^$$' -bench . -benchtime 10x ./lab/sim ./local ./bully

bench-large: ## the same for trees of up to ten million processes: some minutes, 4 GB
	go test -run '^$$' -bench Tree -benchtime 1x ./lab/sim -args -large

bench-check: ## the model checker: states a second, beside a loop by hand and SPIN, if that is installed with gcc
	go test -run '^$$' -bench . -benchtime 3x -timeout 30m ./lab/check

bench-peers: ## the elector beside hashicorp/raft, etcd and client-go: some 20 minutes; TRIALS=3, ONLY=elector,raft select
	cd bench && GOWORK=off go vet ./... && GOWORK=off go test ./... && \
	GOWORK=off go run . -trials $(or $(TRIALS),30) -only '$(ONLY)' $(if $(ONLY),,-update ../docs/performance.md)

verify:     ## the tests with a flag -long on larger networks, with more crashes and runs: an hour or two, some GB
	go test -v -timeout 6h $$(grep -rl 'flag.Bool("long"' --include='*_test.go' . | xargs dirname | sort -u) -args -long
	go run ./cmd/elect soak --all --profile chaos --runs 1000000

fuzz:       ## a minute each
	go test -run '^$$' -fuzz FuzzParsePacket -fuzztime 1m ./transport
	go test -run '^$$' -fuzz FuzzHostilePeers -fuzztime 1m ./process
	go test -run '^$$' -fuzz FuzzRestoreState -fuzztime 1m .
	go test -run '^$$' -fuzz FuzzHello -fuzztime 1m ./transport/tcp
	go test -run '^$$' -fuzz FuzzFrames -fuzztime 1m ./transport/tcp
	go test -run '^$$' -fuzz FuzzHostile -fuzztime 1m -fuzzminimizetime 1x ./transport/reliable
	go test -run '^$$' -fuzz FuzzHello -fuzztime 1m ./elector
	go test -run '^$$' -fuzz FuzzMembers -fuzztime 1m ./elector
	go test -run '^$$' -fuzz FuzzParseMembers -fuzztime 1m ./elector
	go test -run '^$$' -fuzz FuzzStateFile -fuzztime 1m ./elector
	go test -run '^$$' -fuzz FuzzRecord -fuzztime 1m ./elector
	go test -run '^$$' -fuzz FuzzRead -fuzztime 1m ./lab/scenario
	go test -run '^$$' -fuzz FuzzRead -fuzztime 1m -fuzzminimizetime 1x ./lab/trace
	go test -run '^$$' -fuzz FuzzReadDOT -fuzztime 1m ./lab/topology
	go test -run '^$$' -fuzz FuzzCall -fuzztime 1m ./page/bridge

mutate:     ## every small change of an algorithm, and whether a test notices; SAMPLE=3 takes three a package
	cd tools && GOWORK=off go run ./mutate -sample $(or $(SAMPLE),0)

chaos:      ## real processes, networks and disks that break: hours; TRIALS=3, CELL='kill.*n=3' select
	go run ./chaos -trials $(or $(TRIALS),30) -cell '$(CELL)' $(if $(CELL),,-update docs/chaos.md)

chaos-short: ## a selection of that, less than two minutes; what needs root is left out without it
	go run ./chaos -short -trials 1

docs:       ## write the generated parts of the README and of docs
	go test . -run 'TestReadme|TestGuarantees' -update
	go test ./lab/trace -run TestGolden -update
	go test ./cmd/elect -run 'TestTraceDocs|TestCompareDocs' -update
	go test ./cmd/elect/internal/clustercmd -run TestPicture -update
	go test ./lab/check -run 'TestEveryElection|TestElections|TestLarger|TestFaults|TestReduction|TestCountsOf|TestSummary' -update
	go test ./lab/museum -update
	go test ./elector -run 'TestGuide|TestMetricsGuide' -update
	go test ./detect -run 'TestQuality|TestFigure' -update

page:       ## the page as a folder for any web server, and as one file
	rm -rf page/build/site && GOOS= GOARCH= go run ./page/publish --out page/build/site --single page/build/site.html

release:    ## tags of all modules for the last commit, and archives of elect in dist: VERSION=v0.1.0; TARGETS=linux/amd64,... select
	cd tools && GOWORK=off go run ./release tag $(VERSION) && \
	GOWORK=off go run ./release build $(VERSION) -out ../dist $(if $(TARGETS),-targets $(TARGETS))
