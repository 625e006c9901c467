package fakegithub

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// upload takes a SARIF file as far as GitHub looks at it at once: that it is
// base64 of gzip of JSON.
func (s *Server) upload(body []byte) Answer {
	var request struct {
		SHA   string `json:"commit_sha"`
		Ref   string `json:"ref"`
		SARIF string `json:"sarif"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return refuse(err)
	}
	packed, err := base64.StdEncoding.DecodeString(request.SARIF)
	if err != nil {
		return refuse(err)
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return refuse(err)
	}
	data, err := io.ReadAll(reader)
	if err != nil {
		return refuse(err)
	}
	if !json.Valid(data) {
		return refuse(fmt.Errorf("the SARIF is not valid JSON"))
	}
	s.uploads = append(s.uploads, Upload{request.SHA, request.Ref, data})
	s.polls = 0
	return Answer{Status: http.StatusAccepted, Body: map[string]string{
		"id": "47177e22-5596-11eb-80a1-c1e54ef945c6", "url": s.APIURL + "/repos/octo/vault/code-scanning/sarifs/47177e22-5596-11eb-80a1-c1e54ef945c6"}}
}

func refuse(err error) Answer {
	return Answer{Status: http.StatusBadRequest, Body: map[string]string{"message": err.Error()}}
}

// content answers with a file.
func (s *Server) content(path, ref string) Answer {
	text, ok := s.Contents[path+"@"+ref]
	if !ok {
		return Answer{Status: http.StatusNotFound}
	}
	return Answer{Status: http.StatusOK, Body: map[string]any{
		"type": "file", "encoding": "base64", "path": path, "name": path, "size": len(text),
		"content": base64.StdEncoding.EncodeToString([]byte(text))}}
}
