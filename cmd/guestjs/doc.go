// Command guestjs runs one JavaScript program that nobody vouches for, on data
// that it is handed, within limits.
//
//	guestjs run [flags] PROGRAM
//	guestjs check PROGRAM
//	guestjs version
//
// The program's value goes to standard output as JSON; its logs, errors with
// their place, and a short report go to standard error. guestjs --help tells the
// flags and the exit codes.
//
// The process has one guest at a time. Three goroutines matter: the one that
// waits for the run, the one that writes logs as they come, and, for each host
// call, one that reads a file.
package main
