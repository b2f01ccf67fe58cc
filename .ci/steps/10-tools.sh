# What the other steps use: a C compiler for -race, an arm64 emulator, two Go tools.
command -v gcc >/dev/null || install_apt gcc
[ -e /usr/include/stdlib.h ] || install_apt libc6-dev
[ "$(uname -m)" = aarch64 ] || command -v qemu-aarch64 >/dev/null || install_apt qemu-user
GOFLAGS= go install "$GOFUMPT"
GOFLAGS= go install "$STATICCHECK"
[ "$(uname -m)" = aarch64 ] || command -v clang++-19 >/dev/null || install_apt clang-19
command -v g++ >/dev/null || install_apt g++
