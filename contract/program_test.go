package contract_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
)

func TestDefaultLimitsAreValid(t *testing.T) {
	require.NoError(t, contract.DefaultLimits().Validate())
	require.NoError(t, contract.Limits{}.Validate())
	require.Equal(t, contract.DefaultLimits(), contract.Limits{}.Or(contract.DefaultLimits()))
	v := reflect.ValueOf(contract.DefaultLimits())
	for i := range v.NumField() {
		require.NotZero(t, v.Field(i).Int(), v.Type().Field(i).Name)
	}
}

// TestOr goes through the fields by reflection, so that a new one is not
// forgotten.
func TestOr(t *testing.T) {
	base := contract.DefaultLimits()
	for i := range reflect.TypeFor[contract.Limits]().NumField() {
		var l contract.Limits
		reflect.ValueOf(&l).Elem().Field(i).SetInt(7)
		got := reflect.ValueOf(l.Or(base))
		for j := range got.NumField() {
			want := reflect.ValueOf(base).Field(j).Int()
			if i == j {
				want = 7
			}
			require.Equal(t, want, got.Field(j).Int(), got.Type().Field(j).Name)
		}
	}
}

func TestValidate(t *testing.T) {
	tests := []struct {
		name string
		l    contract.Limits
		want string // "" when it is fine
	}{
		{"no time limits", contract.Limits{Wall: contract.Unlimited, CPU: contract.Unlimited}, ""},
		{"the least", contract.Limits{Wall: 1, CPU: 1, Memory: 1 << 20, Stack: 64 << 10, Source: 1, HostCalls: 1}, ""},
		{"the most stack", contract.Limits{Stack: 8 << 20}, ""},
		{"negative wall", contract.Limits{Wall: -time.Second}, "Limits.Wall is negative; zero means the default"},
		{"negative cpu", contract.Limits{CPU: -1}, "Limits.CPU is negative; zero means the default"},
		{"negative memory", contract.Limits{Memory: -1}, "Limits.Memory is negative; zero means the default"},
		{"negative stack", contract.Limits{Stack: -1}, "Limits.Stack is negative; zero means the default"},
		{"negative source", contract.Limits{Source: -1}, "Limits.Source is negative; zero means the default"},
		{"negative calls", contract.Limits{HostCalls: -1}, "Limits.HostCalls is negative; zero means the default"},
		{"little memory", contract.Limits{Memory: 1<<20 - 1}, "Limits.Memory is 1048575 bytes; at least 1048576 are needed"},
		{"much memory", contract.Limits{Memory: 1<<40 + 1}, "Limits.Memory is 1099511627777 bytes; at most 1099511627776 are possible"},
		{"little stack", contract.Limits{Stack: 64<<10 - 1}, "Limits.Stack is 65535 bytes; at least 65536 are needed"},
		{"much stack", contract.Limits{Stack: 8<<20 + 1}, "Limits.Stack is 8388609 bytes; at most 8388608 are possible"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := test.l.Validate()
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, contract.ErrInvalid)
			require.EqualError(t, err, "contract: invalid argument: "+test.want)
		})
	}
}
