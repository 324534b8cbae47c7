# Everything here works from a fresh clone with a Python (3.11 or newer) and make. Each target makes
# the virtual environment that it needs; a stamp in it makes the second run quick.

PYTHON ?= python3
VENV = .venv
DEV_VENV = .venv-dev
DEMO_VENV = .venv-demo
DOCS_VENV = .venv-docs
BENCH_VENV = .venv-bench
WHEEL_VENV = .venv-wheel
EVIDENCE_VENV = .venv-evidence

# yes: a tested Python that is not found is an error and not only a remark. A CI must not be green by absence.
REQUIRE_PYTHONS ?= $(if $(filter true 1,$(CI)),yes,no)

# The classifiers are the list of the tested Pythons.
PYTHONS := $(shell sed -n 's/^ *"Programming Language :: Python :: \(3\.[0-9]*\)",$$/\1/p' pyproject.toml)
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')

# -I: neither PYTHONPATH nor packages in the user's home decide what pip believes to be installed.
PIP_INSTALL = -I -m pip install --quiet --quiet --disable-pip-version-check --no-input
PIP_LOCKED = $(PIP_INSTALL) --constraint constraints.txt

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

.PHONY: help
help: ## print this list
	@sed -n 's/^\([a-z0-9.-]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name text; do \
		printf '  make %-13s %s\n' "$$name" "$$text"; done
	@echo '  make test-3.12     the same as test, on that Python (any of: $(PYTHONS))'

# ---- environments ----

VENVS = $(VENV) $(DEV_VENV) $(DEMO_VENV) $(DOCS_VENV) $(EVIDENCE_VENV) $(BENCH_VENV)
$(VENV)/.installed: GROUPS = test
$(DEV_VENV)/.installed: GROUPS = test servers browser cluster types lint build
$(DEMO_VENV)/.installed: GROUPS = demo
$(DOCS_VENV)/.installed: GROUPS = docs
$(EVIDENCE_VENV)/.installed: GROUPS = test evidence
$(BENCH_VENV)/.installed: GROUPS = bench

# The stamp's name holds the version, so another PYTHON makes another environment.
$(VENVS:%=%/.python-$(VERSION)):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "postel needs Python 3.11 or newer; '$(PYTHON)' is '$(VERSION)'. Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	@echo '== $(@D): Python $(VERSION)'
	@$(PYTHON) -m venv --clear $(@D)
	@# The pip that comes with 3.11 does not know --group; it does know constraints.
	@$(@D)/bin/python $(PIP_LOCKED) --upgrade pip
	@touch $@

$(VENVS:%=%/.installed): %/.installed: %/.python-$(VERSION) pyproject.toml constraints.txt
	@echo '== $*: installing $(GROUPS)'
	@$*/bin/python $(PIP_LOCKED) --build-constraint constraints.txt --editable . $(GROUPS:%=--group %)
	@touch $@

# What writes a page of the documentation stands in tools/, and uses what the tests have.
TOOL = PYTHONPATH=src:tests

# ---- tests ----

# Else each process of each run would rewrite the asserts of all tests anew, which takes longer than many of the tests.
unexport PYTHONDONTWRITEBYTECODE

# What needs nothing but this process.
IN_PROCESS = not servers and not browser and not cluster and not fresh and not evidence
# One file on one core: a file's fixtures, applications and compiled policies are made once, and some files end in sums
# over all their cases.
SPREAD = $(VENV)/bin/python -m pytest -q --numprocesses auto --dist loadfile --no-loadscope-reorder

.PHONY: test
test: $(VENV)/.installed ## all in-process tests
	@$(SPREAD) -m '$(IN_PROCESS)' $(ARGS)

# Folders and tests that ask many cases of what the tables cover. Measuring takes three times as long as asking.
UNMEASURED = $(patsubst %,--ignore=tests/%,conformance differential frameworks laws readers starlettes whole)

