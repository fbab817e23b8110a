#!/usr/bin/env bash
# Installs Chromium, for the tests of the page of `weft view`. Node.js with npm must be there: the tests and the build of the page need it.
# Safe to run again: where all is installed, nothing is done. Needs root and Debian's apt-get.
# If it fails, it prints the reason and ends with a status other than 0.
set -euo pipefail

. "$(dirname "$0")/install.sh"

for command in node npm; do
    command -v "$command" >/dev/null || refuse "there is no $command; install Node.js 20"
done
if ! command -v chromium >/dev/null; then
    need_apt "install Chromium by other means, as a command chromium"
    install_packages chromium
fi
