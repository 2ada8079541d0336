"""Writing the canonical text of a tape: RFC 8785 with canonical form 1's numbers.

Recursive, and safe to be so: no tape is deeper than the depth limit it was made under.
"""

from libc.stdint cimport uint32_t
from libc.stdlib cimport free
from libc.string cimport memcmp

from toolsync._core.memory cimport Buffer, append, append_byte, copy, reserve
from toolsync._core.numbers cimport append_decimal
from toolsync._core.order cimport Item, Items, compare_bytes, prefix_of, sort_items, sort_members
from toolsync._core.tape cimport ARRAY, DECIMAL, OBJECT, STRING, Node, Tape

cdef struct Writer:
    Tape* tape
    Buffer full         # canonical text
    Buffer part         # canonical text of the projection
    Buffer spare        # where a sorted set is put together
    Items items         # members being sorted
    bint whole          # projecting writes the full text beside
    bint keep_unions    # leave anyOf, allOf and oneOf in their order
    bint union_ref      # a $ref that steps into a union was seen
    bint odd            # the projection left out what no usable tool has


cdef inline bint write_value(Writer* writer, Buffer* out, uint32_t index) noexcept nogil:
    """Appends the value at `index`; False where memory ends, like all writing functions."""
    cdef const Node* node = writer.tape.nodes + index
    if node.kind == STRING:
        return write_quoted(out, node.text, node.size)
    if node.kind == OBJECT:
        return write_object(writer, out, index)
    if node.kind == ARRAY:
        return write_array(writer, out, index)
    if node.kind == DECIMAL:
        return append_decimal(out, node)
    return append(out, node.text, node.size)


cdef inline bint write_quoted(Buffer* out, const char* text, size_t size) noexcept nogil:
    """Appends content between quotes."""
    if not reserve(out, size + 2):
        return False
    cdef char* at = out.data + out.used
    at[0] = c'"'
    copy(at + 1, text, size)
    at[size + 1] = c'"'
    out.used += size + 2
    return True


cdef inline bint write_array(Writer* writer, Buffer* out, uint32_t index) noexcept nogil:
    cdef uint32_t left = writer.tape.nodes[index].count
    cdef uint32_t element = index + 1
    if not append_byte(out, c'['):
        return False
    while left:
        if not write_value(writer, out, element):
            return False
        element = writer.tape.nodes[element].next
        left -= 1
        if left and not append_byte(out, c','):
            return False
    return append_byte(out, c']')


cdef inline bint write_object(Writer* writer, Buffer* out, uint32_t index) noexcept nogil:
    if not sort_members(writer.tape, index, &writer.items) or not append_byte(out, c'{'):
        return False
    cdef uint32_t key = writer.tape.nodes[index].first
    while key:
        if not write_key(out, writer.tape.nodes + key) or not write_value(writer, out, key + 1):
            return False
        key = writer.tape.nodes[key].next
    return append_byte(out, c'}')


cdef inline bint write_key(Buffer* out, const Node* key) noexcept nogil:
    """Appends a key and a colon, a comma before them unless an object has just been opened."""
    if not reserve(out, key.size + 4):
        return False
    cdef char* at = out.data + out.used
    if at[-1] != c'{':
        at[0] = c','
        at += 1
    at[0] = c'"'
    copy(at + 1, key.text, key.size)
    at[key.size + 1] = c'"'
    at[key.size + 2] = c':'
    out.used = at + key.size + 3 - out.data
    return True


cdef inline bint close_set(Writer* writer, size_t base, size_t start, bint fold) noexcept nogil:
    """Turns the members written behind `start` of the projection into a sorted array.

    Their sizes are in the items behind `base`. With `fold`, equal members become one.
    """
    cdef Item* items = writer.items.data + base
    cdef Buffer* spare = &writer.spare
    cdef size_t count = writer.items.used - base
    cdef size_t at
    locate_members(items, count, writer.part.data + start)
    if not sort_items(items, count, &compare_bytes):
        return False
    spare.used = 0
    for at in range(count):
        if fold and at and equal_items(items + at - 1, items + at):
            writer.odd = True
            continue
        if not append_byte(spare, c',' if at else c'['):
            return False
        if not append(spare, items[at].text, items[at].size):
            return False
    writer.items.used = base
    writer.part.used = start
    if count == 0 and not append_byte(&writer.part, c'['):
        return False
    return append(&writer.part, spare.data, spare.used) and append_byte(&writer.part, c']')


cdef inline void locate_members(Item* items, size_t count, const char* start) noexcept nogil:
    """Points each item at its text, now that the output has stopped moving."""
    cdef size_t at
    for at in range(count):
        items[at].text = start
        items[at].prefix = prefix_of(start, items[at].size)
        start += items[at].size


cdef inline bint equal_items(const Item* a, const Item* b) noexcept nogil:
    return a.size == b.size and memcmp(a.text, b.text, a.size) == 0


cdef inline void discard(Writer* writer) noexcept nogil:
    free(writer.full.data)
    free(writer.part.data)
    free(writer.spare.data)
    free(writer.items.data)
