package natsfeed

import (
	"bufio"
	"net"
	"strings"
	"testing"
)

// rawSubscriber subscribes over plain TCP and then never reads again.
func rawSubscriber(t *testing.T, url, subject string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "nats://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	reader := bufio.NewReaderSize(conn, 16<<10)
	if _, err := reader.ReadString('\n'); err != nil { // INFO
		t.Fatal(err)
	}
	if _, err := conn.Write([]byte("CONNECT {\"verbose\":false}\r\nSUB " + subject + " 1\r\nPING\r\n")); err != nil {
		t.Fatal(err)
	}
	if line, err := reader.ReadString('\n'); err != nil || !strings.HasPrefix(line, "PONG") {
		t.Fatalf("%q, %v", line, err)
	}
	return conn
}
