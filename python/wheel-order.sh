#!/usr/bin/env bash
# Prints the targets of wheels, one per line, in the order to build them: wheel-order.sh HOST [TARGET...]
# HOST, this machine's kind, comes first, since only its package can compile the kernels that all wheels hold. Without targets it is the only one.
set -euo pipefail
host=$1
shift
others=()
is_asked=
for target in "$@"; do
    if [ "$target" = "$host" ]; then
        is_asked=1
    else
        others+=("$target")
    fi
done
if [ -n "$is_asked" ] || [ $# -eq 0 ]; then
    echo "$host"
else
    echo "no bundle: none of the targets is $host, whose package compiles the kernels" >&2
fi
if [ ${#others[@]} -gt 0 ]; then
    printf '%s\n' "${others[@]}"
fi
