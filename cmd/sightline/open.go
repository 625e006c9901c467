package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/sightline-evm/sightline/internal/config"
	"github.com/sightline-evm/sightline/internal/exit"
	"github.com/sightline-evm/sightline/internal/files"
	"github.com/sightline-evm/sightline/internal/human"
	"github.com/sightline-evm/sightline/report"
)

// maxPage bounds the page that is served, in bytes. Arbitrary: one of 500 lines has a hundredth.
const maxPage = 256 << 20

func (p *program) openCommand() *cobra.Command {
	var out string
	var port uint16
	var quiet bool
	cmd := &cobra.Command{
		Use:   "open",
		Short: "Show the last run's report in a browser",
		Long: `Serves report.html of the output folder on this machine alone (127.0.0.1), until it is interrupted, and opens the browser. The page is read
again whenever it is loaded, so that one next to "sightline watch" shows the last round. It needs no network: the file itself can be opened or passed on as well.`,
		Example: `  sightline open
  sightline open --out vault-out --port 8080 --no-browser`,
		Args: noArguments,
	}
	cmd.Flags().StringVar(&out, "out", config.DefaultOut, "output folder `DIR` of the run")
	cmd.Flags().Uint16Var(&port, "port", 0, "serve on this `PORT`")
	cmd.Flags().Lookup("port").DefValue = "any that is free"
	cmd.Flags().BoolVar(&quiet, "no-browser", false, "print the address only")
	cmd.Flags().SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		show := openBrowser
		if quiet {
			show = func(context.Context, string) error { return nil }
		}
		return p.open(cmd.Context(), out, port, show)
	}
	return cmd
}

// open serves the page of an output folder until the context ends.
func (p *program) open(ctx context.Context, out string, port uint16, show func(context.Context, string) error) error {
	file := filepath.Join(out, report.HTMLFile)
	if _, err := files.ReadRegular(file, maxPage); errors.Is(err, fs.ErrNotExist) {
		return exit.BadInput("there is no %s: run `sightline run` first, or name its output folder with --out", human.Printable(file))
	} else if err != nil {
		return exit.BadInput("%v", err)
	}
	var listen net.ListenConfig
	listener, err := listen.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
	if err != nil {
		return exit.BadInput("--port %d: %v", port, err)
	}
	address := "http://" + listener.Addr().String() + "/"
	server := &http.Server{Handler: servePage(file, listener.Addr().String()), ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	fmt.Fprintf(p.stdout, "%s\nshows %s (Ctrl+C ends)\n", address, human.Printable(file))
	if err := show(ctx, address); err != nil {
		fmt.Fprintf(p.stdout, "no browser was opened: %v\n", err)
	}
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	p.exit = 0 // being interrupted is how it ends
	return nil
}

// servePage serves one file at the root, to whoever asks for it by this address: a page elsewhere that has a name of its own lead here gets nothing.
func servePage(file, address string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		header.Set("Referrer-Policy", "no-referrer")
		header.Set("X-Frame-Options", "DENY")
		header.Set("Cache-Control", "no-store")
		_, port, _ := net.SplitHostPort(address)
		switch {
		case r.Host != address && r.Host != net.JoinHostPort("localhost", port):
			http.Error(w, "this address is not served", http.StatusMisdirectedRequest)
			return
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			http.Error(w, "only GET", http.StatusMethodNotAllowed)
			return
		case r.URL.Path != "/" && r.URL.Path != "/"+report.HTMLFile:
			http.NotFound(w, r)
			return
		}
		page, err := files.ReadRegular(file, maxPage)
		if err != nil {
			http.Error(w, "the page cannot be read", http.StatusNotFound)
			return
		}
		header.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page)
	})
}

// openBrowser opens an address in the user's browser.
func openBrowser(ctx context.Context, address string) error {
	name, args := "xdg-open", []string{address}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", address}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return fmt.Errorf("%s is not installed", name)
	}
	return exec.CommandContext(ctx, path, args...).Start()
}
