#!/usr/bin/env bash
# Names the base images of a Dockerfile by digest, as the registry has them now. The release's workflow runs it: a digest
# is looked up where the image is built, and never written by hand.
set -euo pipefail

dockerfile=${1:?usage: pin-bases.sh DOCKERFILE}
while read -r image; do
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
  [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]] || { echo "the registry names no digest of $image: $digest" >&2; exit 1; }
  sed -E -i "s,^FROM $image( |\$),FROM $image@$digest\1," "$dockerfile"
  grep -q "^FROM $image@$digest" "$dockerfile" || { echo "$image is not in $dockerfile any more" >&2; exit 1; }
done < <(sed -n 's/^FROM \([^ @]*\).*/\1/p' "$dockerfile")
