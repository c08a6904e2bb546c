package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/guestjs/guestjs/contract"
)

// units are the suffixes of a size. K, M and G alone are left out: half their
// readers take them for a thousand, the other half for 1,024.
var units = map[string]int64{
	"": 1, "B": 1,
	"kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9,
	"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30,
}

// parseSize reads a number of bytes.
func parseSize(s string) (int64, error) {
	rest := strings.TrimLeft(s, "0123456789")
	digits := s[:len(s)-len(rest)]
	unit, ok := units[strings.TrimSpace(rest)]
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case digits != "" && !ok:
		return 0, fmt.Errorf("%q is no unit; use KiB, MiB, GiB, kB, MB or GB, as in 64MiB", rest)
	case errors.Is(err, strconv.ErrRange), err == nil && n > math.MaxInt64/unit:
		return 0, errors.New("that is more than any machine has")
	case err != nil:
		return 0, errors.New("want a whole number of bytes, or one with a unit, as in 64MiB")
	}
	return n * unit, nil
}

// sizeText writes a number of bytes for people.
func sizeText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// parseBudget reads a time limit.
func parseBudget(s string) (time.Duration, error) {
	if s == "unlimited" {
		return contract.Unlimited, nil
	}
	d, err := time.ParseDuration(s)
	switch {
	case err != nil:
		return 0, errors.New("want a duration with its unit, as in 500ms or 2s, or unlimited")
	case d <= 0:
		return 0, errors.New("want more than zero, or unlimited")
	}
	return d, nil
}

// timeText writes a duration for people, to three digits or so.
func timeText(d time.Duration) string {
	switch {
	case d == contract.Unlimited:
		return "unlimited"
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%d µs", d.Microseconds())
}