.PHONY: coverage
coverage: $(VENV)/.installed ## the tables once more, measured: 100 % branch coverage of src
	@COVERAGE_FILE=$(VENV)/.coverage $(SPREAD) -m '$(IN_PROCESS) and not no_cover' $(UNMEASURED) \
		--cov --cov-report=term-missing:skip-covered $(ARGS)

# What finds most in a minute: the catalogue, the core, the laws, the adapters, and bodies as tables. It leaves out what
# compares with frameworks and other readers, exhaustive alphabets, commands, documentation, and coverage.
# The files that take longest stand first, so that both ends come together.
CHECKED = $(patsubst %,tests/%.py,_bodies/test_urlencoded laws/test_laws _http/test_cookies cli/test_check \
	_catalogue/test_kinds _alphabet/test_characters _alphabet/test_percent _bodies/test_body _bodies/test_json \
	_bodies/test_multipart laws/test_bounded laws/test_linear project/test_architecture project/test_documented) \
	$(patsubst %,tests/_http/test_%.py,fields host prefixes recovery refusal report websocket) \
	$(patsubst %,tests/_middleware/test_%.py,adapters asgi settings wsgi) \
	$(patsubst %,tests/_normalizer/test_%.py,many_edits normalizer proof proven) \
	$(patsubst %,tests/_policy/test_%.py,limits policy)

.PHONY: check
check: $(VENV)/.installed ## the tests that find most in under a minute
	@$(SPREAD) -m '$(IN_PROCESS)' $(ARGS) $(CHECKED)

# $(call interpreter,3.12): a command that is that Python, or nothing. What is on PATH may be a shim that only
# complains, so each candidate is asked.
interpreter = $(shell for python in $(PYTHON) python$(1) "$$(pyenv root 2>/dev/null)"/versions/$(1).*/bin/python; do \
	if [ "$$("$$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)" = $(1) ]; then \
	echo "$$python"; break; fi; done)

.PHONY: $(PYTHONS:%=test-%)
$(PYTHONS:%=test-%): test-%:
	@python='$(call interpreter,$*)'; \
	if [ -z "$$python" ]; then echo "Python $* was not found, neither on PATH nor by pyenv" >&2; exit 1; fi; \
	$(MAKE) test PYTHON="$$python" VENV=.venv-$*

OTHERS = $(filter-out $(basename $(VERSION)),$(PYTHONS))
FOUND = $(foreach version,$(OTHERS),$(if $(call interpreter,$(version)),$(version)))

.PHONY: test-others
test-others: ## the same on the other tested Pythons that are found
	@found='$(FOUND)'; status=0; \
	for version in $(OTHERS); do \
		case " $$found " in \
			*" $$version "*) echo "== tests on Python $$version"; $(MAKE) test-$$version || status=1;; \
			*) echo "== NOT tested: Python $$version was not found (REQUIRE_PYTHONS=$(REQUIRE_PYTHONS))" >&2; \
				[ '$(REQUIRE_PYTHONS)' != yes ] || status=1;; \
		esac; \
	done; exit $$status

.PHONY: test-all
test-all: test test-others ## test and test-others

# nginx, Apache, HAProxy and Caddy are no Python packages. Where apt-get is at hand, Debian's are unpacked beside the
# others, with whatever of their needs the machine has not, and nothing is installed; elsewhere the system's own
# serve, or their tests are skipped by name.
DEBIAN = $(DEV_VENV)/debian
DEBIAN_PACKAGES = nginx apache2-bin libapache2-mod-wsgi-py3 haproxy caddy

