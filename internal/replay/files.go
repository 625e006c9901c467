package replay

import (
	"crypto/sha256"
	"fmt"
)

// WorldFile is the name of the World as a configuration in the output folder.
const WorldFile = "world.yml"

// Files are what a run leaves next to its report. The zero value is for a run that had
// nothing to fuzz.
type Files struct {
	Snapshot    *Snapshot              // nil: none
	Reproducers map[string]*Reproducer // by path below the output folder, with slashes
	Cases       map[string][]byte      // likewise: faults and upgrades
	World       []byte                 // of WorldFile; nil: none
}

// AddFault keeps a fault under a name made of its content, and returns its path.
func (f *Files) AddFault(kept *Fault) (path string, err error) {
	data, err := kept.Marshal()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	path = fmt.Sprintf("%s/%x.json", FaultFolder, sum[:6])
	f.addCase(path, data)
	return path, nil
}

// AddUpgrade keeps the upgrade that shows a clash of storage layouts, by the clash's id,
// and returns its path.
func (f *Files) AddUpgrade(id string, kept *Upgrade) (path string, err error) {
	data, err := kept.Marshal()
	if err != nil {
		return "", err
	}
	path = UpgradeFolder + "/" + id + ".json"
	f.addCase(path, data)
	return path, nil
}

func (f *Files) addCase(path string, data []byte) {
	if f.Cases == nil {
		f.Cases = map[string][]byte{}
	}
	f.Cases[path] = data
}
