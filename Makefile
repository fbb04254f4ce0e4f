# Holmberg. Targets: `make help`. Everything made goes to build/; V=1 shows the commands.
VERSION := 1.0.0
DATE    := 2026-11-26# of the version, for its manual
B       := build

CC      ?= cc
OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy 2>/dev/null)
OPT     ?= -O3 -g1 # a backtrace has functions and lines; OPT='-O0 -g' shows variables, too
WARN    := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wpointer-arith -Wwrite-strings
# -ffp-contract=off and no -ffast-math: a sum is added in the order it is written, on every machine.
# -fno-math-errno and -fno-trapping-math change no result; they let sqrt and selects be vectorized. gcc 12's vectorizer of
# straight code does: it fuses a c - b s and a s + b c where there is FMA, and takes (double)(float)x for x.
NUMERIC := -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-tree-slp-vectorize
# Its vectorizer of loops fuses the same, so there is no FMA, whatever -march says, but in functions that ask for it; and i386
# computes in registers of 64 bits, not 80.
MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)# no compiler yet: deps.sh installs one
NUMERIC_HERE := $(if $(filter x86_64-% i386-% i486-% i586-% i686-%,$(MACHINE)),-mno-fma -mno-fma4) $(if $(filter i386-% i486-% i586-% i686-%,$(MACHINE)),-msse2 -mfpmath=sse)
# Silent where a library, or pkg-config itself, is missing: deps.sh reports it.
pkg      = $(shell pkg-config $(1) 2>/dev/null)
HDF5    := $(if $(call pkg,--modversion hdf5-serial),hdf5-serial,hdf5)
HDF5_LIBS := $(call pkg,--libs $(HDF5))
CFLAGS  := $(CFLAGS)# so that pkg-config is asked once, not for each object
# Everything is compiled once, fit for the shared library too; a function is not called through its table of symbols there.
PIC     := -fPIC -fno-semantic-interposition
override CFLAGS += -std=c11 -D_GNU_SOURCE $(OPT) $(WARN) $(NUMERIC) $(NUMERIC_HERE) $(PIC) -fopenmp-simd -pthread $(SANITIZE) \
           -Isrc -Isrc/include -I$(B)/gen -DHB_ONE_RELEASE -DHB_VERSION='"$(VERSION)"' $(call pkg,--cflags $(HDF5) glew egl libpng zlib libcjson)
# Of GLEW and EGL only the headers are used.
NEEDS   := libpng zlib libcjson $(if $(call pkg,--modversion glfw3),glfw3)
LDLIBS  := $(call pkg,--libs $(NEEDS)) -ldl -lm
LDFLAGS += -pthread $(SANITIZE)

# GLFW is optional: without it the window's files are replaced by their stub.
SKIP    := $(if $(call pkg,--modversion glfw3),%/gl_glfw_stub.c,%/gl_glfw.c) \
           $(if $(call pkg,--modversion libmicrohttpd),%/run_serve_stub.c,%/run_serve.c) \
           %/gl_egl_stub.c %/snapshot_hdf5_stub.c %/ranks_open_stub.c src/web/% src/windows/% src/mpi/%
