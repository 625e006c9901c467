#!/usr/bin/env bash
# Installs the binary of a release in $RUNNER_TEMP/sightline, after comparing its checksum with the release's list (and
# with $SHA256, if that is given), and verifying that the release's workflow built it: a list lies beside the archive, and
# whoever can change one can change the other. The server is the runner's own, so that an enterprise server can have a
# mirror. Everything comes through https.
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
  curl --fail --silent --show-error --location --proto '=https' --proto-redir '=https' --tlsv1.2 --retry 3 --max-time 300 \
    --output "$2" "$1" || die "$1 cannot be downloaded: is ${VERSION} a release, and the server reached through https?"
}

# attest verifies that an archive was built by the workflow that makes releases, on a runner of GitHub's.
attest() {
  case ${ATTESTATION:-verify} in
    verify) ;;
    skip)
      echo "::warning title=Sightline::the attestation of ${1##*/} is not verified, as the input attestation says"
      return
      ;;
    *) die "the input attestation is ${ATTESTATION}; want verify or skip" ;;
  esac
  command -v gh >/dev/null ||
    die "gh is not on this runner, which verifies who built ${1##*/}: install gh 2.67 or newer, or give the input sha256 and attestation: skip"
  # Before 2.67, gh exits with 0 where there is no attestation (GHSA-fgw4-v983-mgp8).
  [[ $(gh --version) =~ ^gh\ version\ ([0-9]+)\.([0-9]+) ]] && ((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2] >= 2067)) ||
    die "gh on this runner is too old to verify attestations: install gh 2.67 or newer, or give the input sha256 and attestation: skip"
  gh attestation verify "$1" --hostname github.com --repo sightline-evm/sightline \
    --signer-workflow sightline-evm/sightline/.github/workflows/release.yml --deny-self-hosted-runners >/dev/null ||
    die "${1##*/} of $VERSION has no valid attestation of Sightline's release workflow: it may have been tampered with, or gh cannot reach github.com with the input token"
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
  attest "$folder/$archive"
  tar -xzf "$folder/$archive" -C "$folder" sightline
  echo "Sightline $VERSION, sha256 $got, attestation: ${ATTESTATION:-verify}"
}

main "$@"
