#!/usr/bin/env bash
# pack.sh BUILD FOLDER: from a built KEVOLVE_FUZZ build, a folder that runs on any Linux machine with the same or a newer
# C library: targets, the shared libraries they need (the C library's apart), seeds and run_all.sh.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -ne 2 ]; then
  echo "usage: pack.sh BUILD FOLDER" >&2
  exit 2
fi
mkdir -p "$2/lib" "$2/seeds"
for program in "$1"/fuzz/fuzz-*; do
  case $program in *-seeds) continue ;; esac
  cp "$program" "$2/"
  ldd "$program" | awk '$3 ~ /^\// { print $3 }' |
    grep -Ev '/(libc|libm|libmvec|libpthread|libdl|librt|libresolv|ld-linux[^/]*)\.so' | xargs -r cp -L -t "$2/lib"
done
"$1/fuzz/fuzz-seeds" "$2/seeds"
python3 "$here/seeds_syntax_tree.py" "$2/seeds"
for folder in "$here"/regressions/*/; do
  [ -d "$folder" ] && cp -r "$folder" "$2/seeds/"
done
cp "$here/run_all.sh" "$2/"
du -sh "$2"
