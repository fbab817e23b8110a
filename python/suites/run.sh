#!/usr/bin/env bash
# Builds the Python package and runs third-party test suites: run.sh [arguments of run.py]. PYTHON names an interpreter with NumPy, pytest,
# pytest-timeout, pytest-json-report, hypothesis and ndindex; PROFILE a build profile (dev).
set -euo pipefail
cd "$(dirname "$0")/../.."
package=$(python/package.sh)
PYTHONPATH=$package "${PYTHON:-python3}" python/suites/run.py "$@"
