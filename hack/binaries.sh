#!/usr/bin/env bash
# Builds the binaries of a release: an archive for each system, a list of the modules in them (SBOM), and SHA256SUMS.
set -euo pipefail

version=${1:?usage: binaries.sh VERSION FOLDER}
folder=${2:?usage: binaries.sh VERSION FOLDER}
systems=${SYSTEMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}

mkdir -p "$folder"
for system in $systems; do
  os=${system%/*} arch=${system#*/}
  work=$(mktemp -d)
  CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -ldflags "-s -w -X main.version=${version#v}" -o "$work/sightline" ./cmd/sightline
  go version -m "$work/sightline" | sed '1s/.*: /sightline: /' >"$folder/sightline-$os-$arch.modules.txt"
  # The same bytes whenever it is built: sorted, without owner, time or user.
  tar --create --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --directory "$work" sightline | gzip -n >"$folder/sightline-$os-$arch.tar.gz"
  rm -rf "$work"
done
cd "$folder"
sha256sum -- *.tar.gz *.modules.txt >SHA256SUMS
