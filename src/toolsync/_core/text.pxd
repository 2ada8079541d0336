"""Reading JSON text onto the tape: strict (RFC 8259), iterative, no recursion.

Two kinds of trouble are told apart. A text that no JSON reader accepts ends the
reading (`refuse`). A text fault (repeated key, lone surrogate, a number that a double
cannot hold, a limit) marks its node and reading goes on, so that one bad tool does
not hide its neighbours.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp

from toolsync._core.memory cimport Buffer, append_byte
from toolsync._core.numbers cimport is_digit, read_number
from toolsync._core.order cimport blame_repeated_keys, may_repeat
from toolsync._core.reader cimport Reader, emit, refuse, skip_space
from toolsync._core.strings cimport read_string
from toolsync._core.tape cimport (
    ARRAY, FAULTY, FALSE, LEAF, NULL_, OBJECT, TRUE, Fault, Frame, Kind, Node, Tape,
    blame, clear, enter, hash_of, release,
)


cdef inline const char* read_value(Reader* reader, const char* p) noexcept nogil:
    """Reads one whole value at `p` onto an empty tape; returns behind it, or NULL."""
    clear(&reader.tape)
    reader.reason = NULL
    p = read_item(reader, skip_space(p))
    while p != NULL and reader.tape.depth:
        p = read_step(reader, p)
    return p


cdef inline const char* read_step(Reader* reader, const char* p) noexcept nogil:
    """Reads the next member of the innermost open container, or its end."""
    cdef Frame* frame = reader.tape.frames + reader.tape.depth - 1
    cdef Node* holder = reader.tape.nodes + frame.node
    cdef bint is_object = holder.kind == OBJECT
    p = skip_space(p)
    if p[0] == (c'}' if is_object else c']'):
        return close(reader, p + 1)
    if holder.count:
        if p[0] != c',':
            return refuse_separator(reader, p, is_object)
        p = skip_space(p + 1)
    holder.count += 1
    if is_object:
        p = read_key(reader, p, frame)
        if p == NULL:
            return NULL
    return read_item(reader, p)


cdef inline const char* refuse_separator(Reader* reader, const char* p,
                                         bint is_object) noexcept nogil:
    if p >= reader.end:
        return refuse(reader, p, b"the text ends inside an object" if is_object
                      else b"the text ends inside an array")
    return refuse(reader, p, b"expected ',' or '}'" if is_object else b"expected ',' or ']'")


cdef inline const char* read_key(Reader* reader, const char* p, Frame* frame) noexcept nogil:
    """Reads a key and its colon; returns at the value."""
    if p[0] != c'"':
        return refuse(reader, p, b"expected a key in double quotes")
    cdef size_t index = reader.tape.used
    p = read_string(reader, p + 1)
    if p == NULL:
        return NULL
    note_key(frame, reader.tape.nodes + index)
    p = skip_space(p)
    if p[0] != c':':
        return refuse(reader, p, b"expected ':' after a key")
    return skip_space(p + 1)


cdef inline void note_key(Frame* frame, Node* key) noexcept nogil:
    """Remembers a key's hash, and whether the object may hold the key twice."""
    key.count = hash_of(key.text, key.size)
    cdef uint64_t bit = <uint64_t> 1 << (key.count & 63)
    if frame.seen & bit:
        frame.suspect = True
    frame.seen |= bit


cdef inline const char* read_item(Reader* reader, const char* p) noexcept nogil:
    """Reads a scalar whole, or the opening of a container."""
    cdef char c = p[0]
    if c == c'"':
        return read_string(reader, p + 1)
    if c == c'{' or c == c'[':
        return open_container(reader, p)
    if c == c'-' or is_digit(c):
        return read_number(reader, p)
    if c == c't':
        return read_word(reader, p, b"true", 4, TRUE)
    if c == c'f':
        return read_word(reader, p, b"false", 5, FALSE)
    if c == c'n':
        return read_word(reader, p, b"null", 4, NULL_)
    if p >= reader.end:
        return refuse(reader, p, b"the text ends where a value is expected")
    return refuse(reader, p, b"expected a value")


