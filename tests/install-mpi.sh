#!/usr/bin/env bash
# Installs Open MPI and MPICH side by side, for the tests that start several ranks and for builds with the feature `mpi`:
# mpirun.openmpi, mpirun.mpich, mpicc.openmpi, mpicc.mpich. Also libclang, which the crate `mpi` generates its bindings with,
# and numactl, which binds ranks to memory.
# Safe to run again: where all is installed, nothing is done. Needs root, Debian's apt-get, and about half a minute.
# Ends with a status other than 0, and says why, where it could not.
set -euo pipefail

readonly tries=3
readonly packages=(openmpi-bin libopenmpi-dev mpich libmpich-dev libclang-dev numactl)
readonly commands=(mpirun.openmpi mpicc.openmpi mpirun.mpich mpicc.mpich numactl)

refuse() {
    echo "install-mpi: $1" >&2
    exit 1
}

installed() {
    local command
    for command in "${commands[@]}"; do
        command -v "$command" >/dev/null || return 1
    done
    # A compiler wrapper without its headers is no installation.
    local mpi
    for mpi in openmpi mpich; do
        echo '#include <mpi.h>' | "mpicc.$mpi" -E -x c - >/dev/null 2>&1 || return 1
    done
    compgen -G '/usr/lib/llvm-*/lib/libclang.so*' >/dev/null || compgen -G '/usr/lib/*/libclang*.so*' >/dev/null
}

attempt() {
    apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive \
            apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}

versions() {
    mpirun.openmpi --version | head -n 1
    mpirun.mpich --version | sed -n 's/ *Version: */MPICH /p' | head -n 1
}

if installed; then
    versions
    exit 0
fi

command -v apt-get >/dev/null || refuse "needs Debian's apt-get; install Open MPI, MPICH and libclang with your own package manager"
[ "$(id -u)" = 0 ] || refuse "needs root; run it with sudo"

for try in $(seq "$tries"); do
    if attempt; then
        break
    fi
    [ "$try" -lt "$tries" ] || refuse "the packages ${packages[*]} could not be installed in $tries tries; is the mirror down?"
    echo "install-mpi: try $try of $tries failed; again in $((try * 5)) seconds" >&2
    sleep "$((try * 5))"
done

installed || refuse "the packages are installed, but a command, mpi.h or libclang is still missing: ${commands[*]}"
versions
