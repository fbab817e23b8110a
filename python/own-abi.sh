#!/usr/bin/env bash
# Prints the ABI of a free-threaded interpreter, which loads extensions that were built for it alone: own-abi.sh INTERPRETER
# Of other interpreters nothing is printed: one extension of the stable ABI serves all their versions.
set -euo pipefail
"${1:-python3}" -c '
import sysconfig
print(sysconfig.get_config_var("SOABI") if sysconfig.get_config_var("Py_GIL_DISABLED") else "")' 2>/dev/null || true
