"""Reading JSON strings: strict UTF-8, strict escapes, canonical content out."""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

from toolsync._core.memory cimport take
from toolsync._core.reader cimport Reader, emit, refuse
from toolsync._core.tape cimport ESCAPED, STRING, WIDE, Fault, Node, blame

cdef extern from *:
    """
    /* Where a run of bytes that stand for themselves ends: at a byte below 0x20, a quote, a
       backslash, a byte above 0x7F, or the end. Sixteen bytes a step where the machine has
       vectors of that size for certain, else eight with word arithmetic. */
    #if defined(__GNUC__) && defined(__SSE2__)
      #include <emmintrin.h>
      static CYTHON_INLINE const char* toolsync_plain_run(const char* p, const char* end) {
          const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\\\');
          const __m128i space = _mm_set1_epi8(0x20);
          while (end - p >= 16) {
              __m128i bytes = _mm_loadu_si128((const __m128i*) p);
              __m128i special = _mm_or_si128(
                  _mm_cmplt_epi8(bytes, space), /* signed: bytes above 0x7F are below it, too */
                  _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)));
              int found = _mm_movemask_epi8(special);
              if (found) return p + __builtin_ctz(found);
              p += 16;
          }
          while (p < end && (signed char) *p >= 0x20 && *p != '"' && *p != '\\\\') p++;
          return p;
      }
    #else
      static CYTHON_INLINE const char* toolsync_plain_run(const char* p, const char* end) {
          const unsigned long long ones = 0x0101010101010101ULL;
          while (end - p >= 8) {
              unsigned long long word, special;
              memcpy(&word, p, 8);
              special = (word - ones * 0x20) | ((word ^ (ones * 0x22)) - ones)
                      | ((word ^ (ones * 0x5C)) - ones);
              if (((special & ~word) | word) & (ones * 0x80)) break;
              p += 8;
          }
          while (p < end && (signed char) *p >= 0x20 && *p != '"' && *p != '\\\\') p++;
          return p;
      }
    #endif
    """
    const char* plain_run "toolsync_plain_run" (const char* p, const char* end) noexcept nogil

cdef enum:
    REWRITE = 16  # an escape that canonical text spells otherwise


cdef inline const char* read_string(Reader* reader, const char* p) noexcept nogil:
    """Reads the string whose opening quote stands before `p`; returns behind its closing quote."""
    cdef const char* q = plain_run(p, reader.end)
    if q[0] == c'"':
        return q + 1 if emit(reader, STRING, p, q - p) != NULL else NULL
    return read_marked_string(reader, p, q)


cdef inline const char* read_marked_string(Reader* reader, const char* start,
                                           const char* p) noexcept nogil:
    """Reads on from `p` inside a string that holds escapes or bytes above 0x7F."""
    cdef uint8_t marks = 0
    while p[0] != c'"' or p >= reader.end:
        if p >= reader.end:
            return refuse(reader, p, b"the text ends inside a string")
        if p[0] == c'\\':
            p = read_escape(reader, p + 1, &marks)
        elif <uint8_t> p[0] < 0x20:
            return refuse(reader, p, b"a control character inside a string must be escaped")
        else:
            marks |= WIDE
            p = read_sequence(reader, p)
        if p == NULL:
            return NULL
        p = plain_run(p, reader.end)
    return p + 1 if emit_marked(reader, start, p - start, marks) else NULL


cdef inline bint emit_marked(Reader* reader, const char* start, size_t size,
                             uint8_t marks) noexcept nogil:
    cdef bint lone = False
    cdef char* content
    if marks & REWRITE:
        content = take(&reader.tape.arena, size)
        if content == NULL:
            return False
        size = rewrite(start, size, content, &lone)
        start = content
    cdef Node* node = emit(reader, STRING, start, size)
    if node == NULL:
        return False
    node.flags |= marks & (ESCAPED | WIDE)
    if marks & REWRITE:  # the rewriting may have brought wide characters or left no escape
        node.flags |= ESCAPED | WIDE
    if lone:
        blame(&reader.tape, node, Fault.LONE_SURROGATE)
    return True


cdef inline const char* read_escape(Reader* reader, const char* p, uint8_t* marks) noexcept nogil:
    """Checks one escape, its backslash before `p`."""
    cdef int digit
    marks[0] |= ESCAPED
    if p >= reader.end:
        return refuse(reader, p, b"the text ends inside a string")
    if p[0] == c'u':
        marks[0] |= REWRITE
        for digit in range(1, 5):
            if hex_value(p[digit]) < 0:
                return refuse(reader, p + digit, b"expected four hexadecimal digits after \\u")
        return p + 5
    if p[0] == c'/':
        marks[0] |= REWRITE
        return p + 1
    if p[0] == c'"' or p[0] == c'\\' or p[0] == c'n' or p[0] == c't' or p[0] == c'r' \
            or p[0] == c'b' or p[0] == c'f':
        return p + 1
    return refuse(reader, p, b"no such escape: expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")


