# The commands of this project. Only Go is needed (no cgo, no other tool).

GO ?= go
export CGO_ENABLED = 0

.PHONY: FORCE build demo test properties arm64 lint fmt modules figures quality bench search refresh clusters why ep reasons lllvm gplvm capacity soak chaos topics chaos-short chaos-page mutations clean

# build makes bin/unfold, without the tables of a debugger, which are a third of it (traces of crashes do not need them).
build:
	$(GO) build -ldflags "-s -w" -o bin/unfold ./cmd/unfold

# demo turns a real event stream into a map, with an embedded broker, and ends by itself. See out/demo.
demo: build
	bin/unfold demo --out out/demo

# test runs the tests that need nothing but Go, of all modules, in less than five minutes on two cores, and lists those that it skips.
# It goes on after a failure and ends with a summary. ARGS are flags of bin/tests, or packages: make test ARGS="-slowest 20 ./models/...".
test: bin/tests
	bin/tests $(ARGS)

# test-all adds the tests that start brokers, a schema registry, browsers and Python, fetch what they need the first time, kill stages, or learn
# large data sets, half an hour. UNFOLD_DATA names the folder of those. What is missing is skipped and listed; with TIER=-required it is a failure.
TIER ?= -all
test-all: bin/tests
	UNFOLD_CHAOS=$(or $(UNFOLD_CHAOS),short) UNFOLD_MUTATIONS=$(MUTATIONS_SHORT) bin/tests $(TIER) $(ARGS)
	UNFOLD_SOAK_TIME=1m bin/tests $(TIER) -budget "" -count 1 ./stream/chaos -run 'TestSoak$$' # alone, as it watches memory
	UNFOLD_TESTS=$(TIER:-%=%) $(MAKE) python
MUTATIONS_SHORT = 50000

bin/tests: FORCE
	$(GO) build -o $@ ./internal/tools/tests

# matrix runs the quick tests under other instruction sets, numbers of processors, locales, time zones and users, with an empty home that
# cannot be written; an hour. matrix-short runs the packages whose results depend on them, some minutes.
.PHONY: test-all matrix matrix-short
matrix: bin/tests
	.ci/matrix
matrix-short: bin/tests
	.ci/matrix short

# mutants changes one small thing of a package at a time and counts the changes that the package's own quick tests notice; minutes a
# package. The page docs/reference/mutants.md: make mutants ARGS="-o docs/reference/mutants.md"; packages that are not tried keep their lines. Others than those at
# equal distances: make mutants ARGS="-seed 7". All changes of one file: make mutants ARGS="-most 0 -only tree.go ./sparse/graph/live".
.PHONY: mutants
mutants:
	$(GO) run ./internal/tools/mutants $(ARGS)

# bombs has every verb that reads read every small file that becomes gigabytes, with --untrusted 512MiB; half an hour.
.PHONY: bombs
bombs:
	UNFOLD_TESTS=all UNFOLD_BOMBS=all $(GO) test -count=1 -timeout 90m -v -run TestBombs ./cmd/internal/cli

# properties draws new cases for every property, fifteen times as many as the tests do, five minutes; a failure names its seed.
PROPERTIES = git grep -l 'rapid\.' -- '*_test.go'
properties:
	RAPID_CHECKS=1500 $(GO) test -count=1 -timeout 30m -run "^($$($(PROPERTIES) | \
		xargs awk '/^func Test/{name=$$2; sub(/\(.*/,"",name)} /rapid\.(Check|MakeCheck)/{print name}' | sort -u | paste -sd'|'))$$" \
		$$($(PROPERTIES) | xargs -n1 dirname | sort -u | sed 's|^|./|')

# arm64 runs tests of the kernels, those in assembly and their plain versions, and of the models as an arm64 processor would, in qemu
# (Debian: qemu-user-static), two or three minutes. Every package's tests: GOARCH=arm64 go test -short -exec qemu-aarch64-static ./sparse/...
QEMU ?= qemu-aarch64-static
arm64:
	@if ! command -v $(QEMU) >/dev/null; then \
		echo "arm64: SKIPPED, there is no $(QEMU) (Debian: apt-get install qemu-user-static)"; exit 0; fi; \
	export GOARCH=arm64; set -ex; \
	$(GO) test -short -exec $(QEMU) ./sparse ./internal/simd/... ./internal/vec ./internal/par ./internal/quantile ./sparse/graph; \
	$(GO) test -short -exec $(QEMU) -run 'TestFixtures$$|TestGradient|TestKernelsStayFinite|TestSweepsAgainstPairs' ./models/saul ./models/student

