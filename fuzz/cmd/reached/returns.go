package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// returns adds the returns of an error in a file to r.
func (m module) returns(file string, list blocks, r *reach) error {
	short := strings.TrimPrefix(file, m.path+"/")
	at := filepath.Join(m.dir, filepath.FromSlash(short))
	text, err := os.ReadFile(at)
	if err != nil {
		return fmt.Errorf("%s is in the profile: %w", file, err)
	}
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, at, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, ret := range errorReturns(parsed) {
		from, to := fset.Position(ret.Pos()), fset.Position(ret.End())
		b, ok := list.at(place{from.Line, from.Column})
		if !ok {
			return fmt.Errorf("%s:%d: no block of the profile holds this return: the profile is of another state of the source; make it anew", short, from.Line)
		}
		taken := list[b] > 0
		if taken && handsOn(ret) {
			continue // a call decides whether there is an error
		}
		r.returns++
		if !taken {
			r.missed = append(r.missed, missed{
				place: fmt.Sprintf("%s:%d", short, from.Line),
				text:  strings.Join(strings.Fields(string(text[from.Offset:to.Offset])), " "),
			})
		}
	}
	return nil
}

// handsOn reports whether a return is nothing but a call.
func handsOn(ret *ast.ReturnStmt) bool {
	if len(ret.Results) != 1 {
		return false
	}
	_, is := ast.Unparen(ret.Results[0]).(*ast.CallExpr)
	return is
}

// errorReturns finds the return statements of a file that may return an error,
// in the order of the text. A return without results is left out: what it
// returns was assigned elsewhere.
func errorReturns(file *ast.File) (list []*ast.ReturnStmt) {
	var within func(body *ast.BlockStmt, results *ast.FieldList)
	within = func(body *ast.BlockStmt, results *ast.FieldList) {
		places, count := errorPlaces(results)
		ast.Inspect(body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncLit:
				within(n.Body, n.Type.Results)
				return false
			case *ast.ReturnStmt:
				if mayFail(n, places, count) {
					list = append(list, n)
				}
			}
			return true
		})
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body != nil {
				within(d.Body, d.Type.Results)
			}
		case *ast.GenDecl:
			ast.Inspect(d, func(n ast.Node) bool {
				f, is := n.(*ast.FuncLit)
				if is {
					within(f.Body, f.Type.Results)
				}
				return !is
			})
		}
	}
	return list
}

// errorPlaces says which results of a function are errors, and how many results
// it has.
func errorPlaces(results *ast.FieldList) (places []int, count int) {
	if results == nil {
		return nil, 0
	}
	for i, f := range results.List {
		last := i == len(results.List)-1
		for range max(len(f.Names), 1) {
			if isError(f.Type, last) {
				places = append(places, count)
			}
			count++
		}
	}
	return places, count
}

func isError(t ast.Expr, last bool) bool {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name == "error"
	case *ast.StarExpr:
		switch t := t.X.(type) {
		case *ast.Ident:
			return last && strings.HasSuffix(t.Name, "Error")
		case *ast.SelectorExpr:
			return last && strings.HasSuffix(t.Sel.Name, "Error")
		}
	}
	return false
}

func mayFail(ret *ast.ReturnStmt, places []int, count int) bool {
	if len(ret.Results) == 1 && count > 1 {
		return len(places) > 0 // a call with all the results
	}
	for _, i := range places {
		if i >= len(ret.Results) {
			continue
		}
		if name, is := ast.Unparen(ret.Results[i]).(*ast.Ident); !is || name.Name != "nil" {
			return true
		}
	}
	return false
}
