#!/usr/bin/env bash
# Common functions of the scripts that install packages; sourced by install-mpi.sh, install-nsys.sh and python/free-threaded.sh.
# Debian's mirrors fail occasionally, so everything is retried.

readonly tries=3

# The name of the running script, without folder and extension.
name=$(basename "$0" .sh)
readonly name

# Ends the script with the reason.
refuse() {
    echo "$name: $1" >&2
    exit 1
}

# Ends the script if packages cannot be installed here; the message helps users of other systems.
need_apt() {
    command -v apt-get >/dev/null || refuse "needs Debian's apt-get; $1"
    [ "$(id -u)" = 0 ] || refuse "needs root; run it with sudo"
}

attempt() {
    apt-get update -qq &&
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

# Installs Debian packages.
install_packages() {
    local try
    for try in $(seq "$tries"); do
        if attempt "$@"; then
            return
        fi
        [ "$try" -lt "$tries" ] || refuse "$* could not be installed in $tries tries; is the mirror down?"
        echo "$name: try $try of $tries failed; again in $((try * 5)) seconds" >&2
        sleep "$((try * 5))"
    done
}