# avx512 runs the tests of every package with an AVX-512 kernel in Bochs, an emulator of processors that have AVX-512, and checks that every
# such kernel is called; five to six minutes on a free core. Where the emulator is missing it is skipped and names the Debian packages
# (UNFOLD_TESTS=required fails instead). One package: make avx512 ARGS="-only simd/dist -v".
.PHONY: avx512
avx512:
	$(GO) run ./internal/tools/avx512 $(ARGS)

# kernels lists every function in assembly and how it is tested on this machine: natively (it runs the tests and reads their coverage), by
# an emulator that is installed, or not at all; a minute. To fail when one is not tested: make kernels ARGS=-missing.
.PHONY: kernels
kernels:
	$(GO) run ./internal/tools/kernels $(ARGS)

# lint holds the code to gofmt, go vet and a short list of staticcheck's checks (staticcheck.conf).
lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
		if [ -n "$$unformatted" ]; then echo "not in gofmt's format (make fmt):"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./... ./testdata/kdd
	$(GO) vet -C bench ./...
	$(GO) vet -C internal/asm ./...
	$(GO) tool staticcheck ./...
	staticcheck=$$($(GO) tool -n staticcheck) && (cd bench && "$$staticcheck" ./...) && cd internal/asm && "$$staticcheck" ./...

# vulns looks for known vulnerabilities in what the program calls, by govulncheck and a pinned version of the Go vulnerability database;
# half a minute. It fails for those of modules, and lists those of the standard library with the Go release that mends them.
.PHONY: vulns
vulns:
	$(GO) run ./internal/tools/vulns

# fmt puts every file into gofmt's format.
fmt:
	gofmt -w $$(git ls-files '*.go')

# The targets below write pages of docs/ by the measuring commands of bench. They run from here; ARGS are further flags of
# theirs, as in make quality ARGS="-only mnist,usps -keep" or make bench ARGS=-h.
bin/bench/%: FORCE
	$(GO) build -C bench -o $(CURDIR)/$@ ./$*
bin/bench/lllvm bin/bench/gplvm: bin/bench/%: FORCE
	$(GO) build -C bench -o $(CURDIR)/$@ ./classic/$*
FORCE:

# foreign fetches the public test files of Parquet, Arrow, DuckDB and polars, where they can be reached, has pyarrow, pandas, DuckDB, fastavro
# and numpy read them (python3 with what testdata/foreign/requirements.txt names), and lists what this program reads otherwise: a failure,
# but for text, of which no two programs guess the same. FOREIGN names a folder that has them already.
FOREIGN ?= out/foreign
FOREIGN_FILES = apache/parquet-testing:. apache/arrow-testing:data duckdb/duckdb:data/parquet-testing,data/geoparquet,data/csv \
	pola-rs/polars:py-polars/tests/unit/io/files
