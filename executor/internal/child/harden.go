package child

import "slices"

// Step is one thing a child gives up. An empty Err means it is given up.
type Step struct {
	Name string `json:"name"`
	Err  string `json:"err,omitempty"`
}

// StepNames are what Config.Skip may name: all of them, or the steps of any
// system, so that one configuration does for several.
var StepNames = []string{
	"all", "address-space", "file-size", "core", "cpu", "landlock", "open-files", "no-new-privs", "seccomp", "hardening",
}

// step is a step before it is taken.
type step struct {
	name string
	take func(Config) error
}

// Harden takes the steps that this system has, in order, and reports each. One
// that fails is left out and the next one is taken: a kernel without Landlock
// still has seccomp.
func Harden(cfg Config) []Step {
	var done []Step
	if slices.Contains(cfg.Skip, "all") {
		return nil
	}
	for _, s := range steps {
		if slices.Contains(cfg.Skip, s.name) {
			done = append(done, Step{s.name, "left out by configuration"})
			continue
		}
		report := Step{Name: s.name}
		if err := s.take(cfg); err != nil {
			report.Err = err.Error()
		}
		done = append(done, report)
	}
	return done
}
