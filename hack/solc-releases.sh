#!/usr/bin/env bash
# Prints rows of diffmap/compile/solc/releases.txt for releases of solc: hack/solc-releases.sh 0.8.38 0.8.39. Without
# arguments, it compares every row that is there with what is published now, and prints those that differ.
#
# The sum of soljson is that of the file in the npm package, which must also be the version that it is called. That of the
# native program is what Solidity's list of binaries says. Whoever adds a row looks at where it is from.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly table=diffmap/compile/solc/releases.txt
readonly list=https://binaries.soliditylang.org/linux-amd64/list.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# soljson VERSION prints the row of npm's package; some were published again, as 0.8.7-fixed.
soljson() {
  local version=$1 long
  for package in "$version" "$version-fixed"; do
    (cd "$work" && rm -rf package ./*.tgz && npm pack "solc@$package" --ignore-scripts --silent >/dev/null 2>&1 && tar -xzf solc-*.tgz package/soljson.js) || continue
    long=$(node -e '
      const s = require(process.argv[1]);
      const name = ["solidity_version", "version"].find((n) => typeof s["_" + n] === "function");
      console.log(s.cwrap(name, "string", [])());' "$work/package/soljson.js" | tail -n 1)
    if [[ $long =~ ^$version\+commit\.([0-9a-f]+)\. ]]; then
      echo "$version ${BASH_REMATCH[1]} soljson $(sha256sum <"$work/package/soljson.js" | cut -d ' ' -f 1)"
      return
    fi
    echo "npm's solc@$package holds $long" >&2
  done
}

# native VERSION prints the row of Solidity's list.
native() {
  node -e '
    const builds = JSON.parse(require("fs").readFileSync(process.argv[1])).builds;
    const b = builds.find((b) => b.version === process.argv[2] && !b.prerelease);
    if (b) console.log(b.version, b.build.replace("commit.", ""), "linux-amd64", b.sha256.slice(2));' "$work/list.json" "$1"
}

curl --fail --silent --show-error --location --proto '=https' --proto-redir '=https' --tlsv1.2 --output "$work/list.json" "$list" ||
  { echo "without $list there are no rows of native programs" >&2; echo '{"builds": []}' >"$work/list.json"; }
if (($# > 0)); then
  for version in "$@"; do
    native "$version"
    soljson "$version"
  done
  exit
fi
cut -d ' ' -f 1 "$table" | uniq | while read -r version; do
  native "$version"
  soljson "$version"
done | grep --invert-match --line-regexp --fixed-strings --file "$table" || echo "all rows are as published"
