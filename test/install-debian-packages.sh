#!/usr/bin/env bash
# Installs what some tests need from Debian and skip without: dig, of dnsutils, prometheus with promtool, strace, curl, openssl, jq, xxd, zsh, fish, a browser
# without a screen, etcd, libfaketime, ssh-agent, and Go with the packages of its checksum database; then
# `unpack-debian-unstable.sh`. Needs root, or sudo without a password.
set -euo pipefail
missing=()
need() { command -v "$1" > /dev/null || missing+=("$2"); }
need dig dnsutils
need promtool prometheus
need strace strace
need chromium-headless-shell chromium-headless-shell
need curl curl
need openssl openssl
need jq jq
need xxd xxd
need zsh zsh
need fish fish
need etcd etcd-server
need etcdctl etcd-client
need ssh-agent openssh-client
need go golang-go
compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' > /dev/null || missing+=(libfaketime)
[ -d /usr/share/gocode/src/golang.org/x/mod/sumdb/note ] || missing+=(golang-golang-x-mod-dev)
as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
if [ "${#missing[@]}" -gt 0 ]; then
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends "${missing[@]}" > /dev/null
fi
"${as_root[@]}" bash "$(dirname "$0")/unpack-debian-unstable.sh"