$(DEV_VENV)/.debian: $(DEV_VENV)/.installed
	@rm -rf $(DEBIAN); mkdir -p $(DEBIAN)
	@if command -v apt-get dpkg > /dev/null; then \
		echo '== $(DEV_VENV): unpacking $(DEBIAN_PACKAGES)'; cd $(DEBIAN); \
		unpack() { \
			apt-get --simulate --no-install-recommends install $(DEBIAN_PACKAGES) > wanted || return; \
			wanted=$$(sed -n 's/^Inst \([^ ]*\).*/\1/p' wanted); \
			[ -z "$$wanted" ] || apt-get -qq download $$wanted || return; \
			for each in *.deb; do [ ! -e "$$each" ] || dpkg --extract "$$each" . || return; done; \
		}; \
		{ unpack || { apt-get -qq update && unpack; }; } 2> apt.log || cat apt.log >&2; rm -f *.deb; \
	fi
	@touch $@

WITH_DEBIAN = POSTEL_DEBIAN='$(CURDIR)/$(DEBIAN)'

.PHONY: servers test-servers
servers: $(DEV_VENV)/.installed $(DEV_VENV)/.debian ## the tests that start real servers
	@$(WITH_DEBIAN) $(DEV_VENV)/bin/python -m pytest -q -m servers $(ARGS)

test-servers: servers

.PHONY: servers-page
servers-page: $(DEV_VENV)/.installed $(DEV_VENV)/.debian ## write docs/servers.md anew, from real servers
	@$(WITH_DEBIAN) $(TOOL) $(DEV_VENV)/bin/python tools/servers_page.py

# Chromium, its driver and the libraries that this system lacks, unpacked in the same way.
CHROMIUM = $(CURDIR)/$(DEV_VENV)/chromium
UNPACKED = -o Dir::Cache::archives=$(CHROMIUM)/archives -o Debug::NoLocking=1

$(DEV_VENV)/.chromium: $(DEV_VENV)/.installed
	@rm -rf $(CHROMIUM) && mkdir -p $(CHROMIUM)/archives/partial
	@if ! { command -v chromium && command -v chromedriver; } > /dev/null && command -v apt-get dpkg > /dev/null; then \
		echo '== $(DEV_VENV): unpacking Chromium'; cd $(CHROMIUM); \
		get='apt-get -qq -y --no-install-recommends --download-only $(UNPACKED) install chromium chromium-driver'; \
		{ $$get || { apt-get -qq update && $$get; }; } > apt.log 2>&1 \
			&& for package in archives/*.deb; do dpkg --extract $$package .; done || cat apt.log >&2; \
		rm -rf archives; \
	fi
	@touch $@

# $(call browsing,command): a command that finds that Chromium, or the system's own.
browsing = if [ -x $(CHROMIUM)/usr/bin/chromedriver ]; then \
	export POSTEL_CHROMIUM=$(CHROMIUM)/usr/lib/chromium/chromium POSTEL_CHROMEDRIVER=$(CHROMIUM)/usr/bin/chromedriver; \
	export LD_LIBRARY_PATH="$$(echo $(CHROMIUM)/usr/lib/*-linux-gnu $(CHROMIUM)/usr/lib/*-linux-gnu/pulseaudio | tr ' ' ':')"; \
	fi; $(1)

.PHONY: test-browser
test-browser: $(DEV_VENV)/.chromium ## the tests that drive a headless Chromium
	@$(call browsing,$(DEV_VENV)/bin/python -m pytest -q -m browser $(ARGS))

# Frameworks, old and new. Each file of tests/readers/versions is an environment of exact versions, so that pip has
# nothing to resolve; the first lines say what it is for and which Python takes it. The newest are those of $(VENV).
FRAMEWORK_SETS = oldest middle recent current
FRAMEWORK_FACTS = .venv-frameworks
FRAMEWORK_PAGE = $(TOOL) $(VENV)/bin/python tools/frameworks_page.py
GENERATED ?= 1000

.PHONY: frameworks frameworks-page frameworks-run frameworks-newest $(FRAMEWORK_SETS:%=frameworks-%)
frameworks: frameworks-run ## readers of whole requests in every framework of tests/readers/versions; docs/frameworks.md is checked
	@$(FRAMEWORK_PAGE) --check $(FRAMEWORK_SETS:%=$(FRAMEWORK_FACTS)/%.json) $(FRAMEWORK_FACTS)/newest.json

frameworks-page: ## write docs/frameworks.md from what the last `make frameworks` has found
	@$(FRAMEWORK_PAGE) $(FRAMEWORK_SETS:%=$(FRAMEWORK_FACTS)/%.json) $(FRAMEWORK_FACTS)/newest.json

# The page is compared at the end, as a whole.
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

$(FRAMEWORK_SETS:%=frameworks-%): frameworks-%: tests/readers/versions/%.txt
	@wanted="$$(sed -n 's/^# Python //p' $<)"; stamp=.venv-frameworks-$*/.installed; \
	if [ ! -e "$$stamp" ] || [ $< -nt "$$stamp" ]; then \
		case "$$wanted" in 3.11) python='$(call interpreter,3.11)';; *) python='$(call interpreter,3.12)';; esac; \
		if [ -z "$$python" ]; then \
			echo "== NOT run: $*, Python $$wanted was not found (REQUIRE_PYTHONS=$(REQUIRE_PYTHONS))" >&2; \
			rm -f $(FRAMEWORK_FACTS)/$*.json; [ '$(REQUIRE_PYTHONS)' != yes ]; exit; \
		fi; \
		echo "== .venv-frameworks-$*: installing $<"; "$$python" -m venv --clear .venv-frameworks-$* || exit; \
		.venv-frameworks-$*/bin/python $(PIP_INSTALL) --no-deps --requirement $< && touch "$$stamp" || exit; \
	fi; \
	echo '== frameworks of $<'; $(call READING,$*,.venv-frameworks-$*)

