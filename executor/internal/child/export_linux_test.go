package child

// The side door of the hardening tests.
var (
	Complete   = complete
	ProcessCPU = processCPU
)

// FilterFor takes the step that filters system calls, on another architecture.
func FilterFor(architecture string) error { return filter(architecture)(Config{}) }
