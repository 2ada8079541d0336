"""The tape: one JSON value as a flat run of nodes, whether it was read from text or objects.

Every string node holds *canonical* content (the bytes between the quotes as RFC 8785
writes them), so equal strings are equal bytes and writing one is a copy. A key is a
string node directly before its value. Nodes point into the text, or into the arena
where the spelling had to change.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy

from toolsync._core.memory cimport Arena, Block, empty, grown, head_of, release

cdef enum Kind:
    OBJECT
    ARRAY
    STRING
    NUMBER   # canonical text
    DECIMAL  # a literal with fraction or exponent, made canonical when written
    TRUE
    FALSE
    NULL_

cdef enum:
    ESCAPED = 1      # a string with a backslash in it
    WIDE = 2         # a string with a byte above 0x7F
    FAULTY = 4       # a fault stands here or below
    LEAF = 8         # a container whose inside was read and let go

cdef enum Fault:
    NO_FAULT
    DUPLICATE_KEY
    LONE_SURROGATE
    TOO_LARGE
    TOO_SMALL
    LOST_FRACTION
    TOO_DEEP
    TOO_LONG
    NOT_FINITE
    NOT_TEXT_KEY
    NOT_JSON_TYPE


cdef struct Node:
    const char* text   # scalars: canonical content; containers read from text: first byte
    uint32_t size      # bytes of text
    uint32_t next      # index behind this value; keys, once sorted: the next key in order, or 0
    uint32_t count     # containers: members; keys: hash of the content
    uint32_t first     # objects, once sorted: the first key in canonical order
    uint8_t kind
    uint8_t flags
    uint8_t fault


cdef struct Frame:     # one container that is still open
    Block* block       # where the arena stood when it opened
    size_t block_used
    uint64_t seen      # one bit for each key hash modulo 64
    uint32_t node
    bint suspect       # two keys share a bit: look closer when it closes
    bint faulty


cdef enum:
    MOST_NODES = 1 << 24  # 512 MiB of them; a tool in an outline takes about a dozen


cdef struct Tape:
    bint crowded          # MOST_NODES were not enough
    Node* nodes
    size_t used
    size_t room
    Frame* frames
    size_t depth
    size_t frame_room
    Arena arena


cdef inline Node* push(Tape* tape, Kind kind, const char* text, size_t size) noexcept nogil:
    """Appends a node that spans itself alone; NULL where memory ends."""
    cdef void* moved
    if tape.used == tape.room:
        if tape.room >= MOST_NODES:
            tape.crowded = True
            return NULL
        moved = grown(tape.nodes, tape.used + 1, &tape.room, sizeof(Node))
        if moved == NULL:
            return NULL
        tape.nodes = <Node*> moved
    cdef Node* node = tape.nodes + tape.used
    tape.used += 1
    node.text, node.size, node.count, node.first = text, <uint32_t> size, 0, 0
    node.next = <uint32_t> tape.used
    node.kind, node.flags, node.fault = kind, 0, NO_FAULT
    return node


cdef inline bint enter(Tape* tape, Kind kind, const char* text) noexcept nogil:
    """Opens a container; False where memory ends."""
    cdef void* moved
    if tape.depth == tape.frame_room:
        moved = grown(tape.frames, tape.depth + 1, &tape.frame_room, sizeof(Frame))
        if moved == NULL:
            return False
        tape.frames = <Frame*> moved
    if push(tape, kind, text, 0) == NULL:
        return False
    cdef Frame* frame = tape.frames + tape.depth
    tape.depth += 1
    frame.node = <uint32_t> tape.used - 1
    frame.seen, frame.suspect, frame.faulty = 0, False, False
    frame.block = tape.arena.block
    frame.block_used = 0 if frame.block == NULL else frame.block.used
    return True


cdef inline void blame(Tape* tape, Node* node, Fault fault) noexcept nogil:
    """Marks a node as faulty, and the open containers around it."""
    node.fault = fault
    node.flags |= FAULTY
    if tape.depth:
        tape.frames[tape.depth - 1].faulty = True


cdef inline bint same(const Node* a, const Node* b) noexcept nogil:
    """Tells whether two string nodes hold equal text."""
    return a.size == b.size and memcmp(a.text, b.text, a.size) == 0


cdef inline bint spells(const Node* node, const char* word, size_t size) noexcept nogil:
    """Tells whether a string node holds exactly the (plain ASCII) word."""
    return node.size == size and memcmp(node.text, word, size) == 0


cdef inline uint32_t hash_of(const char* text, size_t size) noexcept nogil:
    """Mixes length, first and last eight bytes: enough to tell the keys of one object apart."""
    cdef uint64_t head = head_of(text, size), tail = 0
    if size > 8:
        memcpy(&tail, text + size - 8, 8)
    head = (head ^ size) * <uint64_t> 0x9E3779B97F4A7C15u
    head = (head ^ (head >> 29) ^ tail) * <uint64_t> 0xBF58476D1CE4E5B9u
    return <uint32_t> (head >> 32)


cdef inline void clear(Tape* tape) noexcept nogil:
    """Empties the tape and keeps its memory for the next value."""
    tape.used = 0
    tape.depth = 0
    empty(&tape.arena)


cdef inline void destroy(Tape* tape) noexcept nogil:
    release(&tape.arena, NULL, 0)
    free(tape.nodes)
    free(tape.frames)


cdef inline Node* member(const Tape* tape, const Node* holder, const char* word,
                         size_t size) noexcept nogil:
    """Finds an object's member by its key: the value, or NULL."""
    cdef Node* key = <Node*> holder + 1
    cdef uint32_t left
    if holder.kind != OBJECT or holder.flags & LEAF:
        return NULL
    for left in range(holder.count):
        if spells(key, word, size):
            return key + 1
        key = tape.nodes + (key + 1).next
    return NULL
