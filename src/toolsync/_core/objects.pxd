"""Reading parsed Python values onto the tape, where they join what was read from text.

Only exact JSON is taken: dict, list, tuple, str, int, float, bool, None and their
subclasses, read through the C API so that no method of a caller's subclass runs: it
could change what is being read. For the same reason the GIL stays held until the tape
is written, and nothing that the garbage collector tracks (a tuple, a list, an
exception that is caught) is made on the way: up to Python 3.11 that may start it, and
finalizers with it. References are borrowed: counting them would write to every object
of a large catalogue, which costs more than reading them.
"""

from cpython.dict cimport PyDict_Next
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_AsUTF8String
from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

from toolsync._core.memory cimport copy, head_of, take
from toolsync._core.numbers cimport double_text, put_digits
from toolsync._core.order cimport blame_repeated_keys
from toolsync._core.reader cimport MOST_DIGITS, Reader, emit
from toolsync._core.strings cimport plain_run, put_ascii
from toolsync._core.tape cimport (
    ARRAY, ESCAPED, FALSE, FAULTY, NULL_, NUMBER, OBJECT, STRING, TRUE, WIDE, Fault, Frame, Kind,
    Node, blame, enter,
)

cdef extern from "Python.h":
    PyObject* Py_None
    PyObject* Py_True
    PyObject* Py_False
    bint is_str "PyUnicode_Check" (PyObject* value)
    bint is_exact_str "PyUnicode_CheckExact" (PyObject* value)
    bint is_dict "PyDict_Check" (PyObject* value)
    bint is_list "PyList_Check" (PyObject* value)
    bint is_tuple "PyTuple_Check" (PyObject* value)
    bint is_int "PyLong_Check" (PyObject* value)
    bint is_float "PyFloat_Check" (PyObject* value)
    bint is_ascii "PyUnicode_IS_ASCII" (PyObject* text)
    void* ascii_data "PyUnicode_DATA" (PyObject* text)
    Py_ssize_t length_of "PyUnicode_GET_LENGTH" (PyObject* text)
    int kind_of "PyUnicode_KIND" (PyObject* text)
    Py_UCS4 character_at "PyUnicode_READ" (int kind, void* data, Py_ssize_t index)
    Py_ssize_t list_size "PyList_GET_SIZE" (PyObject* values)
    PyObject* list_item "PyList_GET_ITEM" (PyObject* values, Py_ssize_t index)
    Py_ssize_t tuple_size "PyTuple_GET_SIZE" (PyObject* values)
    PyObject* tuple_item "PyTuple_GET_ITEM" (PyObject* values, Py_ssize_t index)
    long long long_or_overflow "PyLong_AsLongLongAndOverflow" (PyObject* value,
                                                               int* overflow) except? -1
    double float_value "PyFloat_AS_DOUBLE" (PyObject* value)

cdef extern from *:
    """
    /* Asks for a value's first bytes before they are needed: objects lie scattered. */
    #if defined(__GNUC__)
      #define toolsync_prefetch(pointer) __builtin_prefetch(pointer)
    #else
      #define toolsync_prefetch(pointer) ((void) 0)
    #endif
    """
    void prefetch "toolsync_prefetch" (const void* pointer) noexcept

cdef enum:
    AHEAD = 4             # members of a dict that are asked for together; each costs stack
    MOST_VALUES = 1 << 22 # in one Python value: a list that holds a list twice unfolds without end
    MOST_BYTES = 1 << 30  # of text in one Python value, for the same reason


cdef inline bint put_object(Reader* reader, PyObject* value) except False:
    """Appends a Python value to the tape; what is not JSON becomes a faulty node.

    Raises OverflowError beyond MOST_VALUES or MOST_BYTES.
    """
    if is_str(value):
        return put_string(reader, value)
    if is_dict(value):
        return put_dict(reader, value)
    if is_list(value) or is_tuple(value):
        return put_sequence(reader, value)
    if value == Py_None:
        return put(reader, NULL_, b"null", 4)
    if value == Py_True:
        return put(reader, TRUE, b"true", 4)
    if value == Py_False:
        return put(reader, FALSE, b"false", 5)
    if is_int(value):
        return put_integer(reader, value)
    if is_float(value):
        return put_double(reader, float_value(value))
    return put_fault(reader, Fault.NOT_JSON_TYPE)


