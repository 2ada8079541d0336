"""What the core shares with `_reading`, the other compiled module."""

cimport cython

from toolsync._core.canonical cimport Writer
from toolsync._core.reader cimport Reader
from toolsync._core.tape cimport Node, Tape

cdef size_t DEPTH_CEILING


@cython.final
cdef class Tool:
    cdef readonly str name
    cdef bytes _holder          # the text that the tool is a part of
    cdef const char* _start
    cdef size_t _size
    cdef bint _canonical        # whether the text is canonical already
    cdef bint _odd              # whether its projection hides what may make it unusable
    cdef bint _looked_at        # whether the next is known
    cdef bint _sound
    cdef str _digest
    cdef str _semantic_digest
    cdef object _definition     # the dict that it was given as
    cdef object _parsed

    cdef void look_at(self, const Tape* tape) noexcept nogil
    cdef bint _is_as_given(self)


@cython.final
cdef class _Workspace:
    cdef Reader reader
    cdef Writer writer

    cdef bint read(self, const char* start, size_t size) except False
    cdef object refusal(self)
    cdef bint take(self, object value) except False
    cdef bint compose_full(self) noexcept nogil
    cdef bint compose_part(self, bint whole) noexcept nogil
    cdef bytes full_text(self)
    cdef bytes full(self)
    cdef bytes part(self)
    cdef bint check(self) except False


cdef Tool make_tool(const Tape* tape, const Node* node, bytes holder)
cpdef str digest_of(bytes text)
