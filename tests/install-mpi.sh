#!/usr/bin/env bash
# Installs Open MPI and MPICH side by side, for the tests that start several ranks and for builds with the feature `mpi`:
# mpirun.openmpi, mpirun.mpich, mpicc.openmpi, mpicc.mpich. Also libclang, which the crate `mpi` generates its bindings with,
# and numactl, which binds ranks to memory.
# Safe to run again: does nothing if everything is installed. Needs root, Debian's apt-get, and about half a minute.
# If it fails, it prints the reason and ends with a status other than 0.
set -euo pipefail

. "$(dirname "$0")/install.sh"

readonly packages=(openmpi-bin libopenmpi-dev mpich libmpich-dev libclang-dev numactl)
readonly commands=(mpirun.openmpi mpicc.openmpi mpirun.mpich mpicc.mpich numactl)

installed() {
    local command
    for command in "${commands[@]}"; do
        command -v "$command" >/dev/null || return 1
    done
    # A compiler wrapper without its headers does not count as an installation.
    local mpi
    for mpi in openmpi mpich; do
        echo '#include <mpi.h>' | "mpicc.$mpi" -E -x c - >/dev/null 2>&1 || return 1
    done
    compgen -G '/usr/lib/llvm-*/lib/libclang.so*' >/dev/null || compgen -G '/usr/lib/*/libclang*.so*' >/dev/null
}

versions() {
    mpirun.openmpi --version | head -n 1
    mpirun.mpich --version | sed -n 's/ *Version: */MPICH /p' | head -n 1
}

if installed; then
    versions
    exit 0
fi

need_apt "install Open MPI, MPICH and libclang with your own package manager"
install_packages "${packages[@]}"
installed || refuse "the packages are installed, but a command, mpi.h or libclang is still missing: ${commands[*]}"
versions
