#!/usr/bin/env bash
# Installs what some tests need from Debian and skip without: dig, of dnsutils, and promtool, of prometheus. Needs root, or
# sudo without a password.
set -euo pipefail
missing=()
command -v dig > /dev/null || missing+=(dnsutils)
command -v promtool > /dev/null || missing+=(prometheus)
[ "${#missing[@]}" -gt 0 ] || exit 0
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "${missing[@]}" > /dev/null
