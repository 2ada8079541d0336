"""Reading parsed Python values onto the tape, where they join what was read from text.

Only exact JSON is taken: dict, list, tuple, str, int, float, bool, None and their
subclasses, read through the C API so that no method of a caller's subclass runs.
"""

from cpython.dict cimport PyDict_Next
from cpython.long cimport PyLong_AsLongLongAndOverflow, PyLong_Check
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_AsUTF8String
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

from toolsync._memory cimport take
from toolsync._numbers cimport double_text, integer_text
from toolsync._reader cimport Reader, emit
from toolsync._strings cimport plain_run, put_ascii, put_code_point
from toolsync._tape cimport (
    ARRAY, ESCAPED, FALSE, FAULTY, NULL_, NUMBER, OBJECT, STRING, TRUE, WIDE, Fault, Frame, Kind,
    Node, blame, enter,
)

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    Py_UCS4 PyUnicode_READ_CHAR(object text, Py_ssize_t index)


cdef inline bint put_object(Reader* reader, object value) except False:
    """Appends a Python value to the tape; what is not JSON becomes a faulty node."""
    if isinstance(value, str):
        return put_string(reader, value)
    if isinstance(value, dict):
        return put_dict(reader, value)
    if isinstance(value, (list, tuple)):
        return put_sequence(reader, value)
    if value is None:
        return put(reader, NULL_, b"null", 4)
    if value is True:
        return put(reader, TRUE, b"true", 4)
    if value is False:
        return put(reader, FALSE, b"false", 5)
    if PyLong_Check(value):
        return put_integer(reader, value)
    if isinstance(value, float):
        return put_double(reader, value)
    return put_fault(reader, Fault.NOT_JSON_TYPE)


cdef inline bint put(Reader* reader, Kind kind, const char* text, size_t size) except False:
    if emit(reader, kind, text, size) == NULL:
        raise MemoryError
    return True


cdef inline bint put_fault(Reader* reader, Fault fault) except False:
    put(reader, NULL_, b"null", 4)
    blame(&reader.tape, reader.tape.nodes + reader.tape.used - 1, fault)
    return True


cdef inline bint put_copy(Reader* reader, Kind kind, bytes text) except False:
    """Appends a scalar whose text has no other home than the arena."""
    cdef char* copy = take(&reader.tape.arena, len(text))
    if copy == NULL:
        raise MemoryError
    memcpy(copy, <const char*> text, len(text))
    return put(reader, kind, copy, len(text))


cdef inline bint put_string(Reader* reader, object text) except False:
    """Appends a str: where it stands if it is plain ASCII, else as a copy in canonical spelling."""
    cdef const char* data
    cdef Py_ssize_t size
    if PyUnicode_IS_ASCII(text):
        data = <const char*> PyUnicode_DATA(text)
        size = PyUnicode_GET_LENGTH(text)
        if plain_run(data, data + size) == data + size:
            return put(reader, STRING, data, size)
    return put_escaped(reader, text)


cdef inline bint put_escaped(Reader* reader, object text) except False:
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text)
    cdef Py_ssize_t index
    cdef Py_UCS4 character
    cdef bint lone = False
    cdef char* start = take(&reader.tape.arena, <size_t> size * (6 if PyUnicode_IS_ASCII(text) else 6))
    if start == NULL:
        raise MemoryError
    cdef char* at = start
    for index in range(size):
        character = PyUnicode_READ_CHAR(text, index)
        lone |= 0xD800 <= character <= 0xDFFF
        at = put_code_point(at, character)
    put(reader, STRING, start, at - start)
    cdef Node* node = reader.tape.nodes + reader.tape.used - 1
    node.flags |= ESCAPED | WIDE
    if lone:
        blame(&reader.tape, node, Fault.LONE_SURROGATE)
    return True


cdef inline bint put_integer(Reader* reader, object value) except False:
    cdef int overflow = 0
    cdef long long small = PyLong_AsLongLongAndOverflow(value, &overflow)
    cdef char* at
    cdef unsigned long long rest
    if overflow:
        if value.bit_length() > 8 * reader.max_string:
            return put_fault(reader, Fault.TOO_LONG)
        return put_copy(reader, NUMBER, integer_text(value))
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


cdef inline bint put_double(Reader* reader, double value) except False:
    if value - value != 0:
        return put_fault(reader, Fault.NOT_FINITE)
    return put_copy(reader, NUMBER, double_text(value))


cdef inline bint open_object(Reader* reader, Kind kind) except -1:
    """Opens a container; False, with a faulty node instead, beyond the depth limit."""
    if reader.tape.depth >= reader.max_depth:
        put_fault(reader, Fault.TOO_DEEP)
        return False
    if not enter(&reader.tape, kind, NULL):
        raise MemoryError
    return True


cdef inline bint close_object(Reader* reader, uint32_t count) except False:
    reader.tape.depth -= 1
    cdef Frame* frame = reader.tape.frames + reader.tape.depth
    cdef Node* node = reader.tape.nodes + frame.node
    node.count = count
    node.next = <uint32_t> reader.tape.used
    if frame.faulty:
        node.flags |= FAULTY
        if reader.tape.depth:
            reader.tape.frames[reader.tape.depth - 1].faulty = True
    return True


cdef inline bint put_sequence(Reader* reader, object values) except False:
    cdef uint32_t count = 0
    if not open_object(reader, ARRAY):
        return True
    for value in <list> values if isinstance(values, list) else <tuple> values:
        put_object(reader, value)
        count += 1
    return close_object(reader, count)


cdef inline bint put_dict(Reader* reader, object mapping) except False:
    cdef PyObject* key = NULL
    cdef PyObject* value = NULL
    cdef Py_ssize_t place = 0
    cdef uint32_t count = 0
    if not open_object(reader, OBJECT):
        return True
    while PyDict_Next(mapping, &place, &key, &value):
        if isinstance(<object> key, str):
            put_string(reader, <object> key)
            put_object(reader, <object> value)
        else:
            put(reader, STRING, b"?", 1)
            put_fault(reader, Fault.NOT_TEXT_KEY)
        count += 1
    return close_object(reader, count)
