# The same bits on another processor, emulated. Shortened: emulation is slow. Without the GPU, whose library is loaded by a
# dynamic loader that the emulator has none of.
emulator=()
[ "$(uname -m)" = aarch64 ] || emulator=(-exec qemu-aarch64)
# shellcheck disable=SC2046,SC2086
counted arm64 env GOOS=linux GOARCH=arm64 CGO_ENABLED=0 go test -tags nogpu "${emulator[@]}" -short -v -timeout 8m $(existing $SAME_BITS_PACKAGES)
