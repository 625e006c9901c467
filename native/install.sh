#!/usr/bin/env bash
# Installs the binary of a release in $RUNNER_TEMP/sightline, after comparing its checksum with the release's list (and
# with $SHA256, if that is given). The server is the runner's own, so that an enterprise server can have a mirror.
set -euo pipefail

die() {
  echo "::error title=Sightline::$*"
  exit 2
}

# asset is the name of the archive for this runner.
asset() {
  local os arch
  case ${RUNNER_OS:-} in
    Linux) os=linux ;;
    macOS) os=darwin ;;
    *) die "there is no binary for ${RUNNER_OS:-an unknown system}: use a Linux or macOS runner" ;;
  esac
  case ${RUNNER_ARCH:-} in
    X64) arch=amd64 ;;
    ARM64) arch=arm64 ;;
    *) die "there is no binary for ${RUNNER_ARCH:-an unknown processor}: use an X64 or ARM64 runner" ;;
  esac
  echo "sightline-$os-$arch.tar.gz"
}

# sha256 prints the checksum of a file; macOS has no sha256sum.
sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

fetch() {
  curl --fail --silent --show-error --location --proto '=https,http' --retry 3 --max-time 300 --output "$2" "$1" ||
    die "$1 cannot be downloaded: is ${VERSION} a release?"
}

main() {
  [[ ${VERSION:-} =~ ^v[0-9]+\.[0-9]+\.[0-9]+([.-][0-9A-Za-z.-]+)?$ ]] || die "the input version is not a release's tag such as v0.1.0"
  local archive folder=$RUNNER_TEMP/sightline want got
  local releases=${SIGHTLINE_RELEASES:-$GITHUB_SERVER_URL/sightline-evm/sightline/releases/download}
  archive=$(asset) || { echo "$archive"; exit 2; }
  rm -rf "$folder"
  mkdir -p "$folder"
  fetch "$releases/$VERSION/SHA256SUMS" "$folder/SHA256SUMS"
  fetch "$releases/$VERSION/$archive" "$folder/$archive"
  want=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' "$folder/SHA256SUMS")
  got=$(sha256 "$folder/$archive")
  [[ $want =~ ^[0-9a-f]{64}$ ]] || die "SHA256SUMS of $VERSION does not list $archive"
  [[ $got == "$want" ]] || die "$archive of $VERSION has the checksum $got, but its release lists $want"
  [[ -z ${SHA256:-} || $got == "$SHA256" ]] || die "$archive of $VERSION has the checksum $got, but the input sha256 is $SHA256"
  tar -xzf "$folder/$archive" -C "$folder" sightline
  echo "Sightline $VERSION, sha256 $got"
}

main "$@"
