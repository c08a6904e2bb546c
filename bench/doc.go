// Package bench stub
package bench
