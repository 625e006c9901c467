package github

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"
)

// maxUpload is the largest SARIF file that GitHub takes, gzipped.
const maxUpload = 10 << 20

// pollWaits are the waits before each question whether an upload has been processed. GitHub
// takes seconds for small files; its own action asks for two minutes.
var pollWaits = []time.Duration{5 * time.Second, 10 * time.Second, 20 * time.Second, 40 * time.Second, 80 * time.Second}

// Upload is a SARIF file for code scanning.
type Upload struct {
	SHA, Ref string
	SARIF    []byte
}

// ErrProcessing says that GitHub had not processed an upload in the time that we wait for
// it. The upload may still succeed.
var ErrProcessing = errors.New("GitHub has not processed the SARIF file yet; check the repository's security tab later")

// Upload uploads a SARIF file to code scanning and waits until it is processed, or the
// deadline is near.
func (c *Client) Upload(ctx context.Context, u Upload) error {
	packed, err := pack(u.SARIF)
	if err != nil {
		return err
	}
	id, _, err := c.api.CodeScanning.UploadSarif(ctx, c.owner, c.repo, &gh.SarifAnalysis{
		CommitSHA: gh.String(u.SHA), Ref: gh.String(u.Ref), Sarif: gh.String(packed),
	})
	if err != nil {
		return refused(err, "security-events: write")
	}
	if id.GetID() == "" {
		return errors.New("GitHub accepted the SARIF file, but returned no id to check on it")
	}
	for _, wait := range pollWaits {
		if err := c.sleep(ctx, wait); err != nil {
			return ErrProcessing
		}
		done, err := c.processed(ctx, id.GetID())
		if done || err != nil {
			return err
		}
	}
	return ErrProcessing
}

// pack encodes a SARIF file as the API takes it: compressed, in base64.
func pack(sarif []byte) (string, error) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(sarif); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	if packed.Len() > maxUpload {
		return "", fmt.Errorf("the SARIF file has %d bytes gzipped; GitHub's limit is %d", packed.Len(), maxUpload)
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}

// processed asks about an upload. The library's type has no errors, so the
// answer is read here.
func (c *Client) processed(ctx context.Context, id string) (bool, error) {
	req, err := c.api.NewRequest(http.MethodGet, fmt.Sprintf("repos/%s/%s/code-scanning/sarifs/%s", c.owner, c.repo, url.PathEscape(id)), nil)
	if err != nil {
		return false, err
	}
	var status struct {
		ProcessingStatus string   `json:"processing_status"`
		Errors           []string `json:"errors"`
	}
	if _, err := c.api.Do(ctx, req, &status); err != nil {
		var answer *gh.ErrorResponse
		if errors.As(err, &answer) && answer.Response.StatusCode == http.StatusNotFound {
			return false, nil // not there yet
		}
		return false, refused(err, "security-events: write")
	}
	switch status.ProcessingStatus {
	case "complete":
		return true, nil
	case "failed":
		return false, fmt.Errorf("GitHub could not process the SARIF file: %s", cut(strings.Join(status.Errors, "; "), maxMessage))
	}
	return false, nil
}