SOURCES := $(filter-out $(SKIP),$(sort $(wildcard src/*/*.c)))
SHADERS := $(sort $(wildcard shaders/*.vert shaders/*/*.frag shaders/*/*.comp shaders/*/*.glsl shaders/*/*.vert))
PAPERS  := $(sort $(wildcard data/paper/*.csv)) $(sort $(wildcard data/measured/for_claims_*.csv data/measured/arithmetic_*.csv))
REPORT  := $(sort $(wildcard data/report/*.html data/report/*.css data/report/*.json)) data/paper/claims.json
COMMIT   = $(or $(shell git describe --always --dirty --abbrev=10 --exclude='*' 2>/dev/null),unknown)
ROOMS   := base core gl pairs ic io perf force chain groups step sim render# of the library; the others are of the program
object   = $(patsubst src/%.c,$(B)/obj/%.o,$(filter $(1),$(SOURCES))) $(patsubst %,$(B)/obj/gen/%.o,$(2))
LIB_OBJ := $(call object,$(ROOMS:%=src/%/%) src/abi/sized.c,shaders paper font)
OWN_OBJ := $(call object,$(filter-out $(ROOMS:%=src/%/%) src/cli/% src/child/% src/lib/% src/manual/% src/abi/%,$(SOURCES)),templates commit)
# Libraries of other people's calls: their own objects; what they need of libholmberg goes into their shared form, hidden.
LIB_BASE := src/lib/engine.c
g6_OBJ  := $(call object,$(filter-out %/cunbody_calls.c %/sixth_calls.c,$(filter src/lib/%,$(SOURCES))))
cunbody_OBJ := $(call object,$(LIB_BASE) src/lib/cunbody_calls.c)
sixth_OBJ := $(call object,$(LIB_BASE) src/lib/names.c src/lib/sixth_calls.c)
CALLS   := g6 cunbody sixth
PUBLIC  := $(filter-out $(CALLS:%=\%/%.h),$(sort $(wildcard src/include/holmberg/*.h)))
HEADERS := $(PUBLIC) $(CALLS:%=src/include/holmberg/%.h)
SONAME  := libholmberg.so.1
CLI_OBJ := $(patsubst src/%.c,$(B)/obj/%.o,$(filter src/cli/%,$(SOURCES)))
MANUAL  := $(patsubst src/%.c,$(B)/obj/%.o,$(filter src/manual/%,$(SOURCES)))
CHILD   := $(patsubst src/%.c,$(B)/obj/%.o,$(filter src/child/%,$(SOURCES)))
UNIT    := $(sort $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/test_*.c)))
TESTS   := $(UNIT:%=$(B)/tests/%)
HELPERS := $(patsubst tests/%.c,$(B)/obj/tests/%.o,$(wildcard tests/support/*.c))

# MPI is a shared object of its own, loaded where several ranks are started; MPICC= builds none.
MPICC   ?= $(shell command -v mpicc)
MPI     := $(if $(MPICC),$(B)/holmberg-mpi.so)

# What fuzzing needs, linked with the command line but its main(); calls that tests/fuzz answers itself are its own.
FUZZ_OBJ   := $(patsubst tests/%.c,$(B)/obj/tests/%.o,$(wildcard tests/fuzz/*.c)) $(filter-out %/main.o,$(CLI_OBJ))
FUZZ_FAKES := $(shell sed -n 's/^FAKE(\(.*\));$$/-Wl,--wrap=\1/p' tests/fuzz/*.c)

# What the targets below build, they build on all processors, unless make was told its own number.
JOBS = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 2))

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

# What a compiler says is kept beside the object: tools/lint.sh reads it there, and compiles nothing once more.
compile = [ -d $(@D) ] || mkdir -p $(@D); $(CC) $(CFLAGS) $(ALSO) -MMD -MP -c -o $@ $< 2>$@.said; code=$$?; [ ! -s $@.said ] || cat $@.said >&2; exit $$code

.PHONY: all install uninstall deb dist docs run reproduce web gallery windows test bare-test test-long drivers loaders fuzz lint asan format clean help deps-%
.DELETE_ON_ERROR:
.SECONDARY:

all: $(B)/holmberg $(B)/holmberg-child $(MPI) $(B)/$(SONAME) $(B)/libholmberg.a $(CALLS:%=$(B)/libholmberg-%.so.1) $(CALLS:%=$(B)/libholmberg-%.a) $(B)/manual/holmberg.1

help:
	@echo 'make            build build/holmberg, its helper holmberg-child, build/libholmberg.so.1 and libholmberg.a'
	@echo 'make install    install it all below PREFIX=/usr/local; DESTDIR= for packages; make uninstall removes it'
	@echo 'make deb        Debian packages in build/deb'
	@echo 'make dist       the source archive, and recipes for conda-forge and Homebrew, in build/dist'
	@echo 'make docs       set up the machine, build build/docs/site/index.html: the manual, to be browsed; with the page, if make web was'
	@echo 'make run        set up the machine, build, integrate a star cluster'
	@echo 'make reproduce  set up the machine, build, repeat the tables and figures of 2007 on this machine: a report'
	@echo 'make web        set up the machine, build build/web/index.html: the engine in a browser, holmberg.html, all in one file, and guide.html'
	@echo 'make windows    set up the machine, build build/windows/holmberg.exe with MinGW'
	@echo 'make test       set up the machine, build, run all tests'
	@echo 'make bare-test  make run and make test on a bare Debian 12 and a bare Debian 13; needs root and mmdebstrap'
	@echo 'make test-long  tests that take minutes or hours: long integrations, runs killed at 200 instants, failing system calls, bare-test'
	@echo 'make drivers    build every shader by the drivers of cards that are not here, DEVICES="dg2 v3d" or all; needs root and mmdebstrap'
	@echo 'make loaders    the tests of OpenGL by three versions of Mesa, softpipe, zink, virgl and Arm, RENDERERS="sid zink" or all; needs the same'
	@echo 'make lint       check layers, formatting, warnings of two compilers, shaders, scripts'
	@echo 'make asan       run the tests of parsers, memory and faults, and the viewer, under the address and undefined behavior sanitizers'
	@echo 'make fuzz       run every parser of files and words under libFuzzer and the sanitizers, SECONDS=60 each'
	@echo 'make format     reformat the sources'
	@echo 'make clean      remove build/'
	@echo 'V=1 shows the commands; DEPS=manual never installs a package.'

# Where to: see tools/install.sh. Installing builds nothing that is up to date.
export DESTDIR PREFIX BINDIR LIBDIR LIBEXECDIR INCLUDEDIR DATADIR DOCDIR MANDIR ZSHDIR PYTHON PYTHONDIR
install: all
	$(Q)tools/install.sh install $(B) $(VERSION) '$(NEEDS)'

uninstall: all
	$(Q)tools/install.sh uninstall $(B) $(VERSION) '$(NEEDS)'

# Checked by make test-long.
deb: deps-run deps-deb
	$(Q)tools/deb.sh $(B) $(VERSION)

dist:
	$(Q)tools/dist.sh $(B) $(VERSION)

docs: deps-docs
	$(Q)$(MAKE) --no-print-directory $(JOBS) all $(WEB)/guide.html
	$(Q)HB_CONTEXT=$${HB_CONTEXT:-egl} EGL_PLATFORM=surfaceless tools/docs.py $(B)

# The set-up may install what make looks for, hence the second make.
run: deps-run
	$(Q)$(MAKE) --no-print-directory $(JOBS) all
	$(Q)tools/demo.sh $(B)

# REPRODUCE are options of `holmberg reproduce`, --full for one.
reproduce: deps-run
	$(Q)$(MAKE) --no-print-directory $(JOBS) all
	$(Q)$(B)/holmberg reproduce --out $(B)/reproduce $(REPRODUCE)

test: deps-test deps-web
	$(Q)$(MAKE) --no-print-directory $(JOBS) all tests $(WEB)/index.html $(WEB)/holmberg.html $(WEB)/guide.html
	$(Q)tests/run.sh $(B)

# README's two commands on a machine where only make and git are installed: half an hour per Debian on two cores. The second
# runs also where the first fails. ROOT names the tarball of one Debian, and these are two.
bare-test: deps-bare-test
	$(Q)failed=; for dist in bookworm trixie; do echo "make run and make test on a bare Debian, $$dist"; ROOT= tools/bare.sh $$dist || failed="$$failed $$dist"; done; \
	  [ -z "$$failed" ] || { echo "bare-test: failed on a bare Debian,$$failed" >&2; exit 1; }

test-long: deps-test deps-long fuzz reproduce web windows
	$(Q)$(MAKE) --no-print-directory $(JOBS) all tests $(WEB)/index.html $(WEB)/holmberg.html $(WEB)/guide.html
	$(Q)for name in gl_energy gl_faults gl_steps grape6; do LONG=1 HB_CONTEXT=egl EGL_PLATFORM=surfaceless $(B)/tests/test_$$name || exit 1; done
	$(Q)for name in triples scatterings; do LONG=1 $(B)/tests/test_$$name || exit 1; done
	$(Q)HOLMBERG=$(CURDIR)/$(B)/holmberg bats tests/long
	$(Q)LONG=1 HOLMBERG=$(CURDIR)/$(B)/holmberg bats tests/cli/web.bats
	$(Q)LONG=1 HOLMBERG=$(CURDIR)/$(B)/holmberg bats -f 'Hermite code' tests/cli/g6.bats
	$(Q)LONG=1 HOLMBERG=$(CURDIR)/$(B)/holmberg bats tests/outside/release.bats
	$(Q)HOLMBERG=$(B)/holmberg tools/kill_test.sh 200
	$(Q)HOLMBERG=$(B)/holmberg tools/term_test.sh 300
	$(Q)HOLMBERG=$(B)/holmberg tools/fault_test.sh
	$(Q)$(MAKE) --no-print-directory loaders
	$(Q)$(MAKE) --no-print-directory deb
	$(Q)$(MAKE) --no-print-directory bare-test

drivers: deps-run deps-drivers
	$(Q)$(MAKE) --no-print-directory $(JOBS) $(B)/drivers
	$(Q)$(MAKE) --no-print-directory $(JOBS) B=$(B)/arm64 CC=aarch64-linux-gnu-gcc $(B)/arm64/drivers
	$(Q)tests/drivers/run.sh $(B) $(DEVICES)

# What differs by the version of Mesa or the renderer; RENDERERS="sid zink" for some. Checked by make test-long.
loaders: deps-test deps-drivers
	$(Q)$(MAKE) --no-print-directory $(JOBS) all tests
	$(Q)$(MAKE) --no-print-directory $(JOBS) B=$(B)/arm64 CC=aarch64-linux-gnu-gcc bare
	$(Q)tests/drivers/roots.sh $(CURDIR)/$(B)/drivers.d
	$(Q)tests/drivers/loaders.py $(B) $(RENDERERS) >$(B)/loaders.csv

.PHONY: tests
tests: $(TESTS) ; @:

deps-%:
	$(Q)tools/deps.sh $*

lint: deps-lint
	$(Q)$(MAKE) --no-print-directory $(JOBS) all tests
	$(Q)tools/lint.sh $(B)

# What sanitizers can find: in parsers, in what is made and given back, and after faults. Numbers are the same without them.
SANITIZED := analysis appended blocks bodies checkpoint colormap compare events faults field file fuzz g6 gravity groups \
             hermite4_states hybrid ic keyframes mem model open_close order parallel particles png process radii refusals report \
             resample save sections sim snapshot_formats snapshot_hdf5 snapshot_text state_view stop text threads tuning \
             tuning_cache window
asan: deps-test
	$(Q)rm -f $(B)/asan/tests/test_*
	$(Q)$(MAKE) --no-print-directory $(JOBS) B=$(B)/asan OPT='-O1 -g1 -fno-omit-frame-pointer' SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' \
	  UNIT='$(filter $(SANITIZED:%=test_%),$(UNIT))' $(B)/asan/holmberg tests
	$(Q)tests/run.sh --sanitized $(B)/asan

SECONDS = 60
fuzz: deps-run deps-fuzz
	$(Q)$(MAKE) --no-print-directory $(JOBS) B=$(B)/fuzz CC=clang \
	  OPT='-O1 -g -fno-omit-frame-pointer -Wno-pass-failed' \
	  SANITIZE='-D__SANITIZE_ADDRESS__ -fsanitize=fuzzer-no-link,address,undefined,float-cast-overflow -fno-sanitize-recover=all' $(B)/fuzz/fuzzer
	$(Q)tests/fuzz/run.sh $(B)/fuzz $(SECONDS)

format: deps-lint
	$(Q)clang-format -i $$(git ls-files '*.c' '*.h')

clean:
	$(Q)rm -rf $(B)

# Files that need a library of their own; src/web/web_without.c stands for them.
NO_HDF5 := %/hdf5_child.c %/snapshot_hdf5.c

# `holmberg ic` and `holmberg run` from what needs no library but C's, for compilers of other machines: tests/states.
BARE := $(patsubst src/%.c,$(B)/obj/%.o,$(filter-out $(NO_HDF5) %/json_read.c %/png.c %/parallel.c %/ranks_open.c %/gl_glfw.c %/gl_egl_stub.c %/run_serve.c,$(sort $(wildcard \
        $(ROOMS:%=src/%/*.c) src/console/*.c src/run/*.c)) src/cli/main.c src/cli/cmd_ic.c src/web/web_without.c)) \
        $(patsubst %,$(B)/obj/gen/%.o,shaders paper font) $(B)/obj/tests/states/bare.o
.PHONY: bare
bare: $(B)/bare
$(B)/bare: $(BARE)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -ldl -lm

# What builds every program of the engine on a driver without its card, for each machine that has drivers: tests/drivers.
DRIVERS := $(call object,$(filter-out %/gl_glfw.c %/gl_glfw_stub.c,$(wildcard $(addprefix src/,$(addsuffix /*.c,base core gl pairs force)))),shaders) \
           $(B)/obj/gl/gl_glfw_stub.o $(B)/obj/tests/drivers/drivers.o
$(B)/drivers: $(DRIVERS)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -Wl,--gc-sections -Wl,--wrap=hb_gl_program_build,--wrap=hb_gl_context_open -o $@ $^ -ldl -lm

# The page: the library's rooms, but for the files that need a desktop, and its own; by Emscripten, offline. GLEW and
# Random123 are headers only; Random123 does not know WebAssembly, which is like RISC-V to it.
WEB      := $(B)/web
NO_EGL   := %/gl_egl.c %/gl_osmesa.c
WEB_SKIP := $(NO_HDF5) $(NO_EGL) %/json_read.c %/process.c %/parallel.c %/gl_glfw.c %/gl_glfw_stub.c \
            %/gl_probe.c %/png.c %/ranks_open.c
WEB_SRC  := $(filter-out $(WEB_SKIP),$(sort $(wildcard $(ROOMS:%=src/%/*.c)))) src/inspect/inspector.c \
            $(addprefix src/measure/,bench.c card.c facts.c) $(sort $(wildcard src/web/*.c))
WEB_OBJ  := $(patsubst src/%.c,$(WEB)/obj/%.o,$(WEB_SRC)) $(patsubst %,$(WEB)/obj/gen/%.o,shaders paper font)
WEB_FLAGS := -std=c11 -D_GNU_SOURCE -Os -Wall -Wextra $(NUMERIC) -Isrc/web/include -Isrc -Isrc/include -I$(B)/gen -I$(WEB)/include -DHB_ONE_RELEASE -DGLEW_NO_GLU -DHB_VERSION='"$(VERSION)"'
EMCC     := NODE_PATH=/usr/share/nodejs emcc
# The clang that emcc would start, with emcc's options, compiles the objects: emcc itself takes five times as long to start. The name
# of this clang ends in a version where emcc's configuration has one: Debian 13's is /usr/bin/clang-19, upstream's has none. Both are
# looked up once, by the first object.
WEB_CLANG = $(shell em-config LLVM_ROOT)/clang$(patsubst %,-%,$(filter-out None,$(shell em-config CLANG_ADD_VERSION 2>/dev/null)))
existing  = $(or $(wildcard $(1)),$(error emcc is set up to compile with $(1), which does not exist; set EM_LLVM_ROOT to the folder of this clang))
WEB_CC    = $(eval WEB_CC := $(call existing,$(WEB_CLANG)) $(shell $(EMCC) -Os --cflags))$(WEB_CC)
WEB_LINK := -Os -sMIN_WEBGL_VERSION=2 -sMAX_WEBGL_VERSION=2 -sALLOW_MEMORY_GROWTH=1 -sMODULARIZE=1 -sEXPORT_NAME=Holmberg -sENVIRONMENT=web,worker \
            -sEXPORTED_RUNTIME_METHODS=ccall,allocateUTF8,FS,UTF8ToString -sEXPORTED_FUNCTIONS=_malloc,_free -sINITIAL_MEMORY=33554432 -sTOTAL_STACK=4194304 --no-entry
WEB_SLEEP := -sASYNCIFY=1 -sASYNCIFY_STACK_SIZE=65536 -sASYNCIFY_REMOVE=$$(cat $(WEB)/obj/awake)

web: deps-web
	$(Q)$(MAKE) --no-print-directory $(JOBS) $(WEB)/index.html $(WEB)/holmberg.html $(WEB)/guide.html

$(WEB)/include: ; $(Q)mkdir -p $@/GL && ln -sf /usr/include/GL/glew.h $@/GL/glew.h && ln -sfn /usr/include/Random123 $@/Random123
$(WEB)/obj/base/rng.o: WEB_ALSO = -D__riscv
$(WEB)/obj/%.o: src/%.c Makefile | $(WEB)/include
	$(call say,EMCC,$<)
	$(Q)mkdir -p $(@D) && $(WEB_CC) $(WEB_FLAGS) $(WEB_ALSO) -MMD -MP -c -o $@ $<
# WebGL 2 has no compute shaders.
$(WEB)/gen/shaders.c: Makefile tools/embed.sh $(SHADERS)
	$(Q)mkdir -p $(@D) && tools/embed.sh gl/gl_shader.h hb_gl_shader_file shaders $(filter-out %.comp,$(SHADERS)) >$@
$(WEB)/obj/gen/shaders.o: $(WEB)/gen/shaders.c
# The race's ghosts ask for Table 2 alone.
$(WEB)/gen/paper.c: Makefile tools/embed.sh data/paper/table2.csv
	$(Q)mkdir -p $(@D) && tools/embed.sh perf/paper.h hb_paper_file data/paper data/paper/table2.csv >$@
$(WEB)/obj/gen/paper.o: $(WEB)/gen/paper.c
$(WEB)/obj/gen/font.o: $(B)/gen/font.c
$(patsubst %,$(WEB)/obj/gen/%.o,shaders paper font): | $(WEB)/include
	$(call say,EMCC,$<)
	$(Q)mkdir -p $(@D) && $(WEB_CC) $(WEB_FLAGS) -c -o $@ $<

$(WEB)/holmberg.js: $(WEB_OBJ) src/web/awake.txt tools/check_awake.py
	$(call say,LINK,$@)
	$(Q)$(EMCC) $(WEB_LINK) -O1 -g2 -o $(WEB)/obj/named.js $(WEB_OBJ)
	$(Q)wasm-dis $(WEB)/obj/named.wasm | tools/check_awake.py src/web/awake.txt $(WEB_SRC) >$(WEB)/obj/awake
	$(Q)$(EMCC) $(WEB_LINK) $(WEB_SLEEP) -o $@ $(WEB_OBJ)
$(WEB)/index.html: $(WEB)/holmberg.js $(wildcard src/web/page.*) $(wildcard src/web/*.js) $(wildcard shaders/exercises/*) tools/page.sh
	$(call say,PAGE,$@)
	$(Q)tools/page.sh src/web/page.html >$@ && cp src/web/page.css $(filter-out src/web/guide.js,$(wildcard src/web/*.js)) $(WEB)
# The guided page, and the lesson's sheets and slides: one source, shaders/lesson.txt, whose shaders/LESSON.md is in the repository.
$(WEB)/guide.html: shaders/lesson.txt tools/lesson.py tools/slides.py $(wildcard src/web/guide.* src/web/gallery* src/web/gallery/* data/measured/lesson.csv) $(SHADERS)
	$(call say,PAGE,$@)
	$(Q)mkdir -p $(WEB) && cp -r src/web/gallery $(WEB)
	$(Q)for kind in student teacher slides guide; do tools/lesson.py $$kind >$(WEB)/$$kind.html || exit; done
# Pictures of the gallery, all by one build: tests/web/guide.py opens each link in Chromium, waits, and keeps what it sees.
gallery: web
	$(Q)GALLERY=src/web/gallery tests/web/guide.py chromium $(WEB) 'link of the gallery' && $(MAKE) --no-print-directory $(WEB)/guide.html
# Opens from a disk, where a browser loads no second file.
$(WEB)/holmberg.html: $(WEB)/index.html
	$(call say,PAGE,$@)
	$(Q)tools/page.sh src/web/page.html $(WEB) >$@

# The program for Windows, by MinGW: with GLFW's contexts, without HDF5, reproduce and child programs for drivers. posix.h is
# included before every file. tools/windows.sh builds the libraries that Debian has no MinGW packages of, from its sources.
WINDOWS  := $(B)/windows
WIN_SKIP := $(NO_HDF5) $(NO_EGL) %/process.c %/ranks_open.c %/gl_glfw_stub.c %/run_serve.c src/abi/% src/child/% src/lib/% src/manual/% src/mpi/% src/report/% src/web/%
WIN_OBJ  := $(patsubst src/%.c,$(WINDOWS)/obj/%.o,$(filter-out $(WIN_SKIP),$(wildcard src/*/*.c))) $(patsubst %,$(WINDOWS)/obj/gen/%.o,shaders paper font)
WIN_CC   := x86_64-w64-mingw32-gcc
WIN_FLAGS := -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D__USE_MINGW_ANSI_STDIO=1 -O3 $(WARN) -Wno-format $(NUMERIC) -fopenmp-simd \
            -include src/windows/posix.h -Isrc/windows/include -Isrc -Isrc/include -I$(B)/gen -DHB_ONE_RELEASE -isystem $(WINDOWS)/include -DHB_VERSION='"$(VERSION)"'
