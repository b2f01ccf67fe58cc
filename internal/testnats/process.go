package testnats

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const serverPackage = "github.com/nats-io/nats-server/v2"

// startTimeout bounds how long a server process may take to listen.
const startTimeout = 20 * time.Second

var build struct {
	once sync.Once
	path string
	err  error
}

// binary returns the path of a nats-server executable of the module's version, built if need be.
func binary() (string, error) {
	build.once.Do(func() { build.path, build.err = buildBinary() })
	return build.path, build.err
}

func buildBinary() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	folder := filepath.Join(cache, "sigengine-test")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(folder, fmt.Sprintf("nats-server-%s-%s-%s-%s", server.VERSION, runtime.Version(), runtime.GOOS, runtime.GOARCH))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	fresh := fmt.Sprintf("%s.%d", path, os.Getpid())
	command := exec.Command("go", "build", "-o", fresh, serverPackage)
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build %s: %w\n%s", serverPackage, err, out)
	}
	return path, os.Rename(fresh, path) // several test binaries may build at once: the last wins, all are equal
}

// Process is a nats-server process.
type Process struct {
	t       testing.TB
	port    int
	command *exec.Cmd
}

// StartProcess starts a server process on a free port; it ends with the test.
func StartProcess(t testing.TB) *Process {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to build nats-server with")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{t: t, port: listener.Addr().(*net.TCPAddr).Port}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	p.Start()
	t.Cleanup(p.Kill)
	return p
}

// URL is where clients connect.
func (p *Process) URL() string { return "nats://" + p.address() }

func (p *Process) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port)) }

// Start starts the server again after Kill, on the same port, and waits until it listens.
func (p *Process) Start() {
	p.t.Helper()
	path, err := binary()
	if err != nil {
		p.t.Fatal(err)
	}
	p.command = exec.Command(path, "-a", "127.0.0.1", "-p", strconv.Itoa(p.port))
	if err := p.command.Start(); err != nil {
		p.t.Fatal(err)
	}
	for deadline := time.Now().Add(startTimeout); ; time.Sleep(5 * time.Millisecond) {
		conn, err := net.Dial("tcp", p.address())
		if err == nil {
			_ = conn.Close() // only a knock
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("nats-server does not listen on %s: %v", p.address(), err)
		}
	}
}

// Kill ends the server as kill -9 does, and returns when it is gone.
func (p *Process) Kill() {
	if p.command == nil {
		return
	}
	_ = p.command.Process.Kill() // may be gone already
	_ = p.command.Wait()         // its status is 'killed'
	p.command = nil
}
