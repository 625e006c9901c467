#!/usr/bin/env bash
# Builds the binaries of a release: for each system an archive with the licenses, and an SBOM (CycloneDX); and SHA256SUMS. ./test has to have run once.
set -euo pipefail

version=${1:?usage: binaries.sh VERSION FOLDER}
folder=${2:?usage: binaries.sh VERSION FOLDER}
systems=${SYSTEMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}

mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
for system in $systems; do
  os=${system%/*} arch=${system#*/}
  work=$(mktemp -d)
  CGO_ENABLED=0 GOOS=$os GOARCH=$arch go build -trimpath -ldflags "-s -w -X main.version=${version#v}" -o "$work/sightline" ./cmd/sightline
  cp LICENSE "$work/"
  GOFLAGS= go run -C tools ./notices -goos "$os" -goarch "$arch" -version "$version" -texts "$work/THIRD-PARTY-LICENSES" -sbom "$folder/sightline-$os-$arch.cdx.json"
  # The same bytes whenever it is built: sorted, without owner, time or user.
  tar --create --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --directory "$work" sightline LICENSE THIRD-PARTY-LICENSES | gzip -n >"$folder/sightline-$os-$arch.tar.gz"
  rm -rf "$work"
done
cd "$folder"
sha256sum -- *.tar.gz *.cdx.json >SHA256SUMS
