#!/usr/bin/env bash
# run_all.sh SECONDS OUT [TARGET…]: runs every fuzz target (or those named) in turn, one process a core. Each gets
# SECONDS of processor time, so that a busy machine shortens nothing. It runs from the folder that pack.sh made and needs
# nothing but bash, coreutils and awk. Writes OUT/summary.json and, a target: its corpus, its logs, and the input of each
# crash. On SIGTERM to its process group it sums up what was done; with the same OUT it goes on from there. Exit 1 if
# there was a crash.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ $# -lt 2 ]; then
  echo "usage: run_all.sh SECONDS OUT [TARGET…]" >&2
  exit 2
fi
seconds=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
cores=$(nproc)
if [ $# -gt 0 ]; then targets=("$@"); else
  targets=()
  for program in "$here"/fuzz-*; do targets+=("${program##*/fuzz-}"); done
fi
export ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1:symbolize=0"
export UBSAN_OPTIONS="print_stacktrace=1"

stopping=0
trap 'stopping=1' TERM

used_by() { awk '{ s += $1 + $2 } END { printf "%d", s }' "$1"; }

# One process until its share of the time is used, started again after each crash and every few minutes.
worker() { # TARGET NUMBER
  local folder=$out/$1 share=$(((seconds + cores - 1) / cores)) round left
  trap 'stopping=1' TERM
  round=$(find "$folder" -name "log.$2.*" | wc -l)
  touch "$folder/cpu.$2"
  while left=$((share - $(used_by "$folder/cpu.$2"))) && [ $left -gt 0 ] && [ $stopping = 0 ] &&
    [ "$(find "$folder/crashes" -type f | wc -l)" -lt 20 ]; do
    { TIMEFORMAT='%U %S'; time "$here/fuzz-$1" -max_total_time=$((left < 300 ? left : 300)) -timeout=120 -rss_limit_mb=3000 \
      -reload=1 -print_final_stats=1 -seed=$((RANDOM * 32768 + $2 + 1)) -artifact_prefix="$folder/crashes/" \
      "$folder/corpus" "$here/seeds/$1" >"$folder/log.$2.$round" 2>&1 || true; } 2>>"$folder/cpu.$2"
    round=$((round + 1))
  done
}

summarise() { # TARGET
  local folder=$out/$1 crashes
  crashes=$(find "$folder/crashes" -type f | wc -l)
  cat "$folder"/log.* | awk -v target="$1" -v processes="$cores" -v crashes="$crashes" -v cpu="$(
    cat "$folder"/cpu.* | awk '{ s += $1 + $2 } END { printf "%.1f", s }')" -v corpus="$(find "$folder/corpus" -type f | wc -l)" '
    /stat::number_of_executed_units:/ { executions += $2 }
    match($0, /cov: [0-9]+/) { c = substr($0, RSTART + 5, RLENGTH - 5) + 0; if (c > coverage) coverage = c }
    match($0, /ft: [0-9]+/) { f = substr($0, RSTART + 4, RLENGTH - 4) + 0; if (f > features) features = f }
    END { printf "{\"target\":\"%s\",\"processes\":%d,\"cpu_s\":%s,\"executions\":%d,\"coverage\":%d,\"features\":%d,\"corpus\":%d,\"crashes\":%d}",
            target, processes, cpu, executions, coverage, features, corpus, crashes }'
}

lines=()
for target in "${targets[@]}"; do
  mkdir -p "$out/$target/corpus" "$out/$target/crashes"
  for number in $(seq "$cores"); do worker "$target" "$number" & done
  while ! wait; do :; done # a signal ends a wait, not the workers' last lines
  line=$(summarise "$target")
  lines+=("$line")
  echo "$line"
  [ $stopping = 0 ] || break
done
{
  printf '{"cores":%d,"targets":[' "$cores"
  (IFS=,; printf '%s' "${lines[*]}")
  printf ']}\n'
} >"$out/summary.json"
! grep -q '"crashes":[1-9]' "$out/summary.json"