# Real applications' own tests, each application in an environment of exact versions, and real URLs. By hand.
REAL = PYTHONPATH=src:tests

.PHONY: real real-urls real-page
real: ## by hand: the tests of real applications, bare and behind postel; ARGS=flask for one
	@python='$(call interpreter,3.12)'; \
	if [ -z "$$python" ]; then echo "Python 3.12 was not found, neither on PATH nor by pyenv" >&2; exit 1; fi; \
	$(REAL) "$$python" -m real.run $(ARGS)

real-urls: $(VENV)/.installed ## by hand: what STANDARD refuses of real URLs
	@$(REAL) $(VENV)/bin/python -m real.urls

real-page: $(VENV)/.installed ## write docs/real.md and docs/kinds.md from what the last two have found
	@$(TOOL) $(VENV)/bin/python tools/real_page.py --collect
	@$(TOOL) $(VENV)/bin/python tools/kinds.py

.PHONY: test-fresh
test-fresh: $(VENV)/.installed ## the first page of the documentation on a fresh clone, line by line
	@$(VENV)/bin/python -m pytest -q -s -m fresh $(ARGS)

.PHONY: test-cluster
test-cluster: $(DEV_VENV)/.installed ## the tests that count on a Dask cluster
	@$(DEV_VENV)/bin/python -m pytest -q -m cluster $(ARGS) tests/scan

# ---- habits ----

.PHONY: lint
lint: $(DEV_VENV)/.installed ## ruff (rules and format) and codespell
	@$(DEV_VENV)/bin/ruff check --quiet .
	@$(DEV_VENV)/bin/ruff format --check --quiet . || { echo 'make format would change files' >&2; exit 1; }
	@$(DEV_VENV)/bin/codespell

.PHONY: format
format: $(DEV_VENV)/.installed ## let ruff repair what it can
	@$(DEV_VENV)/bin/ruff check --fix-only --quiet .
	@$(DEV_VENV)/bin/ruff format --quiet .

PYRIGHT = PATH="$(CURDIR)/$(DEV_VENV)/bin:$$PATH" PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(DEV_VENV)/bin/pyright

