package experiment

import (
	"bytes"
	"context"
	"os/exec"
	"strings"
	"time"
)

// gitState is the commit of the working directory and whether tracked files were
// changed since; empty where there is no repository or no git.
func gitState() (sha string, dirty bool) {
	out, ok := git("rev-parse", "--short=12", "HEAD")
	if !ok {
		return "", false
	}
	changes, ok := git("status", "--porcelain", "--untracked-files=no")
	return strings.TrimSpace(string(out)), ok && len(bytes.TrimSpace(changes)) > 0
}

func git(args ...string) ([]byte, bool) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	return out, err == nil
}