cdef inline bint put(Reader* reader, Kind kind, const char* text, size_t size) except False:
    if emit(reader, kind, text, size) == NULL:
        raise MemoryError
    reader.taken += size
    return True


cdef inline bint put_fault(Reader* reader, Fault fault) except False:
    put(reader, NULL_, b"null", 4)
    blame(&reader.tape, reader.tape.nodes + reader.tape.used - 1, fault)
    return True


cdef inline bint put_copy(Reader* reader, Kind kind, bytes text) except False:
    """Appends a scalar whose text has no other home than the arena."""
    cdef char* copied = take(&reader.tape.arena, len(text))
    if copied == NULL:
        raise MemoryError
    memcpy(copied, <const char*> text, len(text))
    return put(reader, kind, copied, len(text))


cdef inline bint put_string(Reader* reader, PyObject* text) except False:
    """Appends a str: where it stands if it is plain ASCII, else as a copy in canonical spelling."""
    cdef const char* data
    cdef Py_ssize_t size
    if not is_ascii(text):
        return put_wide(reader, text)
    data = <const char*> ascii_data(text)
    size = length_of(text)
    if is_plain(data, size):
        return put(reader, STRING, data, size)
    return put_escaped(reader, data, size, ESCAPED)


cdef inline bint is_plain(const char* text, size_t size) noexcept:
    """Tells whether a whole text stands for itself, without a loop over its last few bytes."""
    cdef size_t blocks = size & ~<size_t> 15
    if size < 8:  # filled up with spaces, which are plain
        return is_plain_word(head_of(text, size) | (<uint64_t> 0x2020202020202020u << 8 * size))
    if size < 16:
        return is_plain_word(head_of(text, 8)) and is_plain_word(head_of(text + size - 8, 8))
    return (plain_run(text, text + blocks) == text + blocks
            and plain_run(text + size - 16, text + size) == text + size)


cdef inline bint is_plain_word(uint64_t word) noexcept:
    """Tells whether each of eight bytes is printable ASCII other than quote and backslash."""
    cdef uint64_t ones = 0x0101010101010101u
    cdef uint64_t special = (word - ones * 0x20) | ((word ^ (ones * 0x22)) - ones) \
        | ((word ^ (ones * 0x5C)) - ones)
    return ((special & ~word | word) & (ones * 0x80)) == 0


cdef inline bint put_wide(Reader* reader, PyObject* text) except False:
    cdef bytes encoded
    if has_surrogate(text):
        put(reader, STRING, b"?", 1)
        blame(&reader.tape, reader.tape.nodes + reader.tape.used - 1, Fault.LONE_SURROGATE)
        return True
    encoded = PyUnicode_AsUTF8String(<object> text)
    return put_escaped(reader, encoded, len(encoded), ESCAPED | WIDE)


cdef inline bint has_surrogate(PyObject* text) noexcept:
    cdef Py_ssize_t index
    cdef int kind = kind_of(text)
    cdef void* data = ascii_data(text)
    for index in range(length_of(text) if kind > 1 else 0):
        if 0xD800 <= character_at(kind, data, index) <= 0xDFFF:
            return True
    return False


cdef inline bint put_escaped(Reader* reader, const char* data, size_t size,
                             uint8_t flags) except False:
    """Appends valid UTF-8 as a copy, with escapes where canonical text has them."""
    cdef const char* end = data + size
    cdef const char* run
    cdef char* start = take(&reader.tape.arena, size * 6)
    cdef char* at = start
    if start == NULL:
        raise MemoryError
    while data < end:
        run = data
        data = plain_run(data, end)
        copy(at, run, data - run)
        at += data - run
        if data < end:
            at = put_byte(at, data[0])
            data += 1
    put(reader, STRING, start, at - start)
    reader.tape.nodes[reader.tape.used - 1].flags |= flags
    return True


cdef inline char* put_byte(char* at, char byte) noexcept:
    """Writes a byte that may need an escape; one above 0x7F is part of a character and needs none."""
    if <uint8_t> byte < 0x80:
        return put_ascii(at, byte)
    at[0] = byte
    return at + 1


