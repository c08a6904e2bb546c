package examples_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/guestjs/guestjs/contract"
	"github.com/guestjs/guestjs/executor"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, got, 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "run with -update when the change is meant")
}

func TestOrders(t *testing.T) {
	source, err := os.ReadFile("orders.js")
	require.NoError(t, err)
	data, err := os.ReadFile("orders.json")
	require.NoError(t, err)
	ex, err := executor.New(executor.Options{})
	require.NoError(t, err)
	defer ex.Close(context.Background())

	out, err := ex.Execute(t.Context(), contract.Program{
		Source:  string(source),
		Globals: map[string]json.RawMessage{"input": data},
		Limits:  contract.Limits{CPU: 10 * time.Second}, // under the race detector it takes a hundred times as long
	})
	require.NoError(t, err)
	require.NoError(t, out.Err)
	require.Empty(t, out.Unhandled)
	golden(t, "orders.txt", []byte(strings.Join(out.Logs, "\n")))
	var value bytes.Buffer
	require.NoError(t, json.Indent(&value, out.Value, "", "  "))
	value.WriteByte('\n')
	golden(t, "orders.out.json", value.Bytes())
}

// The report is right: the totals are those of the same sums done in Go.
func TestOrdersAddUp(t *testing.T) {
	var shop struct {
		Rates  map[string]float64
		Orders []struct {
			ID       string
			Currency string
			Shipping float64
			Lines    []struct {
				Quantity, Price, DiscountPercent float64
			}
		}
	}
	data, err := os.ReadFile("orders.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &shop))
	revenue := 0.0
	for _, o := range shop.Orders {
		sum := o.Shipping
		for _, l := range o.Lines {
			sum += l.Quantity * l.Price * (100 - l.DiscountPercent) / 100
		}
		revenue += sum / 100 * shop.Rates[o.Currency]
	}
	var report struct {
		Orders     int
		Revenue    float64
		Countries  []struct{ Revenue float64 }
		Suspicious []struct{ ID string }
	}
	data, err = os.ReadFile("testdata/orders.out.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, &report))
	require.Equal(t, len(shop.Orders), report.Orders)
	require.InDelta(t, revenue, report.Revenue, 0.01)
	sum := 0.0
	for _, c := range report.Countries {
		sum += c.Revenue
	}
	require.InDelta(t, revenue, sum, 0.05)

	// Those that the generator spoiled, and no other.
	var suspicious []string
	for _, s := range report.Suspicious {
		suspicious = append(suspicious, s.ID)
	}
	require.Equal(t, []string{"O-10042", "O-10098", "O-10099", "O-10161", "O-10204", "O-10288"}, suspicious)
}
