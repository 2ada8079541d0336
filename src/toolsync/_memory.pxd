"""Growable memory for the core: a byte buffer, and an arena whose bytes never move."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

cdef struct Buffer:
    char* data
    size_t used
    size_t room


cdef struct Block:  # the bytes follow the header
    Block* before
    size_t used
    size_t room


cdef struct Arena:
    Block* block


cdef inline void* grown(void* data, size_t needed, size_t* room, size_t item) noexcept nogil:
    """Reallocates to hold at least `needed` items, doubling; NULL where memory ends."""
    cdef size_t wanted = room[0] * 2 if room[0] * 2 > needed else needed
    if wanted < 64:
        wanted = 64
    cdef void* moved = realloc(data, wanted * item)
    if moved != NULL:
        room[0] = wanted
    return moved


cdef inline bint reserve(Buffer* out, size_t more) noexcept nogil:
    """Makes room for `more` bytes; False where memory ends."""
    if out.used + more <= out.room:
        return True
    cdef void* moved = grown(out.data, out.used + more, &out.room, 1)
    if moved == NULL:
        return False
    out.data = <char*> moved
    return True


cdef inline void copy(char* to, const char* text, size_t size) noexcept nogil:
    """Copies bytes; most runs are short, and two overlapping words beat a call."""
    if size > 16:
        memcpy(to, text, size)
    elif size >= 8:
        memcpy(to, text, 8)
        memcpy(to + size - 8, text + size - 8, 8)
    elif size >= 4:
        memcpy(to, text, 4)
        memcpy(to + size - 4, text + size - 4, 4)
    elif size:
        to[0] = text[0]
        to[size >> 1] = text[size >> 1]
        to[size - 1] = text[size - 1]


cdef inline uint64_t head_of(const char* text, size_t size) noexcept nogil:
    """Packs the first eight bytes into a word, each at its place in memory; fewer are padded with 0."""
    cdef uint64_t word = 0
    copy(<char*> &word, text, size if size < 8 else 8)
    return word


cdef inline bint append(Buffer* out, const char* text, size_t size) noexcept nogil:
    if not reserve(out, size):
        return False
    copy(out.data + out.used, text, size)
    out.used += size
    return True


cdef inline bint append_byte(Buffer* out, char byte) noexcept nogil:
    if not reserve(out, 1):
        return False
    out.data[out.used] = byte
    out.used += 1
    return True


cdef inline char* take(Arena* arena, size_t size) noexcept nogil:
    """Hands out `size` bytes that stay where they are until the arena is freed."""
    cdef Block* block = arena.block
    cdef size_t room
    if block == NULL or block.room - block.used < size:
        room = size if size > 4000 else 4000
        block = <Block*> malloc(sizeof(Block) + room)
        if block == NULL:
            return NULL
        block.before, block.used, block.room = arena.block, 0, room
        arena.block = block
    cdef char* start = <char*> block + sizeof(Block) + block.used
    block.used += size
    return start


cdef inline void release(Arena* arena, Block* block, size_t used) noexcept nogil:
    """Gives back all that was taken since the arena stood at `block` with `used` bytes."""
    cdef Block* last
    while arena.block != block:
        last = arena.block
        arena.block = last.before
        free(last)
    if block != NULL:
        block.used = used


cdef inline void empty(Arena* arena) noexcept nogil:
    """Gives everything back and keeps one block for what comes next."""
    cdef Block* kept = arena.block
    if kept == NULL:
        return
    arena.block = kept.before
    release(arena, NULL, 0)
    kept.before, kept.used = NULL, 0
    arena.block = kept
