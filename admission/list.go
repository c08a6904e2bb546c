package admission

// list is a doubly linked list whose links live in the elements, so that
// anyone can be taken out of the middle in constant time and without a search.
// The zero list is empty.
type list[T any] struct {
	first, last *link[T]
	len         int
}

// link is an element's place in at most one list.
type link[T any] struct {
	prev, next *link[T]
	value      *T
}

func (l *list[T]) push(e *link[T]) {
	e.prev, e.next = l.last, nil
	if l.last == nil {
		l.first = e
	} else {
		l.last.next = e
	}
	l.last = e
	l.len++
}

// remove takes e, which must be in l, out of it.
func (l *list[T]) remove(e *link[T]) {
	if e.prev == nil {
		l.first = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		l.last = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.prev, e.next = nil, nil
	l.len--
}

// head returns the oldest element, or nil.
func (l *list[T]) head() *T {
	if l.first == nil {
		return nil
	}
	return l.first.value
}