WIN_LIBS := -L$(WINDOWS)/lib -lglfw3 -lpng -lcjson -lz -lgdi32 -lpthread -lm

windows: deps-windows
	$(Q)tools/windows.sh $(WINDOWS) $(WIN_CC)
	$(Q)$(MAKE) --no-print-directory $(JOBS) $(WINDOWS)/holmberg.exe

$(WINDOWS)/obj/%.o: src/%.c Makefile
	$(call say,MINGW,$<)
	$(Q)mkdir -p $(@D) && $(WIN_CC) $(WIN_FLAGS) -MMD -MP -c -o $@ $<
$(WINDOWS)/obj/gen/%.o: $(B)/gen/%.c
	$(call say,MINGW,$<)
	$(Q)mkdir -p $(@D) && $(WIN_CC) $(WIN_FLAGS) -c -o $@ $<
$(WINDOWS)/holmberg.exe: $(WIN_OBJ)
	$(call say,LINK,$@)
	$(Q)$(WIN_CC) -static -o $@ $^ $(WIN_LIBS)

LINKED := $(B)/libprogram.a $(B)/libholmberg.a
TESTED := $(CALLS:%=$(B)/libholmberg-%.a) $(LINKED)

$(B)/holmberg: $(CLI_OBJ) $(LINKED)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# In a wheel of Python what they need lies beside them: src/python/wheel.py. An RPATH counts for what that needs, too, but not
# for what a library loads later: HDF5 is among it from the start.
$(B)/wheel/%: LDFLAGS += -Wl,--disable-new-dtags,-rpath,'$$ORIGIN' -Wl,--push-state,--no-as-needed $(HDF5_LIBS) -Wl,--pop-state
$(B)/holmberg-child $(B)/wheel/holmberg-child: $(CHILD) $(B)/libholmberg.a
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/holmberg-mpi.so: src/mpi/ranks_mpi.c src/base/ranks.h src/base/status.h $(B)/flags
	$(call say,MPI,$@)
	$(Q)$(MPICC) -shared $(CFLAGS) -fvisibility=default $(LDFLAGS) -o $@ $<

