"""Orders: object keys as RFC 8785 sorts them, set members by bytes; repeated keys.

Sorting is a merge sort of our own: stable, no worst case, the same on every platform.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp

from toolsync._core.memory cimport grown, head_of, turned
from toolsync._core.tape cimport ESCAPED, FAULTY, WIDE, Fault, Frame, Node, Tape, same

cdef struct Item:
    uint64_t prefix    # the first eight bytes as a big-endian number; 0 where they may mislead
    const char* text
    uint32_t size
    uint32_t node      # whose key or member this is
    uint8_t flags


cdef struct Items:     # a stack of runs, each run being one object's or set's items
    Item* data
    size_t used
    size_t room


ctypedef int (*Comparison)(const Item*, const Item*) noexcept nogil


cdef inline bint push_item(Items* items, const char* text, uint32_t size, uint32_t node,
                           uint8_t flags) noexcept nogil:
    cdef void* moved
    if items.used == items.room:
        moved = grown(items.data, items.used + 1, &items.room, sizeof(Item))
        if moved == NULL:
            return False
        items.data = <Item*> moved
    cdef Item* item = items.data + items.used
    items.used += 1
    item.text, item.size, item.node, item.flags = text, size, node, flags
    item.prefix = prefix_of(text, size)
    return True


cdef inline uint64_t prefix_of(const char* text, uint32_t size) noexcept nogil:
    return turned(head_of(text, size))


cdef inline int compare_bytes(const Item* a, const Item* b) noexcept nogil:
    """Compares as unsigned bytes, a prefix before what it begins."""
    cdef int order
    if a.prefix != b.prefix:
        return -1 if a.prefix < b.prefix else 1
    order = memcmp(a.text, b.text, a.size if a.size < b.size else b.size)
    if order:
        return order
    return (a.size > b.size) - (a.size < b.size)


cdef inline int compare_keys(const Item* a, const Item* b) noexcept nogil:
    """Compares keys by the UTF-16 code units of their text (RFC 8785 section 3.2.3)."""
    if (a.flags | b.flags) & (ESCAPED | WIDE):
        return compare_code_units(a, b)
    return compare_bytes(a, b)


cdef inline int compare_code_units(const Item* a, const Item* b) noexcept nogil:
    cdef const char* p = a.text
    cdef const char* q = b.text
    cdef const char* a_end = p + a.size
    cdef const char* b_end = q + b.size
    cdef uint32_t left, right
    while p < a_end and q < b_end:
        left, right = sort_key(&p), sort_key(&q)
        if left != right:
            return -1 if left < right else 1
    return (p < a_end) - (q < b_end)


cdef inline uint32_t sort_key(const char** at) noexcept nogil:
    """Takes one character of canonical content; a number that sorts as its UTF-16 units do.

    Beyond the first 65,536 characters the first unit is a surrogate, which sorts
    before U+E000: those characters keep their order, moved between U+D7FF and U+E000.
    """
    cdef uint32_t code = take_code_point(at)
    if code >= 0x10000:
        return 0xD800 + code
    return code + 0x200000 if code >= 0xE000 else code


cdef inline uint32_t take_code_point(const char** at) noexcept nogil:
    """Decodes one character of canonical content, which is valid by construction."""
    cdef const uint8_t* p = <const uint8_t*> at[0]
    cdef int size, index
    if p[0] == c'\\':
        return take_escape(at)
    size = 1 if p[0] < 0x80 else 2 if p[0] < 0xE0 else 3 if p[0] < 0xF0 else 4
    cdef uint32_t code = p[0] if size == 1 else p[0] & (0x7F >> size)
    for index in range(1, size):
        code = code << 6 | (p[index] & 0x3F)
    at[0] += size
    return code


cdef inline uint32_t take_escape(const char** at) noexcept nogil:
    cdef const char* p = at[0] + 2
    cdef char letter = at[0][1]
    if letter == c'u':
        at[0] += 6
        if p[0] != c'0':  # a lone surrogate, which is kept as an escape
            return 0xFFFD
        return <uint32_t> ((p[2] - c'0') << 4 | (p[3] - c'0' if p[3] <= c'9' else p[3] - c'a' + 10))
    at[0] += 2
    if letter == c'n':
        return 10
    if letter == c't':
        return 9
    if letter == c'r':
        return 13
    if letter == c'b':
        return 8
    return 12 if letter == c'f' else <uint8_t> letter


cdef inline bint sort_members(Tape* tape, uint32_t index, Items* items) noexcept nogil:
    """Links the keys of an object in canonical order: from `first` on, `next` by `next`, to 0.

    Done once for a tape, however often it is written. False where memory ends.
    """
    cdef Node* nodes = tape.nodes
    cdef size_t base = items.used
    cdef uint32_t key = index + 1
    cdef uint32_t left
    if nodes[index].first or nodes[index].count == 0:
        return True
    for left in range(nodes[index].count):
        if not push_item(items, nodes[key].text, nodes[key].size, key, nodes[key].flags):
            return False
        key = nodes[key + 1].next
    if not sort_items(items.data + base, items.used - base, &compare_keys):
        return False
    key = 0
    while items.used > base:
        items.used -= 1
        nodes[items.data[items.used].node].next = key
        key = items.data[items.used].node
    nodes[index].first = key
    return True


cdef inline bint sort_items(Item* items, size_t count, Comparison compare) noexcept nogil:
    """Sorts in place: by insertion up to 16 items, by merging beyond. False where memory ends."""
    cdef size_t run
    cdef Item* spare
    if count <= 16:
        insert_all(items, count, compare)
        return True
    spare = <Item*> malloc(count * sizeof(Item))
    if spare == NULL:
        return False
    for run in range(0, count, 16):
        insert_all(items + run, 16 if count - run > 16 else count - run, compare)
    run = 16
    while run < count:
        merge_all(items, spare, count, run, compare)
        run *= 2
    free(spare)
    return True


cdef inline void insert_all(Item* items, size_t count, Comparison compare) noexcept nogil:
    cdef size_t index, at
    cdef Item item
    for index in range(1, count):
        if compare(items + index - 1, items + index) <= 0:
            continue
        item = items[index]
        at = index
        while at > 0 and compare(items + at - 1, &item) > 0:
            items[at] = items[at - 1]
            at -= 1
        items[at] = item


cdef inline void merge_all(Item* items, Item* spare, size_t count, size_t run,
                           Comparison compare) noexcept nogil:
    """Merges neighbouring sorted runs of `run` items."""
    cdef size_t start = 0
    cdef size_t end
    while start + run < count:
        end = start + 2 * run if start + 2 * run < count else count
        merge(items + start, spare, run, end - start, compare)
        start = end


cdef inline void merge(Item* items, Item* spare, size_t middle, size_t count,
                       Comparison compare) noexcept nogil:
    cdef size_t left = 0, right = middle, at = 0
    while left < middle or right < count:
        if right == count or (left < middle and compare(items + left, items + right) <= 0):
            spare[at] = items[left]
            left += 1
        else:
            spare[at] = items[right]
            right += 1
        at += 1
    for at in range(count):
        items[at] = spare[at]


cdef inline bint may_repeat(const Tape* tape, uint32_t holder) noexcept nogil:
    """Rules out most objects without sorting: True where two hashes agree, or too many to try."""
    cdef uint32_t hashes[24]
    cdef uint32_t count = tape.nodes[holder].count
    cdef uint32_t key = holder + 1
    cdef uint32_t index, other
    cdef bint found = count > 24
    if found:
        return True
    for index in range(count):
        hashes[index] = tape.nodes[key].count
        for other in range(index):
            found |= hashes[other] == hashes[index]
        key = tape.nodes[key + 1].next
    return found


cdef inline bint blame_repeated_keys(Tape* tape, Frame* frame) noexcept nogil:
    """Blames the first key that an object holds twice, at its later place; False where memory ends."""
    cdef Items keys = Items(NULL, 0, 0)
    cdef uint32_t key = frame.node + 1
    cdef uint32_t left
    cdef bint enough = True
    for left in range(tape.nodes[frame.node].count):
        enough = enough and push_item(&keys, tape.nodes[key].text, tape.nodes[key].size, key, 0)
        key = tape.nodes[key + 1].next
    if enough:
        enough = sort_items(keys.data, keys.used, &compare_bytes)
    key = first_repeat(tape, &keys) if enough else 0
    if key:
        tape.nodes[key].fault = Fault.DUPLICATE_KEY
        tape.nodes[key].flags |= FAULTY
        frame.faulty = True
    free(keys.data)
    return enough


cdef inline uint32_t first_repeat(const Tape* tape, const Items* keys) noexcept nogil:
    """Gives the first of the sorted keys' nodes that equals one before it, or 0."""
    cdef uint32_t first = 0, key
    cdef size_t index
    for index in range(1, keys.used):
        key = keys.data[index].node
        if same(tape.nodes + keys.data[index - 1].node, tape.nodes + key):
            if first == 0 or key < first:
                first = key
    return first
