#!/usr/bin/env bash
# Installs Chromium, for the tests of the page of `weft view`. Needs Node.js with npm, as do the tests and the build of the page.
# Safe to run again: does nothing if everything is installed. Needs root and Debian's apt-get.
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