cdef inline const char* read_word(Reader* reader, const char* p, const char* word, size_t size,
                                  Kind kind) noexcept nogil:
    if <size_t> (reader.end - p) < size or memcmp(p, word, size) != 0:
        return refuse(reader, p, b"expected a value")
    return p + size if emit(reader, kind, p, size) != NULL else NULL


cdef inline const char* open_container(Reader* reader, const char* p) noexcept nogil:
    if reader.tape.depth >= reader.max_depth:
        return skip_container(reader, p)
    if not enter(&reader.tape, OBJECT if p[0] == c'{' else ARRAY, p):
        return NULL
    return p + 1


cdef inline const char* close(Reader* reader, const char* p) noexcept nogil:
    """Closes the innermost container, which ends before `p`."""
    cdef Tape* tape = &reader.tape
    tape.depth -= 1
    cdef Frame* frame = tape.frames + tape.depth
    cdef Node* node = tape.nodes + frame.node
    node.size = <uint32_t> (p - node.text)
    node.next = <uint32_t> tape.used
    if frame.suspect and may_repeat(tape, frame.node) and not blame_repeated_keys(tape, frame):
        return NULL
    if frame.faulty:
        node.flags |= FAULTY
        if tape.depth:
            tape.frames[tape.depth - 1].faulty = True
    if reader.outline and tape.depth >= 2 and is_detail(tape):
        node.flags |= LEAF
        node.next = frame.node + 1
        tape.used = node.next
        release(&tape.arena, frame.block, frame.block_used)
    return p


cdef inline bint is_detail(const Tape* tape) noexcept nogil:
    """Tells whether what just closed is a member of an object that is an array's element."""
    return (tape.nodes[tape.frames[tape.depth - 1].node].kind == OBJECT
            and tape.nodes[tape.frames[tape.depth - 2].node].kind == ARRAY)


cdef inline const char* skip_container(Reader* reader, const char* p) noexcept nogil:
    """Reads a container beyond the depth limit, one byte of memory a level; leaves a faulty leaf."""
    cdef Buffer levels = Buffer(NULL, 0, 0)
    cdef const char* start = p
    cdef size_t index = reader.tape.used
    cdef Node* node = emit(reader, OBJECT if p[0] == c'{' else ARRAY, p, 0)
    if node == NULL or not append_byte(&levels, p[0]):
        return NULL
    blame(&reader.tape, node, Fault.TOO_DEEP)
    node.flags |= LEAF
    p += 1
    while p != NULL and levels.used:
        p = skip_step(reader, p, &levels)
        reader.tape.used = index + 1
    free(levels.data)
    if p != NULL:
        reader.tape.nodes[index].size = <uint32_t> (p - start)
    return p


cdef inline const char* skip_step(Reader* reader, const char* p, Buffer* levels) noexcept nogil:
    """Does what `read_step` does without a frame: the level's byte turns to ',' after a member."""
    cdef char* level = levels.data + levels.used - 1
    cdef bint is_object = (level[0] & 0x7F) == c'{'
    p = skip_space(p)
    if p[0] == (c'}' if is_object else c']'):
        levels.used -= 1
        return p + 1
    if level[0] & <char> 0x80:
        if p[0] != c',':
            return refuse_separator(reader, p, is_object)
        p = skip_space(p + 1)
    level[0] |= <char> 0x80
    cdef Frame unused
    unused.seen, unused.suspect = 0, False
    if is_object:
        p = read_key(reader, p, &unused)
        if p == NULL:
            return NULL
    if p[0] == c'{' or p[0] == c'[':
        return p + 1 if append_byte(levels, p[0]) else NULL
    return read_item(reader, p)