$(B)/libholmberg.a: $(LIB_OBJ)
$(B)/libprogram.a: $(OWN_OBJ)
$(B)/%.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/manual-maker: $(MANUAL) $(filter-out %/main.o,$(CLI_OBJ)) $(LINKED)
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(B)/manual/holmberg.1: $(B)/manual-maker tools/manual.sh tools/man_markdown.awk tools/man_header.awk $(HEADERS) data/FORMATS.md shaders/interactions/README.md src/cli/README.md
	$(call say,GEN,$(@D))
	$(Q)tools/manual.sh $(B) $(VERSION) $(DATE) $(HEADERS)

# Never unloaded: its helper threads wait for the next loop. It calls its own functions, whatever else a program links.
# Where a call has sizes, its plain name is that of 0.1 (abi/frozen.c); the library's own functions of these names get others.
FROZEN := $(B)/obj/abi/frozen.o
$(B)/gen/own.o: $(LIB_OBJ) $(PUBLIC)
	$(Q)mkdir -p $(@D) && sed -n 's/^#define \(hb_[a-z0-9_]*\)(\.\.\.).*/\1 \1_own/p' $(PUBLIC) >$@.names
	$(Q)$(CC) -r -nostdlib -o $@ $(LIB_OBJ) && $(OBJCOPY) --redefine-syms=$@.names $@
