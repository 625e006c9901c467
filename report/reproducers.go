package report

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// BundleFile is the bundle's name in the output folder.
const BundleFile = "world.json"

// WriteReproducers writes the bundle and the reproducers, whose keys are paths
// below dir with slashes.
func WriteReproducers(dir string, bundle *Bundle, reproducers map[string]*Reproducer) error {
	files, err := marshalReproducers(bundle, reproducers)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return outputError(path, err)
		}
		if err := writeFile(dir, filepath.FromSlash(name), files[name]); err != nil {
			return err
		}
	}
	return nil
}

// marshalReproducers makes the files that WriteReproducers writes.
func marshalReproducers(bundle *Bundle, reproducers map[string]*Reproducer) (map[string][]byte, error) {
	data, err := MarshalBundle(bundle)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{BundleFile: data}
	for name, r := range reproducers {
		if files[name], err = MarshalReproducer(r); err != nil {
			return nil, err
		}
	}
	return files, nil
}
