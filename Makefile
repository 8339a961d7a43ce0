# Everyday commands. `make help` lists them. On Debian 12, as root or with sudo, each installs what it misses from the
# distribution (core/cmake/install-dependencies). Plain CMake works as well, see docs/building.md.
#
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
# What `make bench` measures; everything is described by `build/bin/bascule bench --help`.
BENCH_RESULTS ?= build/bench
BENCH_ARGUMENTS ?= --suite llm --backend cpu,opencl --json $(BENCH_RESULTS)/bench.json --html $(BENCH_RESULTS)/bench.html
TEST_JOBS ?= 2

install-dependencies := core/cmake/install-dependencies
# Only a build directory's first configuration chooses the generator.
configure = CMAKE_GENERATOR="$${CMAKE_GENERATOR:-$$(command -v ninja >/dev/null && echo Ninja || echo 'Unix Makefiles')}"; \
  export CMAKE_GENERATOR; \
  log=$$(mktemp) && if cmake --preset $(1) >"$$log" 2>&1; then rm -f "$$log"; else cat "$$log"; rm -f "$$log"; exit 1; fi
ctest = ctest --test-dir $(1) -j$(TEST_JOBS) --output-on-failure --no-tests=error --output-junit ctest.xml

.PHONY: evidence help build bench test check-sanitizers check-asan check-tsan peers gpu-bundle install clean
.DEFAULT_GOAL := help

help:
	@echo 'make build             build/bin/bascule, build/lib/libbascule.so, plugins in build/lib/bascule/plugins'
	@echo 'make bench             build, then compare the cpu and opencl backends over LLM shapes: a table here,'
	@echo '                       $(BENCH_RESULTS)/bench.json and bench.html (BENCH_ARGUMENTS="..." for other suites)'
	@echo 'make test              build, then the quick and full tests'
	@echo 'make check-sanitizers  the same tests under address + undefined and thread sanitizers (clang++-22)'
	@echo 'make peers             build/bin/bascule-peers: our CPU kernels against OpenBLAS, BLIS and oneDNN'
	@echo 'make evidence          docs/nvidia-kernels.md and amd-kernels.md: what the GPU kernels take, from ptxas >= 13 and nvdisasm'
	@echo '                       (PTXAS=..., NVDISASM=...; CUDA toolkit or pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm) and LLVM 22'
	@echo 'make gpu-bundle        build/bascule-gpu.tar.gz: unpacked on a bare machine with a GPU, ./run checks and measures everything'
	@echo '                       there in 8 minutes; here, tests/gpu/run does (docs/building.md)'
	@echo 'make install           install into PREFIX (now $(PREFIX)); DESTDIR is honoured'
	@echo 'make clean             remove build/, build-debug/, build-asan/, build-tsan/'

build:
	@$(install-dependencies) build
	@$(call configure,release)
	@cmake --build build --target programs -j$(JOBS)

bench:
	@$(install-dependencies) build run
	@$(MAKE) --no-print-directory build
	@mkdir -p $(BENCH_RESULTS)
	build/bin/bascule bench $(BENCH_ARGUMENTS)

test:
	@$(install-dependencies) build run dialect test
	@$(call configure,release)
	@cmake --build build -j$(JOBS)
	$(call ctest,build) -L 'quick|full'

check-sanitizers: # both, even if the first fails
	@result=0; for sanitizer in asan tsan; do \
	  $(MAKE) --no-print-directory check-$$sanitizer || result=1; \
	done; exit $$result

check-asan check-tsan: check-%:
	@$(install-dependencies) build run dialect test sanitizers
	@$(call configure,$*)
	@cmake --build build-$* -j$(JOBS)
	$(call ctest,build-$*) -L 'quick|full'

peers:
	@$(install-dependencies) build run peers
	@$(call configure,release)
	@cmake build -DBASCULE_BUILD_PEERS=ON >/dev/null
	@cmake --build build --target bascule-peers -j$(JOBS)

gpu-bundle:
	@$(install-dependencies) build dialect
	@$(call configure,release)
	@ptxas=$$(command -v '$(or $(PTXAS),ptxas)' || ls /usr/local/cuda/bin/ptxas 2>/dev/null); \
	  cmake build -DBASCULE_PTXAS="$$ptxas" -DBASCULE_KERNEL_CUBINS="$${ptxas:+sm_80;sm_90a}" >/dev/null
	@cmake --build build --target gpu_bundle -j$(JOBS)

evidence:
	@$(install-dependencies) build dialect evidence
	@$(call configure,release)
	@cmake --build build --target bascule_ptx_expand bascule_kernel_compiler -j$(JOBS)
	python3 kernels/ptx/evidence/evidence.py --root . --expander build/libexec/bascule/bascule-ptx-expand \
	  --compiler build/libexec/bascule/bascule-kernel-compiler $(if $(PTXAS),--ptxas '$(PTXAS)') $(if $(NVDISASM),--nvdisasm '$(NVDISASM)')

install: build
	cmake --install build --prefix '$(PREFIX)'

clean:
	rm -rf build build-debug build-asan build-tsan
