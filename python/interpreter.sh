# To be sourced: PYTHON becomes the whole path of an interpreter, since scripts change folders.
PYTHON=$(command -v "${PYTHON:-python3}")
[[ $PYTHON == /* ]] || PYTHON=$PWD/$PYTHON
export PYTHON
