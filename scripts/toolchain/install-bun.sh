# Sourced by the entry scripts: puts the Bun version of this repository on PATH.
# A Bun of another version only installs the right one; npm is preferred for that.

BUN_VERSION=1.4.5
BUN_FOLDER=.cache/bun

# A service account may have no writable home: caches then stay inside the checkout.
if [ -z "${HOME:-}" ] || [ ! -d "$HOME" ] || [ ! -w "$HOME" ]; then
  export BUN_INSTALL_CACHE_DIR="${BUN_INSTALL_CACHE_DIR:-$PWD/.cache/bun-packages}"
  export npm_config_cache="${npm_config_cache:-$PWD/.cache/npm}"
  export HOME="${HOME:-$PWD/.cache/home}"
fi

refuse() {
  printf '%s\n' "$1" >&2
  exit 1
}

is_right_bun() {
  [ "$("$1" --version 2>/dev/null || true)" = "$BUN_VERSION" ]
}

# Turns the messages of the installers into one sentence.
refuse_download() {
  case "$1" in
    *ENOSPC* | *'No space left'* | *NoSpaceLeft*)
      refuse "The disk is full: free 1 GB for $PWD and run $INVOKED_AS again." ;;
    *ENOTFOUND* | *EAI_AGAIN* | *ECONNREFUSED* | *ENETUNREACH* | *ETIMEDOUT* | *ECONNRESET* | *ConnectionRefused* | *FailedToOpenSocket* | *DNSResolveFailed*)
      refuse "The package registry cannot be reached: the first start downloads Bun $BUN_VERSION and the packages; connect to the network and run $INVOKED_AS again." ;;
    *EACCES* | *EROFS* | *'Permission denied'* | *'Read-only file system'*)
      refuse "$PWD/.cache cannot be written by $(id -un 2>/dev/null || id -u): run $INVOKED_AS as the owner of the checkout." ;;
  esac
  printf '%s\n' "$1" >&2
  refuse "Bun $BUN_VERSION could not be installed; the output of the installer is above."
}

# Installs into a temporary folder and renames it, so that an interrupted download is never used.
install_bun() {
  local staging="$BUN_FOLDER.$$" output
  command -v bun >/dev/null || { command -v npm >/dev/null && command -v node >/dev/null; } ||
    refuse "Neither Bun nor Node with npm is on PATH: install one of them, everything else is installed by $INVOKED_AS."
  printf 'Installing Bun %s\n' "$BUN_VERSION" >&2
  trap 'rm -rf "$BUN_FOLDER.$$"' EXIT
  output=$(mkdir -p "$staging" 2>&1) || refuse_download "$output"
  if command -v npm >/dev/null && command -v node >/dev/null; then
    # Not with --prefix: npm would then look for the machine's npmrc, with its proxy and certificates, in there too.
    output=$(cd "$staging" && echo '{}' >package.json && npm install --no-save --no-package-lock --no-audit --no-fund \
      --fetch-retries=2 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000 "bun@$BUN_VERSION" </dev/null 2>&1) ||
      refuse_download "$output"
  else
    output=$(cd "$staging" && echo '{}' >package.json && bun add --exact "bun@$BUN_VERSION" </dev/null 2>&1) ||
      refuse_download "$output"
  fi
  # With ignore-scripts, the package of Bun has not linked the binary of this platform.
  if ! is_right_bun "$staging/node_modules/.bin/bun"; then
    for binary in "$staging"/node_modules/@oven/*/bin/bun; do
      if is_right_bun "$binary"; then ln -sf "../${binary#"$staging/node_modules/"}" "$staging/node_modules/.bin/bun"; fi
    done
  fi
  is_right_bun "$staging/node_modules/.bin/bun" ||
    refuse "Bun $BUN_VERSION was downloaded but does not run here ($(uname -sm)): install Bun $BUN_VERSION by hand and put it on PATH."
  # Another start in this checkout may have finished first.
  if ! is_right_bun "$BUN_FOLDER/node_modules/.bin/bun"; then
    rm -rf "$BUN_FOLDER"
    mv "$staging" "$BUN_FOLDER"
  fi
  rm -rf "$staging"
  trap - EXIT
}

# The help needs no download. The words are those of the script that sources this one.
print_help() {
  local word help="scripts/commands/${INVOKED_AS##*/}/help.txt"
  for word in "$@"; do
    case "$word" in
      --help | -h) if [ -f "$help" ]; then printf '%s\n' "$(<"$help")"; exit 0; fi ;;
    esac
  done
}

if is_right_bun "$BUN_FOLDER/node_modules/.bin/bun"; then
  PATH="$PWD/$BUN_FOLDER/node_modules/.bin:$PATH"
elif ! is_right_bun bun; then
  print_help "$@"
  install_bun
  PATH="$PWD/$BUN_FOLDER/node_modules/.bin:$PATH"
fi
export PATH
