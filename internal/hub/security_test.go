package hub_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sightline-evm/sightline/fuzzer"
	"github.com/sightline-evm/sightline/internal/exchange"
	"github.com/sightline-evm/sightline/internal/hub"
)

// certificate writes a certificate of 127.0.0.1, signed by itself, and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "hub"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", pkcs8)
}

// TestTokenAndTLS: with both, workers that know the token and trust the certificate exchange inputs; each other one is told why not, at once,
// and nothing that is said has the token.
func TestTokenAndTLS(t *testing.T) {
	const token = "correct horse battery staple"
	cert, key := certificate(t)
	other, _ := certificate(t)
	h := start(t, hub.Options{Token: token, Cert: cert, Key: key})
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	good := exchange.Link{URL: h.URL(), CA: cert, Token: token}
	if !strings.HasPrefix(good.URL, "tls://") {
		t.Errorf("the hub is at %s", good.URL)
	}
	a, b := join(t, good, campaign, nil), join(t, exchange.Link{URL: h.URL(), CA: cert, TokenFile: file}, campaign, nil)
	a.Offer(offer(t, space(t), 1, fuzzer.OfferState))
	got := map[uint64]int{}
	await(t, "an input through TLS", func() bool { collect(b, got); return len(got) == 1 })
	for name, link := range map[string]exchange.Link{
		"another token":       {URL: h.URL(), CA: cert, Token: "wrong"},
		"no token":            {URL: h.URL(), CA: cert},
		"another certificate": {URL: h.URL(), CA: other, Token: token},
		"the system's":        {URL: h.URL(), Token: token},
		"no TLS":              {URL: strings.Replace(h.URL(), "tls://", "nats://", 1), Token: token},
		"no such file":        {URL: h.URL(), CA: cert, TokenFile: file + "x"},
		"no PEM":              {URL: h.URL(), CA: file, Token: token},
	} {
		begun := time.Now()
		l, err := exchange.Dial(t.Context(), exchange.Options{Link: link, Campaign: campaign, Space: space(t)})
		if err == nil {
			l.Close()
			t.Errorf("%s: the worker is let in", name)
			continue
		}
		if strings.Contains(err.Error(), token) {
			t.Errorf("%s: the error has the token: %v", name, err)
		}
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%s: it took %s", name, took)
		}
	}
}

// TestBeyondLoopback: what listens to other machines needs TLS and a token.
func TestBeyondLoopback(t *testing.T) {
	cert, key := certificate(t)
	for _, c := range []struct {
		o    hub.Options
		want string
	}{
		{hub.Options{Listen: "0.0.0.0:0"}, "that needs TLS"},
		{hub.Options{Listen: ":0"}, "that needs TLS"},
		{hub.Options{Listen: "[::]:0"}, "that needs TLS"},
		{hub.Options{Listen: "192.0.2.1:0", Token: "t"}, "that needs TLS"},
		{hub.Options{Listen: "0.0.0.0:0", Cert: cert, Key: key}, "that needs a token"},
		{hub.Options{Listen: "127.0.0.1:0", Cert: cert}, "both a certificate and its key"},
		{hub.Options{Listen: "127.0.0.1:0", Cert: cert, Key: cert}, "the key"},
		{hub.Options{Listen: "127.0.0.1"}, "is not HOST:PORT"},
		{hub.Options{Listen: "127.0.0.1:x"}, "is not a port"},
		{hub.Options{Listen: "127.0.0.1:0", MaxBytes: 1}, "too few"},
	} {
		c.o.Store = t.TempDir()
		h, err := hub.Start(t.Context(), c.o)
		if err == nil {
			h.Stop()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
}
