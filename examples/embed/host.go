package main

import (
	"context"
	"sync"
	"time"

	"github.com/guestjs/guestjs/contract"
)

type invoice struct {
	Number string `json:"number"`
	To     string `json:"to"`
	Days   int    `json:"days"`
	Cents  int    `json:"cents"`
}

// overdue is billing.overdue(days): the invoices that are at least so many days
// late.
func overdue(_ context.Context, days int) ([]invoice, error) {
	var late []invoice
	for _, i := range []invoice{
		{"R-118", "ada@mail.example", 31, 12900},
		{"R-121", "bram@mail.example", 12, 4200},
		{"R-125", "carla@mail.example", 45, 99000},
		{"R-130", "dario@mail.example", 30, 700},
		{"R-131", "elin@mail.example", 38, 15450},
		{"R-140", "femke@mail.example", 60, 8800},
	} {
		if i.Days >= days {
			late = append(late, i)
		}
	}
	return late, nil
}

type letter struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
}

// mailer sends so many letters and then refuses for a minute. Host functions run
// at the same time when a guest calls them so; they need their own locks.
type mailer struct {
	mu   sync.Mutex
	left int
}

// send is mail.send({to, subject}).
func (m *mailer) send(_ context.Context, l letter) (bool, error) {
	if l.To == "" {
		return false, &contract.Failure{Code: "no_recipient", Message: "mail.send wants {to, subject}"}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left == 0 {
		return false, &contract.Failure{
			Code:       "rate_limited",
			Message:    "the mail server takes no more letters for now",
			Retryable:  true,
			RetryAfter: time.Minute,
			Details:    map[string]any{"perMinute": 3},
		}
	}
	m.left--
	return true, nil
}
