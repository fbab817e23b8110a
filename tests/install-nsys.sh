#!/usr/bin/env bash
# Installs Nsight Systems from Debian's component non-free, for the tests that need `nsys`.
# Safe to run again: does nothing if it is installed. Needs root, Debian 12 or later, and about half a minute.
# If it fails, it prints the reason and ends with a status other than 0.
set -euo pipefail

. "$(dirname "$0")/install.sh"

readonly library=/usr/lib/x86_64-linux-gnu/nsight-systems
readonly sources=/etc/apt/sources.list.d/debian.sources

# The report of a run is written by the host part: nsys alone is not enough.
installed() {
    command -v nsys >/dev/null && nsys --version >/dev/null 2>&1 && {
        # NVIDIA's own packages install the host part in the expected folder.
        [ ! -d "$library" ] || [ -x "$library/host-linux-x64/QdstrmImporter" ]
    }
}

if installed; then
    nsys --version
    exit 0
fi

[ "$(uname -m)" = x86_64 ] || refuse "only for x86-64; install Nsight Systems from https://developer.nvidia.com/nsight-systems"
need_apt "install Nsight Systems from https://developer.nvidia.com/nsight-systems"

if [ -f "$sources" ]; then
    sed -i 's/^Components: main$/Components: main contrib non-free/' "$sources"
fi

install_packages nsight-systems

# nsys looks for its host part next to its target part. Debian's package puts it elsewhere.
if [ -d /usr/lib/nsight-systems/host-linux-x64 ] && [ -d "$library" ]; then
    ln -sfn /usr/lib/nsight-systems/host-linux-x64 "$library/host-linux-x64"
fi

installed || refuse "nsight-systems is installed, but nsys does not start or lacks its host part"
nsys --version
