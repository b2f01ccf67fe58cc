//go:build unix

package testnats

import "syscall"

// Freeze stops the server where it is: its connections stay open and nothing moves.
func (p *Process) Freeze() { p.signal(syscall.SIGSTOP) }

// Thaw lets a frozen server go on.
func (p *Process) Thaw() { p.signal(syscall.SIGCONT) }

func (p *Process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.command.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}