$(B)/$(SONAME) $(B)/wheel/$(SONAME): $(B)/gen/own.o $(FROZEN) $(B)/gen/exports.map
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) -shared $(LDFLAGS) -Wl,-soname,$(SONAME) -Wl,--version-script=$(B)/gen/exports.map -Wl,--as-needed \
	  -Wl,-z,nodelete -Wl,-Bsymbolic-functions $(if $(SANITIZE),,-Wl,--no-undefined) -o $@ $(B)/gen/own.o $(FROZEN) $(LDLIBS)
	$(Q)ln -sf $(SONAME) $(@D)/libholmberg.so

$(foreach name,$(CALLS),$(eval $(B)/libholmberg-$(name).a: $($(name)_OBJ)))
$(B)/libholmberg-%.so.1: $(B)/libholmberg-%.a $(B)/gen/%.map $(B)/libholmberg.a
	$(call say,LINK,$@)
	$(Q)$(CC) -shared $(LDFLAGS) -Wl,-soname,$(@F) -Wl,--version-script=$(B)/gen/$*.map -Wl,--as-needed \
	  -Wl,-z,nodelete $(if $(SANITIZE),,-Wl,--no-undefined) -o $@ -Wl,--whole-archive $< -Wl,--no-whole-archive \
	  $(B)/libholmberg.a $(LDLIBS)
	$(Q)ln -sf $(@F) $(B)/libholmberg-$*.so