cdef inline int hex_value(char c) noexcept nogil:
    if c'0' <= c <= c'9':
        return c - c'0'
    if c'a' <= c <= c'f':
        return c - c'a' + 10
    if c'A' <= c <= c'F':
        return c - c'A' + 10
    return -1


cdef inline const char* read_sequence(Reader* reader, const char* p) noexcept nogil:
    """Checks one UTF-8 sequence of two to four bytes (RFC 3629: no overlong forms, no surrogates)."""
    cdef uint8_t lead = <uint8_t> p[0], second = <uint8_t> p[1]
    cdef int size = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
    cdef uint8_t low = 0x80, high = 0xBF
    cdef int index
    if lead < 0xC2 or lead > 0xF4:
        return refuse(reader, p, b"not UTF-8")
    if lead == 0xE0:
        low = 0xA0
    elif lead == 0xED:
        high = 0x9F
    elif lead == 0xF0:
        low = 0x90
    elif lead == 0xF4:
        high = 0x8F
    if not low <= second <= high:
        return refuse(reader, p, b"not UTF-8")
    for index in range(2, size):
        if (<uint8_t> p[index] & 0xC0) != 0x80:
            return refuse(reader, p, b"not UTF-8")
    return p + size


cdef inline size_t rewrite(const char* p, size_t size, char* out, bint* lone) noexcept nogil:
    """Spells checked content as RFC 8785 does; never longer than the original. Returns the size."""
    cdef const char* end = p + size
    cdef char* at = out
    while p < end:
        if p[0] != c'\\':
            at[0] = p[0]
            p, at = p + 1, at + 1
        elif p[1] == c'/':
            at[0] = c'/'
            p, at = p + 2, at + 1
        elif p[1] == c'u':
            p = rewrite_code_point(p, end, &at, lone)
        else:
            at[0], at[1] = p[0], p[1]
            p, at = p + 2, at + 2
    return at - out


cdef inline const char* rewrite_code_point(const char* p, const char* end, char** at,
                                           bint* lone) noexcept nogil:
    """Rewrites the \\u escape at `p`, taking a following low surrogate with it."""
    cdef uint32_t code = code_unit(p), low
    p += 6
    if 0xD800 <= code <= 0xDBFF and end - p >= 6 and p[0] == c'\\' and p[1] == c'u':
        low = code_unit(p)
        if 0xDC00 <= low <= 0xDFFF:
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00)
            p += 6
    if 0xD800 <= code <= 0xDFFF:
        lone[0] = True
    at[0] = put_code_point(at[0], code)
    return p


cdef inline uint32_t code_unit(const char* p) noexcept nogil:
    return <uint32_t> (hex_value(p[2]) << 12 | hex_value(p[3]) << 8
                       | hex_value(p[4]) << 4 | hex_value(p[5]))


cdef inline char* put_code_point(char* at, uint32_t code) noexcept nogil:
    """Writes one character as canonical content: at most six bytes; returns behind it."""
    if code < 0x80:
        return put_ascii(at, <char> code)
    if code < 0x800:
        at[0] = <char> (0xC0 | code >> 6)
        at[1] = <char> (0x80 | code & 0x3F)
        return at + 2
    if 0xD800 <= code <= 0xDFFF:
        return put_surrogate(at, code)
    if code < 0x10000:
        at[0] = <char> (0xE0 | code >> 12)
        at[1] = <char> (0x80 | code >> 6 & 0x3F)
        at[2] = <char> (0x80 | code & 0x3F)
        return at + 3
    at[0] = <char> (0xF0 | code >> 18)
    at[1] = <char> (0x80 | code >> 12 & 0x3F)
    at[2] = <char> (0x80 | code >> 6 & 0x3F)
    at[3] = <char> (0x80 | code & 0x3F)
    return at + 4


cdef inline char* put_surrogate(char* at, uint32_t code) noexcept nogil:
    """Keeps a lone surrogate as an escape: UTF-8 has no bytes for it."""
    cdef int digit
    at[0], at[1] = c'\\', c'u'
    for digit in range(4):
        at[2 + digit] = hex_digit(code >> (12 - 4 * digit) & 15)
    return at + 6


cdef inline char hex_digit(uint32_t value) noexcept nogil:
    return <char> (c'0' + value if value < 10 else c'a' + value - 10)


cdef inline char* put_ascii(char* at, char c) noexcept nogil:
    """Writes one ASCII character, escaped where RFC 8785 section 3.2.2.2 says so."""
    cdef char short_form = short_escape(c)
    if short_form:
        at[0], at[1] = c'\\', short_form
        return at + 2
    if c >= 0x20:
        at[0] = c
        return at + 1
    memcpy(at, b"\\u00", 4)
    at[4], at[5] = hex_digit(c >> 4), hex_digit(c & 15)
    return at + 6


cdef inline char short_escape(char c) noexcept nogil:
    """Gives the letter of a two-character escape, or NUL where there is none."""
    if c == c'"' or c == c'\\':
        return c
    if c == c'\n':
        return c'n'
    if c == c'\r':
        return c'r'
    if c == c'\t':
        return c't'
    if c == c'\b':
        return c'b'
    if c == c'\f':
        return c'f'
    return 0
