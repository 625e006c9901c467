package secrets

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// conceal makes the process one that only root can trace, whose memory and environment other
// processes of our user cannot read, and that leaves no core dump.
func conceal() error { return unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }

// overwrite fills the values of variables in the block of memory that the system shows as our
// environment with zeros.
func overwrite(taken map[string]string) error {
	if len(taken) == 0 {
		return nil
	}
	start, length, err := environmentBlock()
	if err != nil {
		return err
	}
	memory, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer memory.Close()
	block := make([]byte, length)
	if _, err := memory.ReadAt(block, start); err != nil {
		return err
	}
	for name, value := range taken {
		variable := []byte(name + "=" + value + "\x00")
		for at := 0; ; {
			i := bytes.Index(block[at:], variable)
			if i < 0 {
				break
			}
			at += i
			if at == 0 || block[at-1] == 0 { // else the end of another name
				if _, err := memory.WriteAt(make([]byte, len(value)), start+int64(at+len(name)+1)); err != nil {
					return err
				}
			}
			at += len(variable)
		}
	}
	return nil
}

// environmentBlock is where the environment is in our memory: fields 50 and 51 of
// /proc/self/stat (proc_pid_stat(5)).
func environmentBlock() (start int64, length int, err error) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0, err
	}
	// Field 2, the program's name in parentheses, may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:]) // from field 3 on
	if len(fields) < 49 {
		return 0, 0, errors.New("/proc/self/stat does not say where the environment is")
	}
	from, err := strconv.ParseInt(string(fields[47]), 10, 64)
	to, err2 := strconv.ParseInt(string(fields[48]), 10, 64)
	const most = 16 << 20 // the system's limit for a stack's arguments and environment is a quarter of the stack's
	if err := errors.Join(err, err2); err != nil || from <= 0 || to < from || to-from > most {
		return 0, 0, fmt.Errorf("/proc/self/stat: the environment is at %s to %s", fields[47], fields[48])
	}
	return from, int(to - from), nil
}