$(B)/gen/%.map: tools/exports.sh src/include/holmberg/%.h $(B)/libholmberg-%.a
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && tools/exports.sh HOLMBERG_$*_1 src/include/holmberg/$*.h $(B)/libholmberg-$*.a >$@

$(B)/gen/exports.map: tools/exports.sh $(PUBLIC) $(LIB_OBJ)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && tools/exports.sh HOLMBERG_1 '$(PUBLIC)' $(LIB_OBJ) >$@

# HDF5 is loaded at the first of its files. Its calls and its name for the loader are those of the calling source linked with
# it, where tools/debian/rules finds what packages depend on, too.
$(B)/hdf5_calls.so: src/io/snapshot_hdf5.c $(B)/flags $(B)/hdf5
	$(call say,LINK,$@)
	$(Q)mkdir -p $(B)/obj && sed 's/<hdf5_calls.h>/<hdf5.h>/' $< | $(CC) -shared $(CFLAGS) -O0 -w -DHB_HDF5_NAMES= -DHB_HDF5_LIBRARY=NULL $(LDFLAGS) -Wl,--unresolved-symbols=ignore-all \
	  -MMD -MP -MT $@ -MF $(B)/obj/hdf5_calls.d -o $@ -x c - -x none $(HDF5_LIBS)
