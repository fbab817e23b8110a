#!/usr/bin/env bash
# Prints the ABI of a free-threaded interpreter, which loads only extensions built for it: own-abi.sh INTERPRETER
# Prints nothing for other interpreters, since an extension of the stable ABI works with all their versions.
set -euo pipefail
"${1:-python3}" -c '
import sysconfig
print(sysconfig.get_config_var("SOABI") if sysconfig.get_config_var("Py_GIL_DISABLED") else "")' 2>/dev/null || true
