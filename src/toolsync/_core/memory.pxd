"""Growable memory for the core: a byte buffer, and an arena whose bytes never move."""

from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy

cdef extern from *:
    """
    /* The number that the first eight bytes make (fewer are followed by zeros), the first byte
       counting least; and that number with its bytes turned round, which sorts as the text. Put
       together in registers: bytes gathered in memory would have to be waited for. */
    #if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
      #define toolsync_turned(number) __builtin_bswap64(number)
      static CYTHON_INLINE unsigned long long toolsync_head(const char* text, size_t size) {
          unsigned long long word;
          unsigned int low, high;
          const unsigned char* bytes = (const unsigned char*) text;
          if (size >= 8) { memcpy(&word, text, 8); return word; }
          if (size >= 4) {
              memcpy(&low, text, 4); memcpy(&high, text + size - 4, 4);
              return low | (unsigned long long) high << 8 * (size - 4);
          }
          if (size == 0) return 0;
          return bytes[0] | (unsigned long long) bytes[size >> 1] << 8 * (size >> 1)
                          | (unsigned long long) bytes[size - 1] << 8 * (size - 1);
      }
    #else
      static CYTHON_INLINE unsigned long long toolsync_head(const char* text, size_t size) {
          unsigned long long number = 0;
          size_t index = size < 8 ? size : 8;
          while (index--) number = number << 8 | (unsigned char) text[index];
          return number;
      }
      static CYTHON_INLINE unsigned long long toolsync_turned(unsigned long long number) {
          unsigned long long turned = 0;
          int index;
          for (index = 0; index < 8; index++) turned = turned << 8 | (number >> 8 * index & 255);
          return turned;
      }
    #endif
    """
    uint64_t head_of "toolsync_head" (const char* text, size_t size) noexcept nogil
    uint64_t turned "toolsync_turned" (uint64_t number) noexcept nogil


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


cdef inline bint same_bytes(const Buffer* a, const Buffer* b) noexcept nogil:
    return a.used == b.used and memcmp(a.data, b.data, a.used) == 0


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
