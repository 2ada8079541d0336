"""Trimming texts that a model reads (canonical form 1, Text), in their canonical spelling."""

from libc.string cimport memchr, memcpy

from toolsync._core.canonical cimport write_quoted
from toolsync._core.memory cimport Buffer, reserve
from toolsync._core.tape cimport ESCAPED, Node


cdef inline bint write_trimmed(Buffer* out, const Node* text) noexcept nogil:
    """Appends a text: line ends as \\n, no blanks at line ends, no blank lines at either end."""
    cdef const char* p = text.text
    cdef const char* end = p + text.size
    cdef size_t size
    if not text.flags & ESCAPED:  # one line, and no tab in it
        while p < end and p[0] == c' ':
            p += 1
        while p < end and end[-1] == c' ':
            end -= 1
        return write_quoted(out, p, end - p)
    if not reserve(out, text.size + 2):
        return False
    cdef char* at = out.data + out.used
    size = trim(p, end, at + 1)
    at[0] = at[size + 1] = c'"'
    out.used += size + 2
    return True


cdef inline size_t trim(const char* p, const char* end, char* out) noexcept nogil:
    """Copies canonical content, trimmed; returns its size, which never grows.

    Blanks and line ends are written ahead and count only once something follows them.
    """
    cdef char* at = out
    cdef char* kept = out  # behind the last character that is no blank
    cdef char* line = out  # behind what a line end leaves standing
    cdef const char* run
    cdef size_t size
    while p < end:
        run = p
        p = <const char*> memchr(p, c'\\', end - p)
        p = p if p != NULL else end
        if put_run(run, p, out, &at, &kept):
            line = kept
        if p >= end:
            break
        size = unit_size(p)
        if p[1] == c'n' or p[1] == c'r':
            size += 2 if p[1] == c'r' and end - p >= 4 and p[2] == c'\\' and p[3] == c'n' else 0
            if kept != out:
                memcpy(line, b"\\n", 2)
                at = line = line + 2
        elif p[1] != c't' or kept != out:
            memcpy(at, p, size)
            at += size
            if p[1] != c't':
                kept = line = at
        p += size
    return kept - out


cdef inline bint put_run(const char* p, const char* end, char* out, char** at,
                         char** kept) noexcept nogil:
    """Copies bytes without escapes; tells whether any of them is no blank."""
    cdef const char* last = end
    if kept[0] == out:
        while p < end and p[0] == c' ':
            p += 1
    while last > p and last[-1] == c' ':
        last -= 1
    memcpy(at[0], p, end - p)
    if last > p:
        kept[0] = at[0] + (last - p)
    at[0] += end - p
    return last > p


cdef inline size_t unit_size(const char* p) noexcept nogil:
    """Gives the bytes of one escape, or 1."""
    if p[0] != c'\\':
        return 1
    return 6 if p[1] == c'u' else 2