cdef inline bint put_integer(Reader* reader, PyObject* value) except False:
    cdef int overflow = 0
    cdef long long small = long_or_overflow(value, &overflow)
    cdef char* at
    cdef unsigned long long rest
    if overflow:
        return put_long(reader, int.__abs__(<object> value), overflow < 0)
    cdef char* end = take(&reader.tape.arena, 20)
    if end == NULL:
        raise MemoryError
    end += 20
    at = end
    rest = <unsigned long long> small if small >= 0 else 0 - <unsigned long long> small
    while True:
        at -= 1
        at[0] = c'0' + <char> (rest % 10)
        rest //= 10
        if rest == 0:
            break
    if small < 0:
        at -= 1
        at[0] = c'-'
    return put(reader, NUMBER, at, end - at)


cdef inline bint put_long(Reader* reader, object magnitude, bint negative) except False:
    """Appends an int beyond 64 bits; its magnitude is an exact int, whatever the value was."""
    cdef size_t bits = int.bit_length(magnitude)
    if bits > 4 * min(reader.max_string, <size_t> MOST_DIGITS):  # 3.3 bits a digit
        return put_fault(reader, Fault.TOO_LONG)
    cdef size_t room = bits // 3 + 602
    cdef char* start = take(&reader.tape.arena, room)
    if start == NULL:
        raise MemoryError
    cdef char* at = put_digits(start + room, magnitude)
    if negative:
        at -= 1
        at[0] = c'-'
    return put(reader, NUMBER, at, start + room - at)


cdef inline bint put_double(Reader* reader, double value) except False:
    if value - value != 0:
        return put_fault(reader, Fault.NOT_FINITE)
    return put_copy(reader, NUMBER, double_text(value))


cdef inline bint open_object(Reader* reader, Kind kind) except -1:
    """Opens a container; False, with a faulty node instead, beyond the depth limit."""
    if reader.tape.depth >= reader.max_depth:
        put_fault(reader, Fault.TOO_DEEP)
        return False
    if reader.tape.used > MOST_VALUES or reader.taken > MOST_BYTES:
        raise OverflowError
    if not enter(&reader.tape, kind, NULL):
        raise MemoryError
    return True


cdef inline bint close_object(Reader* reader, uint32_t count) except False:
    reader.tape.depth -= 1
    cdef Frame* frame = reader.tape.frames + reader.tape.depth
    cdef Node* node = reader.tape.nodes + frame.node
    node.count = count
    node.next = <uint32_t> reader.tape.used
    if frame.suspect and not blame_repeated_keys(&reader.tape, frame):
        raise MemoryError
    if frame.faulty:
        node.flags |= FAULTY
        if reader.tape.depth:
            reader.tape.frames[reader.tape.depth - 1].faulty = True
    return True


cdef inline bint put_sequence(Reader* reader, PyObject* values) except False:
    cdef Py_ssize_t index
    cdef Py_ssize_t count = list_size(values) if is_list(values) else tuple_size(values)
    if not open_object(reader, ARRAY):
        return True
    for index in range(count):
        put_object(reader, list_item(values, index) if is_list(values)
                   else tuple_item(values, index))
    return close_object(reader, <uint32_t> count)


cdef inline bint put_dict(Reader* reader, PyObject* mapping) except False:
    cdef PyObject* keys[AHEAD]
    cdef PyObject* values[AHEAD]
    cdef Py_ssize_t place = 0
    cdef uint32_t count = 0
    cdef int taken, index
    if not open_object(reader, OBJECT):
        return True
    while True:
        taken = 0
        while taken < AHEAD and PyDict_Next(<object> mapping, &place, &keys[taken], &values[taken]):
            prefetch(values[taken])
            taken += 1
        for index in range(taken):
            put_member(reader, keys[index], values[index])
        count += taken
        if taken < AHEAD:
            return close_object(reader, count)


cdef inline bint put_member(Reader* reader, PyObject* key, PyObject* value) except False:
    if not is_str(key):
        put(reader, STRING, b"?", 1)
        return put_fault(reader, Fault.NOT_TEXT_KEY)
    if not is_exact_str(key):  # a subclass may tell equal texts apart
        reader.tape.frames[reader.tape.depth - 1].suspect = True
    return put_string(reader, key) and put_object(reader, value)