.PHONY: types
types: $(DEV_VENV)/.installed ## mypy --strict, pyright, and the completeness of the public types
	@$(DEV_VENV)/bin/mypy
	@$(PYRIGHT) --pythonpath $(DEV_VENV)/bin/python
	@$(PYRIGHT) --pythonpath $(DEV_VENV)/bin/python --verifytypes postel --ignoreexternal

.PHONY: build
build: $(DEV_VENV)/.installed ## sdist and wheel, checked, the wheel installed alone and imported
	@rm -rf dist
	@$(DEV_VENV)/bin/python -m build --dependency-constraints-txt constraints.txt --outdir dist
	@$(DEV_VENV)/bin/twine check --strict dist/*
	@$(PYTHON) -m venv --clear $(WHEEL_VENV)
	@# No index, so the wheel can not need anything; -I, so that it is the wheel that is imported.
	@$(WHEEL_VENV)/bin/python $(PIP_INSTALL) --no-index dist/*.whl
	@$(WHEEL_VENV)/bin/python -I -c 'import postel, postel.asgi, postel.wsgi; print("imported", postel.__file__)'

.PHONY: demo
demo: $(DEMO_VENV)/.installed ## real servers, each with an application bare and wrapped, side by side
	@$(DEMO_VENV)/bin/python examples/demo.py

.PHONY: playground
playground: $(DEMO_VENV)/.installed ## a page where one can see a URL, at http://127.0.0.1:8000
	@cd examples && exec ../$(DEMO_VENV)/bin/python -m playground $(ARGS)

# -n: a name that leads nowhere is an error, and -W makes one of every warning.
SPHINX = $(DOCS_VENV)/bin/sphinx-build -q -n -W --keep-going -d $(DOCS_VENV)/doctrees

.PHONY: docs
docs: $(DOCS_VENV)/.installed ## the documentation, as HTML in dist/docs; its links and examples are checked
	@$(SPHINX) -b html docs dist/docs
	@$(SPHINX) -b doctest docs $(DOCS_VENV)/doctest > $(DOCS_VENV)/doctest.log || { cat $(DOCS_VENV)/doctest.log; exit 1; }
	@sed -n '/^Doctest summary/,$$p' $(DOCS_VENV)/doctest/output.txt
	@echo 'built dist/docs/index.html'

.PHONY: pages
pages: $(DEV_VENV)/.chromium ## write the generated pages, diagrams and pictures of the documentation anew
	@for page in readme sessions toolkit_page kinds diagrams house; do $(TOOL) $(DEV_VENV)/bin/python tools/$$page.py; done
	@$(call browsing,$(TOOL) $(DEV_VENV)/bin/python tools/picture.py)

# wrk is no Python package either.
WRK = $(BENCH_VENV)/wrk

$(BENCH_VENV)/.wrk: $(BENCH_VENV)/.installed
	@mkdir -p $(WRK)
	@if command -v apt-get dpkg > /dev/null; then \
		echo '== $(BENCH_VENV): unpacking wrk'; cd $(WRK); set -- wrk libluajit-5.1-2 libluajit-5.1-common; \
		{ apt-get -qq download $$@ || { apt-get -qq update && apt-get -qq download $$@; }; } 2> apt.log \
			&& for package in *.deb; do dpkg --extract $$package .; done || cat apt.log >&2; \
	fi
	@touch $@

BENCH = [ ! -x $(WRK)/usr/bin/wrk ] || { export POSTEL_WRK='$(CURDIR)/$(WRK)/usr/bin/wrk'; \
	export LD_LIBRARY_PATH="$$(dirname "$$(find '$(CURDIR)/$(WRK)' -name 'libluajit*.so.2' | head -1)")"; }; \
	$(BENCH_VENV)/bin/python bench/page.py

.PHONY: bench bench-page
bench: $(BENCH_VENV)/.installed $(BENCH_VENV)/.wrk ## what a target, a request and a server cost, beside others
	@$(BENCH) $(ARGS)

bench-page: $(BENCH_VENV)/.installed $(BENCH_VENV)/.wrk ## the same, written into docs/performance.md
	@$(BENCH) --write docs/performance.md $(ARGS)

.PHONY: bench-worst
bench-worst: $(VENV)/.installed ## the dearest inputs, found by search (ARGS='--seconds 1800', '--only LENIENT query')
	@$(VENV)/bin/python bench/worst.py $(ARGS)

.PHONY: bench-scan
bench-scan: $(VENV)/.installed ## how fast a log of a million lines is scanned, and in how much memory
	@$(VENV)/bin/python bench/scan.py $(ARGS)

# ---- evidence ----

# Readers of queries in other languages. Where apt-get is at hand, Debian's packages are unpacked and nothing is
# installed; elsewhere what the system has is asked, and what it has not is skipped by name. A JDK, a compiler of Rust,
# Perl and Node are the system's own.
READERS = $(EVIDENCE_VENV)/readers
READER_PACKAGES = golang-1.19-go golang-1.19-src librust-form-urlencoded-dev librust-percent-encoding-dev \
	libtomcat10-java libjetty9-java libservlet-api-java ruby3.1 libruby3.1 ruby-rack libyaml-0-2 libgmp10 \
	libcgi-pm-perl libhtml-parser-perl libhtml-tagset-perl liburi-perl \
	php8.2-cli php8.2-common libargon2-1 libsodium23 libedit2 libmagic1 libbsd0

$(EVIDENCE_VENV)/.readers: $(EVIDENCE_VENV)/.installed
	@mkdir -p $(READERS)
	@if command -v apt-get dpkg > /dev/null; then \
		echo '== $(EVIDENCE_VENV): unpacking readers'; cd $(READERS); \
		{ apt-get -qq download $(READER_PACKAGES) \
			|| { apt-get -qq update && apt-get -qq download $(READER_PACKAGES); }; } 2> apt.log \
			&& for package in *.deb; do dpkg --extract $$package . && rm $$package; done || cat apt.log >&2; \
	fi
	@touch $@

FACTS = $(EVIDENCE_VENV)/facts
SECONDS ?= 20

.PHONY: evidence
evidence: $(EVIDENCE_VENV)/.installed $(EVIDENCE_VENV)/.readers ## other people's cases and readers, and fuzzing; docs/evidence.md is checked
	@mkdir -p $(FACTS)
	@# One process each: the second ends in sums over all its cases.
	@$(EVIDENCE_VENV)/bin/python tests/fuzz/run.py --seconds $(SECONDS) --facts $(FACTS)/fuzz.json \
		>$(FACTS)/fuzz.log 2>&1 & fuzzing=$$!; \
	$(EVIDENCE_VENV)/bin/python -m pytest -q --evidence $(FACTS)/whole.json $(ARGS) tests/whole tests/laws/test_flood.py \
		>$(FACTS)/whole.log 2>&1 & requests=$$!; \
	$(EVIDENCE_VENV)/bin/python -m pytest -q --evidence $(FACTS)/tests.json $(ARGS) tests/conformance tests/differential \
		$(patsubst %,tests/toolkit/test_%.py,corpora javascript round_trips local); \
	tests=$$?; wait $$requests; whole=$$?; wait $$fuzzing; status=$$?; \
	cat $(FACTS)/whole.log $(FACTS)/fuzz.log; exit $$((tests + whole + status))
	@$(TOOL) $(EVIDENCE_VENV)/bin/python tools/evidence_page.py --check $(FACTS)/tests.json $(FACTS)/whole.json

# The full product, by hand: ten thousand targets for each preset and seed, in every framework of every set.
FULL_SEEDS ?= 1 2 3
FULL_FACTS = $(FRAMEWORK_FACTS)/full

.PHONY: evidence-full
evidence-full: ## what make frameworks compares, with ten thousand targets a preset for each of FULL_SEEDS; takes hours
	@rm -rf $(FULL_FACTS); status=0; for seed in $(FULL_SEEDS); do \
		POSTEL_SEED=$$seed $(MAKE) frameworks-run GENERATED=10000 FRAMEWORK_FACTS=$(FULL_FACTS)/$$seed || status=1; \
	done; $(VENV)/bin/python tests/readers/full.py $(FULL_FACTS)/*/*.json; exit $$status

