# Shared by tools/quickstart and tools/check: packages and the Release build. Sourced, not run.

say() { printf '\n== %s\n' "$*" >&2; }

# Packages of the named sections of tools/packages.txt.
packages_of() {
  awk -v wanted=" $* " '
    /^\[/ { section = substr($0, 2, length($0) - 2); next }
    NF && $1 !~ /^#/ && index(wanted, " " section " ") { print $1 }
  ' "$root/tools/packages.txt"
}

# Installs what is missing of the named sections; asks nothing and touches no network when nothing is.
install_packages() {
  local missing=() package
  for package in $(packages_of "$@"); do
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  say "installing ${missing[*]}"
  local become=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
      echo "these packages are missing and there is no sudo; as root: apt-get install ${missing[*]}" >&2
      return 1
    }
    become=(sudo)
  fi
  local apt=("${become[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update
  "${apt[@]}" install --no-install-recommends "${missing[@]}"
}

# Compilers running at once: one a core, and 1.5 GiB of memory for each.
build_jobs() {
  local cores by_memory
  cores=$(nproc)
  by_memory=$(awk '/MemAvailable/ { n = int($2 / 1572864); print (n > 0 ? n : 1) }' /proc/meminfo)
  echo $((cores < by_memory ? cores : by_memory))
}

# configure NAME=VALUE…: the release preset, into build/.
configure() {
  local definitions=() pair
  for pair in "$@"; do definitions+=("-D$pair"); done
  cmake --preset release "${definitions[@]}" >"$root/build.log" 2>&1 || {
    cat "$root/build.log" >&2
    return 1
  }
  rm -f "$root/build.log"
}

# python_with NAME REQUIREMENTS IMPORTS SECONDS: prints a Python with what the file REQUIREMENTS pins, in the environment
# build/NAME-…. It is made once, within the time; where that fails nothing is printed, and tests that need it are skipped
# by name.
python_with() {
  local wanted=$root/$2 folder
  folder=$root/build/$1-$(sha256sum "$wanted" | cut -c1-12)
  if [ ! -e "$folder/complete" ]; then
    say "installing the packages of $2 into $folder"
    rm -rf "$folder"
    python3 -m venv "$folder" >&2 &&
      timeout "$4" "$folder/bin/python" -m pip install -q --disable-pip-version-check -r "$wanted" >&2 &&
      "$folder/bin/python" -c "import $3" >&2 && touch "$folder/complete" || {
      echo "the packages of $2 could not be installed; their tests are skipped" >&2
      rm -rf "$folder"
      return 0
    }
  fi
  echo "$folder/bin/python"
}

# PyTorch and what else its tests need.
torch_python() { python_with torch tests/framework/requirements.txt 'torch, numpy, expecttest' 300; }

# Validators of Kubernetes manifests and container files.
starters_python() { python_with starters tests/cluster/starters/requirements.txt kubernetes_validate 120; }
