# To be sourced: makes PYTHON the absolute path of an interpreter, since scripts change folders.
PYTHON=$(command -v "${PYTHON:-python3}")
[[ $PYTHON == /* ]] || PYTHON=$PWD/$PYTHON
export PYTHON
