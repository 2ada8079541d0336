"""Writing the canonical text of a tape: RFC 8785 with canonical form 1's numbers.

Recursive, and safe to be so: no tape is deeper than the depth limit it was made under.
"""

from libc.stdint cimport uint32_t
from libc.stdlib cimport free
from libc.string cimport memcmp, memcpy

from toolsync._memory cimport Buffer, append, append_byte, reserve
from toolsync._numbers cimport append_decimal
from toolsync._order cimport Item, Items, compare_bytes, compare_keys, push_item, sort_items
from toolsync._tape cimport ARRAY, DECIMAL, OBJECT, STRING, Node, Tape

cdef struct Writer:
    const Tape* tape
    Buffer out
    Buffer spare        # where a sorted set is put together
    Items items         # keys and set members still to be written
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
    memcpy(at + 1, text, size)
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
    cdef size_t base = writer.items.used
    cdef size_t at
    if not sort_members(writer, index) or not append_byte(&writer.out, c'{'):
        return False
    for at in range(base, writer.items.used):
        if not write_key(writer, at, at == base):
            return False
        if not write_value(writer, writer.items.data[at].node + 1):
            return False
    writer.items.used = base
    return append_byte(&writer.out, c'}')


cdef inline bint sort_members(Writer* writer, uint32_t index) noexcept nogil:
    """Pushes the keys of an object in canonical order onto the items."""
    cdef const Node* nodes = writer.tape.nodes
    cdef size_t base = writer.items.used
    cdef uint32_t key = index + 1
    cdef uint32_t left
    for left in range(nodes[index].count):
        if not push_item(&writer.items, nodes[key].text, nodes[key].size, key, nodes[key].flags):
            return False
        key = nodes[key + 1].next
    return sort_items(writer.items.data + base, writer.items.used - base, &compare_keys)


cdef inline bint write_key(Writer* writer, size_t at, bint first) noexcept nogil:
    """Appends a comma unless first, the key of the item at `at`, and a colon."""
    cdef const Item* item = writer.items.data + at
    if not first and not append_byte(&writer.out, c','):
        return False
    if not write_quoted(&writer.out, item.text, item.size):
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
        items[at].prefix = prefix_at(start, items[at].size)
        start += items[at].size


cdef inline unsigned long long prefix_at(const char* text, uint32_t size) noexcept nogil:
    cdef unsigned long long prefix = 0
    cdef uint32_t index
    for index in range(8):
        prefix = prefix << 8 | (<unsigned char> text[index] if index < size else 0)
    return prefix


cdef inline bint equal_items(const Item* a, const Item* b) noexcept nogil:
    return a.size == b.size and memcmp(a.text, b.text, a.size) == 0


cdef inline void discard(Writer* writer) noexcept nogil:
    free(writer.out.data)
    free(writer.spare.data)
    free(writer.items.data)