.PHONY: foreign
foreign:
	mkdir -p $(FOREIGN)
	for each in $(FOREIGN_FILES); do \
		name=$${each%%:*}; to=$(FOREIGN)/$$(basename $$name); [ ! -d $$to ] || continue; \
		git clone -q --depth 1 --filter=blob:none --sparse https://github.com/$$name $$to && \
		git -C $$to sparse-checkout set $$(echo $${each#*:} | tr , ' ') || echo "$$name is not compared: it cannot be reached"; done
	python3 testdata/foreign/judge.py $(FOREIGN)
	UNFOLD_FOREIGN=$(abspath $(FOREIGN)) $(GO) test -count=1 -v -run 'TestFilesOfOthers$$' ./ingest

# site writes the pages of docs as a static site to out/site, with VitePress (Node.js); it fails at a link to a page that does not exist.
.PHONY: site
site:
	cd site && npm ci --no-audit --no-fund --silent && npm run --silent build

# modules takes versions of go.mod over into those of the measuring commands and of the generators, after a change there.
modules:
	for m in bench internal/asm; do GOWORK=off $(GO) list -C $$m -mod=mod -deps -test ./... >/dev/null && \
		GOWORK=off $(GO) list -C $$m -m -mod=mod all >/dev/null || exit 1; done

# figures measures again what docs/figures.md states; about ten minutes. UNFOLD_DATA names the folder that holds mnist/.
figures: build bin/bench/figures
	bin/bench/figures -unfold bin/unfold -o docs/figures.md $(ARGS)

# quality compares the maps with other programs' and writes docs/quality.md; about three hours. It needs Python 3.11 (for
# the others, in an environment of their own under out/quality) and the data sets in the folder that UNFOLD_DATA names. Our own
# figures alone, on samples, to tune by, in two minutes: bin/bench/quality -quick -fit "--neighbors 9" -fit "".
quality: build bin/bench/quality
	bin/bench/quality -unfold bin/unfold -o docs/quality.md $(ARGS)

# bench measures how fast the program is beside others and writes docs/benchmarks.md; less than an hour on a quiet machine. It
# needs Python 3.11 (for the others, in an environment of their own under out/speed) and mnist/ in the folder that UNFOLD_DATA names.
bench: build bin/bench/speed
	bin/bench/speed -unfold bin/unfold -o docs/benchmarks.md $(ARGS)

# search measures the ways to find neighbours beside each other and writes docs/decisions/search.md; a quarter of an hour.
# UNFOLD_DATA names the folder that holds mnist/.
search: bin/bench/search
	bin/bench/search -o docs/decisions/search.md $(ARGS)

# soak lets two million events through the learner under every policy and watches what it holds, some minutes; then a
# stage runs at a steady rate for SOAK_TIME, and its memory, goroutines and open files may not grow.
SOAK_TIME ?= 1h
soak:
	UNFOLD_SOAK=2000000 $(GO) test -count=1 -timeout 2h -run TestSoak -v ./stream/learn
	UNFOLD_CHAOS_RESULTS=$(CHAOS_RESULTS) UNFOLD_SOAK_TIME=$(SOAK_TIME) $(GO) test -count=1 -timeout 26h -run TestSoak -v ./stream/chaos

# chaos breaks running stages in every way that stream/chaos knows, hundreds of times, against the embedded broker and, where
# there is java and mvn, real ones, alone and three together; more than an hour. CHAOS_SEED draws other faults, CHAOS_RUN names one
# scenario, such as "freeze exactly-once" (a pattern), CHAOS_STEPS says how many faults each has.
CHAOS_SEED ?= 1
CHAOS_RUN ?= .
CHAOS_STEPS ?=
CHAOS_RESULTS ?= $(CURDIR)/out/chaos
chaos:
	UNFOLD_CHAOS_RESULTS=$(CHAOS_RESULTS) UNFOLD_CHAOS=full UNFOLD_CHAOS_SEED=$(CHAOS_SEED) UNFOLD_CHAOS_STEPS=$(CHAOS_STEPS) $(GO) test -count=1 -timeout 4h -run 'TestChaos/$(CHAOS_RUN)|TestInflating' -v ./stream/chaos

# chaos-short is what of it fits four minutes.
chaos-short:
	UNFOLD_CHAOS=short UNFOLD_CHAOS_SEED=$(CHAOS_SEED) $(GO) test -count=1 -timeout 10m -run 'TestChaos|TestInflating' -v ./stream/chaos

# topics deletes a stage's topic and creates it again TOPICS times with each kind of delivery, and adds partitions while stages join,
# four times as often, on a real Apache Kafka; a quarter of an hour.
TOPICS ?= 50
topics:
	UNFOLD_CHAOS_RESULTS=$(CHAOS_RESULTS) UNFOLD_TOPICS=$(TOPICS) UNFOLD_TESTS=all UNFOLD_CHAOS_SEED=$(CHAOS_SEED) $(GO) test -count=1 -timeout 2h -run 'TestTopics$$' -v ./stream/chaos

# chaos-page takes the results that chaos, topics, soak and mutations have left in CHAOS_RESULTS into docs/chaos, each over the one of
# the same name, and writes docs/chaos.md from all that are there.
chaos-page: bin/bench/chaos
	cp $(CHAOS_RESULTS)/*.json docs/chaos/
	bin/bench/chaos -results docs/chaos -o docs/chaos.md

# mutations decodes MUTATIONS damaged messages of each format; a million of all take some minutes. One format: make mutations
# MUTATIONS_OF=json.
MUTATIONS ?= 1000000
MUTATIONS_OF ?= .
mutations:
	UNFOLD_CHAOS_RESULTS=$(CHAOS_RESULTS) UNFOLD_MUTATIONS=$(MUTATIONS) $(GO) test -count=1 -timeout 6h -run 'TestMutations/$(MUTATIONS_OF)' -v ./stream/chaos

# reasons compares the reasons of novelty with SHAP and writes docs/reasons.md; some five minutes. It needs Python 3.11 (for SHAP,
# in an environment of its own under out/reasons), and nslkdd/ and kddcup99/ in the folder that UNFOLD_DATA names.
reasons: bin/bench/reasons
	bin/bench/reasons -o docs/reasons.md $(ARGS)

# drift compares how soon a change of the stream is found with other tests and writes docs/drift.md; some six minutes. UNFOLD_DATA
# names the folder that holds mnist/ and nslkdd/. drift-bounds makes the table of bounds that alarms go by, some five minutes.
.PHONY: drift drift-bounds
drift: bin/bench/drift
	bin/bench/drift -o docs/drift.md $(ARGS)
drift-bounds: bin/bench/drift
	bin/bench/drift -bounds models/drift/bounds.go $(ARGS)

# novelty measures how well the scores of new rows tell classes that were not learnt and writes docs/novelty.md; some minutes. UNFOLD_DATA
# names the folder that holds mnist/, usps/, nslkdd/, oil/ and glosses/.
.PHONY: novelty
novelty: bin/bench/novelty
	bin/bench/novelty -o docs/novelty.md $(ARGS)

# ep measures labels on the map and writes docs/ep.md; a quarter of an hour. It needs the data sets in the folder that UNFOLD_DATA
# names, and Python 3.11 (for scikit-learn, in an environment of its own under out/ep).
ep: bin/bench/ep
	bin/bench/ep -o docs/ep.md $(ARGS)

# supervision measures maps that are learnt by labels beside umap-learn's and writes docs/decisions/supervision.md; some minutes. It needs
# usps/ and kddcup99/ in the folder that UNFOLD_DATA names, and Python 3.11 (for umap-learn, in an environment of its own under out/supervision).
.PHONY: supervision
supervision: bin/bench/ep
	bin/bench/ep -supervision -o docs/decisions/supervision.md -out out/supervision $(ARGS)

# missing measures maps of rows with missing values beside scikit-learn's imputers with umap-learn, and writes docs/decisions/missing.md; some
# minutes. PEERS is an environment with what bench/ep/supervise.txt lists, such as that of make supervision; UNFOLD_DATA names the folder that holds usps/, kddcup99/ and oil/.
PEERS ?= out/supervision/venv
.PHONY: missing
missing: build
	$(PEERS)/bin/python bench/missing/compare.py bin/unfold $(UNFOLD_DATA) out/missing docs/decisions/missing.md

# metrics measures neighbours and maps by every metric beside scipy's and umap-learn's and writes docs/metrics.md; some minutes. It needs
# Python 3.11 (for the others, in an environment of their own under out/metrics), and usps/, mnist/ and climate/ in the folder that UNFOLD_DATA names.
.PHONY: metrics
metrics: build bin/bench/metrics
	bin/bench/metrics -unfold bin/unfold -o docs/metrics.md $(ARGS)

# refresh compares a map that follows its stream with fits made again and writes docs/refresh.md; some ten minutes. It needs
# Python 3.11 (for the others, in an environment of their own under out/refresh), and mnist/, kddcup99/, glosses/ and usps/ in the
# folder that UNFOLD_DATA names. make refresh ARGS="-only young" runs the stages beside fits alone.
refresh: build bin/bench/refresh
	bin/bench/refresh -o docs/refresh.md $(ARGS)

# clusters measures how clusters keep their ids while a map follows its stream and writes docs/clusters.md; some twenty minutes. It
# needs mnist/ in the folder that UNFOLD_DATA names.
clusters: bin/bench/refresh
	bin/bench/refresh -clusters -o docs/clusters.md $(ARGS)

# lllvm repeats the experiments of the locally linear model's paper and writes docs/lllvm.md; a quarter of an hour. UNFOLD_DATA
# names the folder with swissroll/, usps/ and climate/.
lllvm: build bin/bench/lllvm
	bin/bench/lllvm -unfold bin/unfold -o docs/lllvm.md $(ARGS)

# capacity measures what a fleet of processes costs and writes docs/capacity.md; four minutes on a quiet machine. It needs java, and
# mvn the first time, for a real broker.
capacity: build bin/bench/capacity
	bin/bench/capacity -unfold bin/unfold -o docs/capacity.md $(ARGS)

# why draws the figures of docs/why.md; half a minute.
why: build bin/bench/why
	bin/bench/why -unfold bin/unfold -o docs/why $(ARGS)

# nouns draws README's docs/nouns.png by the commands there. UNFOLD_DATA names the folder that holds glosses/.
.PHONY: nouns
nouns:
	UNFOLD_TESTS=required UNFOLD_NOUNS=$(CURDIR)/docs/nouns.png $(GO) test -count=1 -timeout 15m -run TestReadmeSentences ./cmd/internal/cli

# pictures draws docs/pictures by the commands of docs/pictures.md, small, and docs/tutorial by those of docs/tutorial.md; two minutes.
# UNFOLD_DATA names the folder that holds mnist/.
.PHONY: pictures
pictures: build
	rm -rf out/pictures && mkdir -p out/pictures docs/pictures
	ln -s $(CURDIR)/testdata out/pictures/testdata
	sed -n 's/^    //p' docs/pictures.md | sed 's/^unfold plot /unfold plot --width 1000 --height 750 /' > out/pictures/commands
	cd out/pictures && PATH=$(CURDIR)/bin:$$PATH sh -ex ./commands
	cp out/pictures/*.png docs/pictures/
	sed -n -e '/^    unfold view/d' -e 's/^    //p' docs/tutorial.md | sed 's/^unfold plot /unfold plot --width 1000 --height 750 /' > out/pictures/commands
	cd out/pictures && PATH=$(CURDIR)/bin:$$PATH sh -ex ./commands && mkdir -p $(CURDIR)/docs/tutorial && cp out/digits.png out/clusters.png $(CURDIR)/docs/tutorial/

# gplvm repeats the experiments of Lawrence (2005) and writes docs/gplvm.md; three quarters of an hour. ARGS chooses: make gplvm ARGS="-only others";
# what was measured before stays on the page. UNFOLD_DATA names the folder that holds swissroll/ and usps/.
gplvm: bin/bench/gplvm
	bin/bench/gplvm -o docs/gplvm.md $(ARGS)

# saul repeats the experiments of Saul (2020) and writes docs/saul.md; half an hour with all digits. ARGS chooses: make saul
# ARGS="-only dims,graph -digits 14000"; what was measured before stays on the page. UNFOLD_DATA names the folder that holds mnist/,
# swissroll/ and wordvec/.
.PHONY: saul
saul: build bin/bench/saul
	bin/bench/saul -unfold bin/unfold -o docs/saul.md $(ARGS)

# papers repeats the experiments of all four papers: the pages that docs/reference/papers.md leads to; an hour and three quarters on two free cores.
.PHONY: papers
papers: saul lllvm gplvm ep figures

# page builds the page of web/src into web/dist, which the program embeds. It needs Node 20 or later and npm; building the program
# needs neither. page-check builds it elsewhere, compares bytes with what is committed (those of Brotli depend on the version of Node),
# and runs the unit tests of its modules.
.PHONY: page page-check
web/node_modules: web/package-lock.json
	cd web && npm ci --no-audit --no-fund
	@touch $@
page: web/node_modules
	cd web && npx tsc --noEmit && node build.mjs
page-check: web/node_modules
	cd web && npx tsc --noEmit && node build.mjs ../out/page && node test.mjs ../out/page-tests
	diff -r -x '*.br' web/dist out/page
	git diff --exit-code -- web/licences

# page-screens compares the page with the pictures in cmd/internal/viewer/testdata/screens; ARGS=-update takes them again. It needs Chromium.
.PHONY: page-screens
page-screens:
	UNFOLD_TESTS=required $(GO) test -count=1 -timeout 5m -run TestScreens ./cmd/internal/viewer $(ARGS)

# page-pictures takes docs/page-light.png, page-dark.png and the animation page-live.png again, page-figures measures the page and writes
# docs/page.md, some ten minutes, and page-live holds a page to its bounds at 20,000 events a second for five; all need Chromium.
.PHONY: page-pictures page-figures page-live
page-live:
	UNFOLD_TESTS=required UNFOLD_PAGE_LIVE=5m $(GO) test -count=1 -timeout 10m -run TestLiveForMinutes -v ./cmd/internal/viewer
page-pictures:
	UNFOLD_TESTS=required UNFOLD_PAGE_PICTURES=write $(GO) test -count=1 -timeout 5m -run 'TestPagePictures|TestPageAnimation' ./cmd/internal/cli
page-figures:
	UNFOLD_TESTS=required UNFOLD_PAGE_FIGURES=$(CURDIR)/docs/page.md $(GO) test -count=1 -timeout 30m -run TestFigures -v ./cmd/internal/viewer

# third-party writes the licences of all that the program links, THIRD_PARTY.txt; a test says when that is due.
.PHONY: third-party
third-party:
	$(GO) run ./internal/tools/thirdparty -o THIRD_PARTY.txt

# binary says what the program weighs and what a start costs, and writes docs/decisions/binary.md; some minutes.
.PHONY: binary
binary:
	$(GO) run ./internal/tools/weigh -o docs/decisions/binary.md

# module-path gives the module the path P, under which others can fetch it: make module-path P=github.com/you/unfold.
.PHONY: module-path module-path-check
module-path:
	$(GO) run ./internal/tools/modulepath $(P)

# module-path-check does so to a copy of the last commit and builds that.
module-path-check:
	rm -rf out/module-path && mkdir -p out/module-path
	git archive HEAD | tar -x -C out/module-path
	$(MAKE) -C out/module-path module-path P=example.com/somebody/maps
	cd out/module-path && export GOWORK=off && $(GO) build ./... && $(GO) vet ./internal/tools/... ./stream/... && $(GO) test ./cmd/internal/archtest
	rm -rf out/module-path

# lint-deploy lints Dockerfile, manifests, composition, queries and unit, in some seconds; it needs Python 3. lint-deploy-all also asks
# promtool and goreleaser, which it builds first, some minutes.
.PHONY: lint-deploy lint-deploy-all
lint-deploy:
	deploy/lint
lint-deploy-all:
	deploy/lint all

# platforms builds the program for every system and processor that releases are made for, and vets what only they compile.
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
.PHONY: platforms
platforms:
	@set -e; for p in $(PLATFORMS); do echo "$$p"; \
		GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -o out/platforms/$$p/ ./cmd/unfold; \
		GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet ./cmd/unfold ./cmd/internal/...; done

clean:
	rm -rf bin out

# wheels builds the Python package for every platform that it is made for, each with the program in it; a minute. One: make wheels
# WHEELS=linux/amd64.
WHEELS ?=
.PHONY: wheels python
wheels:
	python3 python/wheels.py -o out/python/wheels $(WHEELS)

# wheel-sizes builds them all and writes their sizes into docs/python.md; wheel-check tests all that were built, whatever their platform.
.PHONY: wheel-sizes wheel-check
wheel-sizes: wheels
	python3 python/wheels.py -o out/python/wheels --sizes docs/python.md
wheel-check: build
	python/check -k test_wheels

# python makes a wheel of this machine's program, installs it into an environment of its own under out/python and runs the package's tests there: beside
# the command line, scikit-learn's checks, umap-learn, the notebook, Spark in local mode; five minutes, and the first time those that pip
# takes. TESTS chooses, as in make python TESTS="-k same_bytes".
TESTS ?=
python: build
	python/check $(TESTS)

# python-peers runs the tests of hdbscan and of scikit-learn's HDBSCAN and manifold estimators against the package, and umap-learn's if UNFOLD_UMAP
# names a clone of its repository; four minutes. python/peers/expected.txt lists those that do not pass, with reasons.
.PHONY: python-peers
python-peers: build
	python/peers/check

# gallery runs the scripts of docs/gallery and draws their pictures.
.PHONY: gallery
gallery: build
	UNFOLD_GALLERY=1 python/check -k test_gallery

# python-reference writes docs/reference/python.md from the docstrings of the package; it needs Python with NumPy.
.PHONY: python-reference
python-reference:
	python3 -B python/reference.py

# python-lock writes the locks beside python's requirements: of every package that they need, for every platform, the version and the hashes.
.PHONY: python-lock
python-lock:
	python3 -m venv out/lock && out/lock/bin/pip install --quiet -r python/requirements-installer.txt
	for list in requirements-installer requirements requirements-alone; do \
		case $$list in *alone) alone=--no-deps;; *) alone=;; esac; \
		out/lock/bin/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 $$alone \
			python/$$list.txt -o python/$$list.lock || exit 1; \
	done

# python-times measures the Python package beside umap-learn, and by Spark beside the command line, and writes docs/python-times.md; some ten
# minutes, and 5 GB of disk. UNFOLD_DATA names the folder that holds mnist/. One part: make python-times ARGS="-only spark".
.PHONY: python-times
python-times: build bin/bench/python
	python/environment
	bin/bench/python -unfold bin/unfold -o docs/python-times.md $(ARGS)
