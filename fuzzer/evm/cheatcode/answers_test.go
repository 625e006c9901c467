package cheatcode

import (
	"encoding/json"
	"errors"
	"testing"
)

// TestAnswers: what an edge has answered can be saved and answers the same; nothing else
// does, and too much is not kept.
func TestAnswers(t *testing.T) {
	there := map[string][]byte{"a.json": []byte("{}"), "large": make([]byte, maxAnswers)}
	live, answers := Edge{
		Root: "/project",
		ReadFile: func(path string) ([]byte, error) {
			if data, ok := there[path]; ok {
				return data, nil
			}
			return nil, errors.New("no such file")
		},
		Artifact: func(name string) (creation, deployed []byte, err error) { return []byte(name), []byte{7}, nil },
	}.Recorded()
	for path := range there {
		if _, err := live.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := live.ReadFile("none"); err == nil {
		t.Error("a file that is not there is read")
	}
	if _, _, err := live.Artifact("Vault"); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	var saved Answers
	if err := json.Unmarshal(text, &saved); err != nil {
		t.Fatal(err)
	}
	later := saved.Edge()
	if data, err := later.ReadFile("a.json"); err != nil || string(data) != "{}" {
		t.Errorf("%q, %v", data, err)
	}
	if creation, deployed, err := later.Artifact("Vault"); err != nil || string(creation) != "Vault" || len(deployed) != 1 {
		t.Errorf("%q, %x, %v", creation, deployed, err)
	}
	for _, path := range []string{"none", "large"} {
		if _, err := later.ReadFile(path); err == nil {
			t.Errorf("%s is answered", path)
		}
	}
	if _, _, err := later.Artifact("Token"); err == nil {
		t.Error("code that nobody asked for is answered")
	}
	if later.Root != "/project" || saved.Empty() {
		t.Errorf("%+v", saved)
	}

	again, other := live.Recorded()
	saved.Ask(again)
	if len(other.Files) != 1 || len(other.Artifacts) != 1 {
		t.Errorf("%d files and %d artifacts are asked for again", len(other.Files), len(other.Artifacts))
	}
}
