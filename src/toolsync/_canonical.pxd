"""Writing the canonical text of a tape: RFC 8785 with canonical form 1's numbers.

Recursive, and safe to be so: no tape is deeper than the depth limit it was made under.
"""

from libc.stdint cimport uint32_t
from libc.stdlib cimport free
from libc.string cimport memcmp

from toolsync._memory cimport Buffer, append, append_byte, copy, reserve
from toolsync._numbers cimport append_decimal
from toolsync._order cimport Item, Items, compare_bytes, prefix_of, sort_items, sort_members
from toolsync._tape cimport ARRAY, DECIMAL, OBJECT, STRING, Node, Tape

cdef struct Writer:
    Tape* tape
    Buffer out
    Buffer spare        # where a sorted set is put together
    Items items         # members being sorted
    bint keep_unions    # leave anyOf, allOf and oneOf in their order
    bint union_ref      # a $ref that steps into a union was seen


cdef inline bint write_value(Writer* writer, uint32_t index) noexcept nogil:
    """Appends the value at `index`; False where memory ends, like all writing functions."""
    cdef const Node* node = writer.tape.nodes + index
    if node.kind == STRING:
        return write_string(writer, node)
    if node.kind == OBJECT:
        return write_object(writer, index)
    if node.kind == ARRAY:
        return write_array(writer, index)
    if node.kind == DECIMAL:
        return append_decimal(&writer.out, node)
    return append(&writer.out, node.text, node.size)


cdef inline bint write_string(Writer* writer, const Node* node) noexcept nogil:
    return write_quoted(&writer.out, node.text, node.size)


cdef inline bint write_quoted(Buffer* out, const char* text, size_t size) noexcept nogil:
    """Appends content between quotes, and leaves room for one more byte."""
    if not reserve(out, size + 3):
        return False
    cdef char* at = out.data + out.used
    at[0] = c'"'
    copy(at + 1, text, size)
    at[size + 1] = c'"'
    out.used += size + 2
    return True


cdef inline bint write_array(Writer* writer, uint32_t index) noexcept nogil:
    cdef uint32_t left = writer.tape.nodes[index].count
    cdef uint32_t element = index + 1
    if not append_byte(&writer.out, c'['):
        return False
    while left:
        if not write_value(writer, element):
            return False
        element = writer.tape.nodes[element].next
        left -= 1
        if left and not append_byte(&writer.out, c','):
            return False
    return append_byte(&writer.out, c']')


cdef inline bint write_object(Writer* writer, uint32_t index) noexcept nogil:
    cdef bint first = True
    if not sort_members(writer.tape, index, &writer.items) or not append_byte(&writer.out, c'{'):
        return False
    cdef uint32_t key = writer.tape.nodes[index].first
    while key:
        if not write_key(writer, key, first) or not write_value(writer, key + 1):
            return False
        key, first = writer.tape.nodes[key].next, False
    return append_byte(&writer.out, c'}')


cdef inline bint write_key(Writer* writer, uint32_t key, bint first) noexcept nogil:
    """Appends a comma unless first, a key, and a colon."""
    cdef const Node* node = writer.tape.nodes + key
    if not first and not append_byte(&writer.out, c','):
        return False
    if not write_quoted(&writer.out, node.text, node.size):
        return False
    writer.out.data[writer.out.used] = c':'  # write_quoted left room
    writer.out.used += 1
    return True


cdef inline bint close_set(Writer* writer, size_t base, size_t start, bint fold) noexcept nogil:
    """Turns the members written behind `start` (their ends pushed behind `base`) into a sorted array.

    With `fold`, equal members become one.
    """
    cdef Items* items = &writer.items
    cdef size_t count = items.used - base
    cdef size_t at
    locate_members(items.data + base, count, writer.out.data + start)
    if not sort_items(items.data + base, count, &compare_bytes):
        return False
    writer.spare.used = 0
    if not append_byte(&writer.spare, c'['):
        return False
    for at in range(count):
        if fold and at and equal_items(items.data + base + at - 1, items.data + base + at):
            continue
        if at and not append_byte(&writer.spare, c','):
            return False
        if not append(&writer.spare, items.data[base + at].text, items.data[base + at].size):
            return False
    items.used = base
    writer.out.used = start
    return append(&writer.out, writer.spare.data, writer.spare.used) \
        and append_byte(&writer.out, c']')


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
    free(writer.out.data)
    free(writer.spare.data)
    free(writer.items.data)
