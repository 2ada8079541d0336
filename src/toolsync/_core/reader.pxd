"""The state of one reading of a text: its limits, its tape, and the first thing that is not JSON."""

from toolsync._core.tape cimport Fault, Kind, Node, Tape, blame, push

cdef enum:
    MOST_DIGITS = 1 << 16  # of one number: turning more into an int or back takes seconds


cdef struct Reader:
    Tape tape
    const char* begin
    const char* end       # a NUL byte stands here: CPython ends every bytes object with one
    const char* at        # where reading failed …
    const char* reason    # … and why; NULL after a failure means that memory ended
    size_t taken          # bytes of text taken from Python values
    size_t max_depth
    size_t told_depth     # the depth limit as whoever set it knows it: for the whole document
    size_t max_string
    bint outline          # let go of what is inside the members of array elements


cdef inline const char* refuse(Reader* reader, const char* at, const char* reason) noexcept nogil:
    """Notes why this is no JSON text and returns NULL, which every reading function passes on."""
    reader.at = at
    reader.reason = reason
    return NULL


cdef inline Node* emit(Reader* reader, Kind kind, const char* text, size_t size) noexcept nogil:
    """Appends a scalar; NULL where memory ends."""
    cdef Node* node = push(&reader.tape, kind, text, size)
    if node != NULL and (size > reader.max_string
                         or (size > MOST_DIGITS and kind != Kind.STRING)):
        blame(&reader.tape, node, Fault.TOO_LONG)
    return node


cdef inline const char* skip_space(const char* p) noexcept nogil:
    while p[0] == c' ' or p[0] == c'\n' or p[0] == c'\r' or p[0] == c'\t':
        p += 1
    return p