.PHONY: evidence-page
evidence-page: $(EVIDENCE_VENV)/.installed ## write docs/evidence.md from what the last `make evidence` has found
	@$(TOOL) $(EVIDENCE_VENV)/bin/python tools/evidence_page.py $(FACTS)/tests.json $(FACTS)/whole.json

.PHONY: whole
whole: $(EVIDENCE_VENV)/.installed ## whole requests and guards, by hand: POSTEL_SEEDS=10-19 for these seeds, POSTEL_TIMES=5 for longer
	@$(EVIDENCE_VENV)/bin/python -m pytest -q -m 'not servers' $(ARGS) tests/whole

.PHONY: fuzz
fuzz: $(EVIDENCE_VENV)/.installed ## fuzz every invariant, SECONDS= each (20); ARGS='--keep path'
	@$(EVIDENCE_VENV)/bin/python tests/fuzz/run.py --seconds $(SECONDS) $(ARGS)

.PHONY: mutation
mutation: $(EVIDENCE_VENV)/.installed ## mutation testing of the core, on demand; ARGS=_alphabet/percent
	@$(EVIDENCE_VENV)/bin/python tests/mutation/run.py $(ARGS)

# ---- upkeep ----

# Resolved on the oldest Python first: what it takes, the newer ones take too. Each newer one then adds only the
# names that it alone needs; where it can not follow, pip says which package is the reason.
CONSTRAINTS_VENV = .venv-constraints
ALL_GROUPS = $(shell sed -n '/^\[dependency-groups\]/,/^\[tool/s/^\([a-z]*\) = .*/\1/p' pyproject.toml)