$(B)/gen/hdf5_calls.h: $(B)/hdf5_calls.so
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && { echo '#include <hdf5.h>' && readelf -d $< | sed -n 's/.*(NEEDED).*\[\(libhdf5.*\)\]/#define HB_HDF5_LIBRARY "\1"/p' && \
	  nm -Du $< | sed -n 's/.* \(H5[^@]*\).*/\1/p' | awk '{ printf "#define %s (*(__typeof__(%s) *)hdf5[%d])\n", $$1, $$1, NR - 1; names = names "\"" $$1 "\"," } \
	  END { print "#define HB_HDF5_NAMES " names }'; } >$@
	$(Q)grep -q '_LIBRARY ' $@ && grep -q '"H5Fopen"' $@ || { rm $@; echo 'holmberg: HDF5 is found as it will be loaded: this needs its shared library, and readelf and nm' >&2; exit 1; }
$(B)/obj/io/snapshot_hdf5.o: $(B)/gen/hdf5_calls.h

$(B)/obj/%.o: src/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)$(compile)

$(B)/obj/gen/%.o: $(B)/gen/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)$(compile)

$(B)/gen/shaders.c: Makefile tools/embed.sh $(SHADERS)
	$(call say,EMBED,shaders)
	$(Q)mkdir -p $(@D) && tools/embed.sh gl/gl_shader.h hb_gl_shader_file shaders $(SHADERS) >$@

