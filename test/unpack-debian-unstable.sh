#!/usr/bin/env bash
# Unpacks Go, the sources of tessera and torchwood, and litewitness from Debian's unstable suite into a folder of their own, which the suite of the
# machine does not have. Where the suite cannot be reached, or no longer has what the tests build, the folder stays away and its reason is written
# beside it: the tests that need it are skipped with that reason, also with `CI` set. Needs root and a machine with Debian.
set -euo pipefail
programs=$(cd "$(dirname "$0")/support" && pwd)
folder=/usr/local/lib/annals-tests/unstable
libraries=(golang-github-transparency-dev-tessera-dev golang-filippo-torchwood-dev torchwood golang-github-transparency-dev-merkle-dev
  golang-github-transparency-dev-formats-dev golang-golang-x-mod-dev golang-golang-x-crypto-dev golang-golang-x-sync-dev golang-k8s-klog-dev
  golang-github-go-logr-logr-dev golang-github-go-logr-stdr-dev golang-opentelemetry-otel-dev golang-github-cespare-xxhash-v2-dev)
[ "$(cat "$folder/packages" 2> /dev/null)" = "${libraries[*]}" ] && exit 0
mkdir -p "$(dirname "$folder")"
new=$(mktemp -d "$folder.XXXXXX")
reason="$folder.unavailable"
trap 'rm -rf "$new"' EXIT
# The reason for a failure of the next commands.
unless=''
trap 'rm -rf "$folder"; echo "$unless" | tee "$reason"; exit 0' ERR

unless='no mirror of Debian is configured'
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/$')
mkdir -p "$new"/apt/{lists,archives}/partial "$new/debs" "$new/root"
touch "$new/apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror unstable main" > "$new/apt/sources.list"
apt=(-qq -o Dir::Etc::sourcelist="$new/apt/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State="$new/apt" -o Dir::State::status="$new/apt/status"
  -o Dir::Cache="$new/apt" -o APT::Sandbox::User=root -o APT::Update::Error-Mode=any -o Acquire::Retries=1 -o Acquire::http::Timeout=20)
unless="the unstable suite of Debian cannot be reached"
timeout 120 apt-get "${apt[@]}" update > /dev/null
unless="the unstable suite of Debian has not all packages that the tests need"
go=$(apt-cache "${apt[@]}" depends golang-go | sed -n 's/.*Depends: \(golang-[0-9.]*\)-go$/\1/p')
cd "$new/debs"
timeout 300 apt-get "${apt[@]}" download "$go-go" "$go-src" "${libraries[@]}"
unless="the packages of Debian's unstable suite have another form than the tests expect"
for package in *.deb; do dpkg-deb -x "$package" "$new/root"; done
mv "$new/root/usr/lib/go-${go#golang-}" "$new/root/usr/lib/go"
echo "${libraries[*]}" > "$new/root/packages"
chmod 755 "$new/root"
rm -rf "$folder"
mv "$new/root" "$folder"
unless="the sources in Debian's unstable suite do not build"
# This fills the cache of Go, too.
cd "$programs/tlog-checker"
GOROOT=$folder/usr/lib/go GOPATH=$folder/usr/share/gocode GO111MODULE=off GOTOOLCHAIN=local CGO_ENABLED=0 "$folder/usr/lib/go/bin/go" build -o /dev/null .
rm -f "$reason"
