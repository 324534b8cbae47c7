# Every target works in a fresh clone with make and Python 3.11 or newer. A target creates the environments that it needs,
# with the versions and hashes of constraints.txt. A stamp file in each environment makes the next run quick. Programs of
# more than a few lines are in tools/.

PYTHON ?= python3
VENV = .venv
DEV_VENV = .venv-dev
DEMO_VENV = .venv-demo
DOCS_VENV = .venv-docs
BENCH_VENV = .venv-bench
WHEEL_VENV = .venv-wheel
EVIDENCE_VENV = .venv-evidence

VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')
# The programs in tools/ that write pages of the documentation import modules of the tests.
TOOL = PYTHONPATH=src:tests

.DEFAULT_GOAL := help
.PHONY: $(shell sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' Makefile)
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
# Without cached bytecode, each process of each run would rewrite the asserts of all tests again, which takes longer than
# many of the tests.
unexport PYTHONDONTWRITEBYTECODE

help: ## print this list
	@sed -n 's/^\([a-z0-9.-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
		printf '  make %-13s %s\n' "$$name" "$$text"; done
	@echo '  make test-3.12     the same as test, on that Python'

# ---- environments ----

VENVS = $(VENV) $(DEV_VENV) $(DEMO_VENV) $(DOCS_VENV) $(EVIDENCE_VENV) $(BENCH_VENV)
$(VENV)/.installed: GROUPS = test
$(DEV_VENV)/.installed: GROUPS = test servers browser cluster types lint build
$(DEMO_VENV)/.installed: GROUPS = demo
$(DOCS_VENV)/.installed: GROUPS = docs
$(EVIDENCE_VENV)/.installed: GROUPS = test evidence
$(BENCH_VENV)/.installed: GROUPS = bench

# uv creates the environments, because pip cannot check hashes in a constraints file. pip installs uv itself, by its hashes.
# The certificate of a proxy is in the store of the system. pip reads that store; uv reads it only with UV_SYSTEM_CERTS.
UV_VENV = .venv-uv
UV = VIRTUAL_ENV= UV_PYTHON_DOWNLOADS=never UV_SYSTEM_CERTS=1 $(UV_VENV)/bin/uv

$(UV_VENV)/.installed: tools/uv.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "postel needs Python 3.11 or newer; '$(PYTHON)' is '$(VERSION)'. Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(UV_VENV)
	@$(UV_VENV)/bin/python -I -m pip install --quiet --quiet --disable-pip-version-check --no-input --require-hashes -r $<
	@touch $@

# The name of the stamp contains the version of Python. If PYTHON changes, the environment is created again.
$(VENVS:%=%/.python-$(VERSION)): | $(UV_VENV)/.installed
	@echo '== $(@D): Python $(VERSION)'
	@$(UV) venv --quiet --clear --python '$(PYTHON)' $(@D)
	@touch $@

$(VENVS:%=%/.installed): %/.installed: %/.python-$(VERSION) pyproject.toml constraints.txt
	@echo '== $*: installing $(GROUPS)'
	@$(UV) pip install --quiet --python $*/bin/python --require-hashes --constraint constraints.txt $(GROUPS:%=--group %) --group pip
	@$(UV) pip install --quiet --python $*/bin/python --no-deps --build-constraint constraints.txt --editable .
	@touch $@

# Programs that pip cannot install. tools/unpack.py unpacks their Debian packages into a folder; nothing is installed.
$(DEV_VENV)/.debian: $(DEV_VENV)/.installed tools/unpack.py
	@$(PYTHON) tools/unpack.py servers $(DEV_VENV)/debian && touch $@
$(DEV_VENV)/.chromium: $(DEV_VENV)/.installed tools/unpack.py
	@$(PYTHON) tools/unpack.py browser $(DEV_VENV)/chromium && touch $@
$(EVIDENCE_VENV)/.readers: $(EVIDENCE_VENV)/.installed tools/unpack.py
	@$(PYTHON) tools/unpack.py readers $(EVIDENCE_VENV)/readers && touch $@
$(BENCH_VENV)/.wrk: $(BENCH_VENV)/.installed tools/unpack.py
	@$(PYTHON) tools/unpack.py wrk $(BENCH_VENV)/wrk && touch $@
GOACCESS = $(VENV)/goaccess
$(VENV)/.goaccess: $(VENV)/.installed tools/unpack.py
	@$(PYTHON) tools/unpack.py goaccess $(GOACCESS) && touch $@

WITH_DEBIAN = POSTEL_DEBIAN='$(CURDIR)/$(DEV_VENV)/debian'
# $(call browsing,command) runs the command with the unpacked Chromium, or with the system's if none was unpacked.
CHROMIUM = $(CURDIR)/$(DEV_VENV)/chromium
browsing = if [ -x $(CHROMIUM)/usr/bin/chromedriver ]; then \
	export POSTEL_CHROMIUM=$(CHROMIUM)/usr/lib/chromium/chromium POSTEL_CHROMEDRIVER=$(CHROMIUM)/usr/bin/chromedriver; \
	export LD_LIBRARY_PATH="$$(echo $(CHROMIUM)/usr/lib/*-linux-gnu $(CHROMIUM)/usr/lib/*-linux-gnu/pulseaudio | tr ' ' ':')"; \
	fi; $(1)

# ---- tests ----

# Selects the tests that need nothing but the process of pytest.
IN_PROCESS = not servers and not browser and not cluster and not fresh and not evidence
# Each file runs in one process, so that its fixtures, applications and compiled policies are made only once. Some files
# also end with a test of the sums over all their cases.
SPREAD = $(VENV)/bin/python -m pytest -q --numprocesses auto --dist loadfile --no-loadscope-reorder

test: $(VENV)/.installed ## run all in-process tests
	@$(SPREAD) -m '$(IN_PROCESS)' $(ARGS)

# Folders that run many cases of code that the tables cover as well. Tests take three times as long under coverage.
UNMEASURED = $(patsubst %,--ignore=tests/%,conformance differential frameworks laws readers starlettes whole)

coverage: $(VENV)/.installed ## run the tests without random cases and comparisons under coverage: 100 % of the branches of src
	@COVERAGE_FILE=$(VENV)/.coverage $(SPREAD) -m '$(IN_PROCESS) and not no_cover' $(UNMEASURED) \
		--cov --cov-report=term-missing:skip-covered $(ARGS)

# It leaves out comparisons with frameworks and other readers, exhaustive alphabets, most commands, and documentation.
check: $(VENV)/.installed ## run the tests that find the most faults, in under a minute
	@$(SPREAD) -m '$(IN_PROCESS)' $(ARGS) @tests/check.txt

test-3.%:
	@python="$$($(PYTHON) tools/pythons.py find 3.$*)" && $(MAKE) test PYTHON="$$python" VENV=.venv-3.$*

test-others: ## run all in-process tests on each other tested Python that is found
	@$(PYTHON) tools/pythons.py others

test-all: test test-others ## run test and test-others

servers: $(DEV_VENV)/.installed $(DEV_VENV)/.debian ## run the tests that start real servers
	@$(WITH_DEBIAN) $(DEV_VENV)/bin/python -m pytest -q -m servers $(ARGS)

test-servers: servers

servers-page: $(DEV_VENV)/.installed $(DEV_VENV)/.debian ## write docs/servers.md anew, from real servers
	@$(WITH_DEBIAN) $(TOOL) $(DEV_VENV)/bin/python tools/servers_page.py

test-browser: $(DEV_VENV)/.chromium ## run the tests that drive a headless Chromium
	@$(call browsing,$(DEV_VENV)/bin/python -m pytest -q -m browser $(ARGS))

# Frameworks, old and new. Each file of tests/readers/versions pins all versions of one environment, so nothing is
# resolved. Its first lines say what it is for and which Python it needs. The newest frameworks are those of $(VENV).
FRAMEWORK_SETS = oldest middle recent current
FRAMEWORK_FACTS = .venv-frameworks
FRAMEWORK_PAGE = $(TOOL) $(VENV)/bin/python tools/frameworks_page.py
GENERATED ?= 1000

frameworks: frameworks-run ## compare how every framework of tests/readers/versions reads whole requests, and check docs/frameworks.md
	@$(FRAMEWORK_PAGE) --check $(FRAMEWORK_SETS:%=$(FRAMEWORK_FACTS)/%.json) $(FRAMEWORK_FACTS)/newest.json

frameworks-page: ## write docs/frameworks.md from what the last `make frameworks` has found
	@$(FRAMEWORK_PAGE) $(FRAMEWORK_SETS:%=$(FRAMEWORK_FACTS)/%.json) $(FRAMEWORK_FACTS)/newest.json

# These runs leave out the two tests of the page. Afterwards, `make frameworks` compares the whole page.
READING = PYTHONPATH=src POSTEL_GENERATED=$(GENERATED) POSTEL_FACTS=$(FRAMEWORK_FACTS)/$(1).json $(2)/bin/python -m pytest -q \
	-p no:cacheprovider -W ignore --deselect tests/readers/test_meanings.py::test_the_page_says_what_is_read_today \
	--deselect tests/doctor/test_frameworks.py::test_the_page_says_what_the_doctor_finds_today \
	$(ARGS) tests/readers tests/starlettes tests/doctor/test_frameworks.py

frameworks-run:
	@mkdir -p $(FRAMEWORK_FACTS); status=0; \
	$(MAKE) --jobs 2 --keep-going --output-sync=target $(FRAMEWORK_SETS:%=frameworks-%) frameworks-newest || status=1; exit $$status

frameworks-newest: $(VENV)/.installed
	@echo '== frameworks of constraints.txt'
	@$(call READING,newest,$(VENV))

$(FRAMEWORK_SETS:%=.venv-frameworks-%/.installed): .venv-frameworks-%/.installed: tests/readers/versions/%.txt | $(UV_VENV)/.installed
	@echo '== .venv-frameworks-$*: installing $<'
	@python="$$($(PYTHON) tools/pythons.py find "$$(sed -n 's/^# Python //p' $<)")" \
		&& $(UV) venv --quiet --clear --python "$$python" $(@D) \
		&& $(UV) pip install --quiet --python $(@D)/bin/python --no-deps --requirement $< && touch $@

.PHONY: $(FRAMEWORK_SETS:%=frameworks-%)
$(FRAMEWORK_SETS:%=frameworks-%): frameworks-%: .venv-frameworks-%/.installed
	@echo '== frameworks of tests/readers/versions/$*.txt'
	@$(call READING,$*,.venv-frameworks-$*)

# The tests of real applications, each in an environment of exact versions, and real URLs. Run these targets by hand.
real: ## by hand: run the tests of real applications, without postel and behind it; ARGS=flask for one
	@python="$$($(PYTHON) tools/pythons.py find 3.12)" && $(TOOL) "$$python" -m real.run $(ARGS)

real-urls: $(VENV)/.installed ## by hand: judge real URLs, and list those that STANDARD refuses
	@$(TOOL) $(VENV)/bin/python -m real.urls

real-page: $(VENV)/.installed ## write docs/real.md and docs/kinds.md from the results of make real and make real-urls
	@$(TOOL) $(VENV)/bin/python tools/real_page.py --collect
	@$(TOOL) $(VENV)/bin/python tools/kinds.py

test-fresh: $(VENV)/.installed ## run docs/start.md in a fresh clone, command by command
	@$(VENV)/bin/python -m pytest -q -s -m fresh $(ARGS)

test-cluster: $(DEV_VENV)/.installed ## run the tests that scan logs on a Dask cluster
	@$(DEV_VENV)/bin/python -m pytest -q -m cluster $(ARGS) tests/scan

# ---- linters, types, builds, documentation, benchmarks ----

lint: $(DEV_VENV)/.installed ## run ruff (rules and format) and codespell
	@$(DEV_VENV)/bin/ruff check --quiet .
	@$(DEV_VENV)/bin/ruff format --check --quiet . || { echo 'make format would change files' >&2; exit 1; }
	@$(DEV_VENV)/bin/codespell

format: $(DEV_VENV)/.installed ## let ruff repair what it can
	@$(DEV_VENV)/bin/ruff check --fix-only --quiet .
	@$(DEV_VENV)/bin/ruff format --quiet .

PYRIGHT = PATH="$(CURDIR)/$(DEV_VENV)/bin:$$PATH" PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(DEV_VENV)/bin/pyright

types: $(DEV_VENV)/.installed ## run mypy --strict and pyright, and check that the public types are complete
	@$(DEV_VENV)/bin/mypy
	@$(PYRIGHT) --pythonpath $(DEV_VENV)/bin/python
	@$(PYRIGHT) --pythonpath $(DEV_VENV)/bin/python --verifytypes postel --ignoreexternal

build: $(DEV_VENV)/.installed ## build sdist and wheel twice, compare the bytes, check them, install the wheel alone and import it
	@$(TOOL) $(DEV_VENV)/bin/python tools/release.py build

release-check: build ## check what a release needs: the version, a dated section of the changelog, and installs on each Python with each extra
	@$(TOOL) $(DEV_VENV)/bin/python tools/release.py check $(ARGS)

licences: $(DEV_VENV)/.installed ## write dist/sbom.cdx.json and dist/licences.md: the dependencies of the extras, with their licences
	@$(TOOL) $(DEV_VENV)/bin/python tools/licences.py dist

demo: $(DEMO_VENV)/.installed ## send the same URLs to real servers, without postel and behind it
	@$(DEMO_VENV)/bin/python examples/demo.py

playground: $(DEMO_VENV)/.installed ## serve a page that shows how a URL is read, at http://127.0.0.1:8000
	@cd examples && exec ../$(DEMO_VENV)/bin/python -m playground $(ARGS)

# -n warns about each reference to an unknown name, and -W makes every warning an error.
SPHINX = $(DOCS_VENV)/bin/sphinx-build -q -n -W --keep-going -d $(DOCS_VENV)/doctrees

docs: $(DOCS_VENV)/.installed ## build the documentation as HTML in dist/docs, and check its links and examples
	@$(SPHINX) -b html docs dist/docs
	@$(SPHINX) -b doctest docs $(DOCS_VENV)/doctest > $(DOCS_VENV)/doctest.log || { cat $(DOCS_VENV)/doctest.log; exit 1; }
	@sed -n '/^Doctest summary/,$$p' $(DOCS_VENV)/doctest/output.txt
	@echo 'built dist/docs/index.html'

pages: $(DEV_VENV)/.chromium ## write the generated pages, diagrams and pictures of the documentation anew
	@for page in readme sessions toolkit_page kinds diagrams house; do $(TOOL) $(DEV_VENV)/bin/python tools/$$page.py; done
	@$(TOOL) $(VENV)/bin/python tools/body_tables.py
	@$(call browsing,$(TOOL) $(DEV_VENV)/bin/python tools/picture.py)

accessibility: $(DEV_VENV)/.chromium docs ## by hand: check the pages that users see first with axe; screenshots are in dist/screens
	@$(call browsing,$(TOOL) $(DEV_VENV)/bin/python tools/accessibility.py)

WRK = $(BENCH_VENV)/wrk
BENCH = [ ! -x $(WRK)/usr/bin/wrk ] || { export POSTEL_WRK='$(CURDIR)/$(WRK)/usr/bin/wrk'; \
	export LD_LIBRARY_PATH="$$(dirname "$$(find '$(CURDIR)/$(WRK)' -name 'libluajit*.so.2' | head -1)")"; }; \
	$(BENCH_VENV)/bin/python bench/page.py

bench: $(BENCH_VENV)/.installed $(BENCH_VENV)/.wrk ## measure what a target, a request and a body cost, beside other libraries
	@$(BENCH) $(ARGS)

bench-page: $(BENCH_VENV)/.installed $(BENCH_VENV)/.wrk ## measure the same, and write docs/performance.md (ARGS=--requests: whole servers only)
	@$(BENCH) --write docs/performance.md $(ARGS)

bench-worst: $(VENV)/.installed ## search for the most expensive inputs (ARGS='--seconds 1800', '--only LENIENT query')
	@$(VENV)/bin/python bench/worst.py $(ARGS)

bench-load: $(DEV_VENV)/.installed ## measure how long an ordinary request waits while others send the most expensive inputs (ARGS='--write docs/performance.md')
	@PYTHONPATH=src $(DEV_VENV)/bin/python bench/load.py $(ARGS)

bench-scan: $(VENV)/.goaccess ## measure how fast a log of a million lines is scanned, beside goaccess, awk and a plain split
	@[ ! -x $(GOACCESS)/usr/bin/goaccess ] || { export POSTEL_GOACCESS='$(CURDIR)/$(GOACCESS)/usr/bin/goaccess'; \
	export LD_LIBRARY_PATH="$$(dirname "$$(find '$(CURDIR)/$(GOACCESS)' -name 'libmaxminddb.so.0' | head -1)")"; }; \
	$(VENV)/bin/python bench/scan.py $(ARGS)

# ---- evidence ----

FACTS = $(EVIDENCE_VENV)/facts
SECONDS ?= 20

# Files that `make test` runs, except for their tests marked `evidence`.
MARKED = $(patsubst %,tests/_bodies/test_%.py,multipart_frameworks json_of_any_type page) \
	$(patsubst %,tests/_normalizer/test_%.py,edits foreign_references proof) \
	tests/_catalogue/test_new_check.py tests/_http/test_cookies.py tests/scan/test_noise.py tests/toolkit/test_linear.py

evidence: $(EVIDENCE_VENV)/.installed $(EVIDENCE_VENV)/.readers ## run the cases and readers of other projects, and the fuzzer, and check docs/evidence.md
	@mkdir -p $(FACTS)
	@# Each of these runs in a single process, because some end with sums over all their cases.
	@$(EVIDENCE_VENV)/bin/python tests/fuzz/run.py --seconds $(SECONDS) --facts $(FACTS)/fuzz.json \
		>$(FACTS)/fuzz.log 2>&1 & fuzzing=$$!; \
	$(EVIDENCE_VENV)/bin/python -m pytest -q --evidence $(FACTS)/whole.json $(ARGS) tests/whole \
		$(patsubst %,tests/laws/test_%.py,flood exhaustive respelling blocks) \
		tests/_bodies/test_urlencoded.py tests/_middleware/test_rebuilt_urls.py \
		>$(FACTS)/whole.log 2>&1 & requests=$$!; \
	$(EVIDENCE_VENV)/bin/python -m pytest -q -m evidence $(ARGS) $(MARKED) >$(FACTS)/marked.log 2>&1 & marking=$$!; \
	$(EVIDENCE_VENV)/bin/python -m pytest -q --evidence $(FACTS)/tests.json $(ARGS) tests/conformance tests/differential \
		$(patsubst %,tests/toolkit/test_%.py,corpora javascript round_trips local); \
	tests=$$?; wait $$requests; whole=$$?; wait $$marking; marked=$$?; wait $$fuzzing; status=$$?; \
	cat $(FACTS)/whole.log $(FACTS)/marked.log $(FACTS)/fuzz.log; exit $$((tests + whole + marked + status))
	@$(TOOL) $(EVIDENCE_VENV)/bin/python tools/evidence_page.py --check $(FACTS)/tests.json $(FACTS)/whole.json

# The full product of presets, seeds and framework versions, by hand: ten thousand targets for each combination.
FULL_SEEDS ?= 1 2 3
FULL_FACTS = $(FRAMEWORK_FACTS)/full

evidence-full: ## by hand: compare as make frameworks does, with ten thousand targets for each preset and each of FULL_SEEDS; takes hours
	@rm -rf $(FULL_FACTS); status=0; for seed in $(FULL_SEEDS); do \
		POSTEL_SEED=$$seed $(MAKE) frameworks-run GENERATED=10000 FRAMEWORK_FACTS=$(FULL_FACTS)/$$seed || status=1; \
	done; $(VENV)/bin/python tests/readers/full.py $(FULL_FACTS)/*/*.json; exit $$status

evidence-page: $(EVIDENCE_VENV)/.installed ## write docs/evidence.md from what the last `make evidence` has found
	@$(TOOL) $(EVIDENCE_VENV)/bin/python tools/evidence_page.py $(FACTS)/tests.json $(FACTS)/whole.json

whole: $(EVIDENCE_VENV)/.installed ## by hand: check the laws on generated requests and guards; POSTEL_SEEDS=10-19 for these seeds, POSTEL_TIMES=5 for more requests
	@$(EVIDENCE_VENV)/bin/python -m pytest -q -m 'not servers' $(ARGS) tests/whole

fuzz: $(EVIDENCE_VENV)/.installed ## fuzz each invariant for SECONDS (20); ARGS='--keep path' for one of them, and to keep interesting inputs
	@$(EVIDENCE_VENV)/bin/python tests/fuzz/run.py --seconds $(SECONDS) $(ARGS)

mutation: $(EVIDENCE_VENV)/.installed ## by hand: run mutation testing of the core; ARGS=_alphabet/percent for one module
	@$(EVIDENCE_VENV)/bin/python tests/mutation/run.py $(ARGS)

# ---- upkeep ----

# One resolution covers every group, every supported Python and every system. It names no package index.
GROUP_NAMES = $(shell sed -n '/^\[dependency-groups\]/,/^\[tool/s/^\([a-z]*\) = .*/\1/p' pyproject.toml)
LOCK = $(UV) pip compile --quiet --universal --python-version 3.11.5 --generate-hashes --no-emit-index-url --no-annotate \
	--custom-compile-command 'make constraints'

constraints: $(UV_VENV)/.installed ## resolve every dependency group anew into constraints.txt, with hashes; ARGS=--upgrade for new versions
	@$(LOCK) $(ARGS) $(GROUP_NAMES:%=--group %) --output-file constraints.txt
	@$(LOCK) $(ARGS) --group lock --constraint constraints.txt --output-file tools/uv.txt

clean: ## remove everything that these targets have made
	@rm -rf .venv .venv-* dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find src tests examples -name __pycache__ -type d -prune -exec rm -rf {} + 2> /dev/null || true