$(B)/gen/font.c: Makefile tools/embed.sh src/render/font.txt
	$(call say,EMBED,src/render/font.txt)
	$(Q)mkdir -p $(@D) && tools/embed.sh render/paint.h hb_font_file src/render src/render/font.txt >$@

$(B)/gen/paper.c: Makefile tools/embed.sh $(PAPERS)
	$(call say,EMBED,data/paper)
	$(Q)mkdir -p $(@D) && tools/embed.sh perf/paper.h hb_paper_file data/paper $(PAPERS) >$@

$(B)/gen/templates.c: Makefile tools/embed.sh $(REPORT)
	$(call say,EMBED,data/report)
	$(Q)mkdir -p $(@D) && tools/embed.sh report/built_in.h hb_template_file data/report $(REPORT) >$@

# The commit that is built, for the reports of `holmberg reproduce`.
$(B)/gen/commit.c: FORCE
	@mkdir -p $(@D); printf '%s\n' '#include "report/built_in.h"' "const char hb_commit[] = \"$(COMMIT)\";" | cmp -s - $@ || \
	  printf '%s\n' '#include "report/built_in.h"' "const char hb_commit[] = \"$(COMMIT)\";" >$@

$(B)/obj/tests/%.o: ALSO = -Itests -O1 -g1# half of a test's compiling would be for its speed
$(B)/obj/tests/%.o: tests/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)$(compile)

# The tests in one program, each under its name; but test_fuzz, which answers some calls of the program itself. A test of a
# module's inside includes its source: others see no more of a test than its name.
$(B)/obj/tests/unit/%.o: tests/unit/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)$(compile)
	$(Q)$(if $(filter test_fuzz,$*),,objcopy --redefine-sym main=$*_main -G $*_main $@)
$(patsubst %,$(B)/obj/tests/%.o,$(addprefix fuzz/fuzz_,checkpoint files hdf5 pairs script terms words) support/canvas): $(B)/obj/%.o: %.c $(B)/flags
	$(call say,CC,$<)
	$(Q)$(compile)
	$(Q)objcopy -w -G 'fuzz_*' -G '__wrap_*' -G 'hb_canvas_*' $@

$(B)/gen/tests.h: FORCE
	@mkdir -p $(@D); printf 'TEST(%s)\n' $(filter-out test_fuzz,$(UNIT)) | cmp -s - $@ || printf 'TEST(%s)\n' $(filter-out test_fuzz,$(UNIT)) >$@
$(B)/obj/tests/runner.o: $(B)/gen/tests.h

$(B)/tests/runner: $(B)/obj/tests/runner.o $(patsubst %,$(B)/obj/tests/unit/%.o,$(filter-out test_fuzz,$(UNIT)))
$(B)/tests/test_fuzz: $(B)/obj/tests/unit/test_fuzz.o $(filter-out %/fuzz_main.o,$(FUZZ_OBJ))
$(B)/tests/runner $(B)/tests/test_fuzz: $(HELPERS) $(TESTED) | $(B)/holmberg-child
	$(call say,LINK,$@)
	$(Q)mkdir -p $(@D) && $(CC) $(LDFLAGS) -o $@ $(filter %.o,$^) $(TESTED) $(LDLIBS) $(HDF5_LIBS) -lcmocka

$(filter-out %/test_fuzz,$(TESTS)): $(B)/tests/runner
	$(Q)ln -sf runner $@

$(B)/tests/test_fuzz $(B)/fuzzer: LDFLAGS += $(FUZZ_FAKES)

$(B)/fuzzer: $(FUZZ_OBJ) $(LINKED) | $(B)/holmberg-child
	$(call say,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS) $(HDF5_LIBS)

# Objects depend on the flags they were made with and on the list of sources, what is loaded later on its version.
$(B)/flags: with = $(CC) $(subst ','\'',$(CFLAGS)) $(SOURCES)
$(B)/hdf5: with = $(HDF5_LIBS) $(call pkg,--modversion $(HDF5))
$(B)/flags $(B)/hdf5: FORCE
	@mkdir -p $(@D); printf '%s\n' '$(with)' | cmp -s - $@ || printf '%s\n' '$(with)' >$@
.PHONY: FORCE
FORCE:

-include $(shell find $(B)/obj $(WEB)/obj $(WINDOWS)/obj -name '*.d' 2>/dev/null)