.PHONY: constraints $(PYTHONS:%=constraints-%)
constraints: ## resolve every dependency group anew into constraints.txt
	@: > constraints.new
	@for version in $(PYTHONS); do $(MAKE) constraints-$$version || exit 1; done
	@{ \
		echo '# What every environment of the Makefile is made of, exact to the version. Made by "make constraints", which'; \
		echo '# resolves all dependency groups on Python $(PYTHONS); not edited by hand.'; \
		cat constraints.new; \
	} > constraints.txt
	@rm constraints.new

$(PYTHONS:%=constraints-%): constraints-%:
	@python='$(call interpreter,$*)'; \
	if [ -z "$$python" ]; then echo "Python $* was not found, neither on PATH nor by pyenv" >&2; exit 1; fi; \
	echo "== resolving on Python $*"; $$python -m venv --clear $(CONSTRAINTS_VENV)
	@# The setuptools that comes with 3.11 is not asked for by anything here.
	@$(CONSTRAINTS_VENV)/bin/python -I -m pip uninstall --quiet --yes setuptools 2> /dev/null
	@$(CONSTRAINTS_VENV)/bin/python $(PIP_INSTALL) --constraint constraints.new --upgrade pip
	@$(CONSTRAINTS_VENV)/bin/python $(PIP_INSTALL) --constraint constraints.new $(ALL_GROUPS:%=--group %)
	@$(CONSTRAINTS_VENV)/bin/python -I -m pip freeze --all | cat constraints.new - | LC_ALL=C sort -fu > constraints.sorted
	@mv constraints.sorted constraints.new
	@rm -rf $(CONSTRAINTS_VENV)

.PHONY: clean
clean: ## remove everything that these targets have made
	@rm -rf .venv .venv-* dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find src tests examples -name __pycache__ -type d -prune -exec rm -rf {} + 2> /dev/null || true
