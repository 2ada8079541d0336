"""Where subschemas, sets and texts stand in a JSON Schema: what each keyword is to the projection."""

from libc.stdint cimport uint32_t
from libc.string cimport memchr, memcmp

from toolsync._core.strings cimport hex_value
from toolsync._core.tape cimport Node

cdef enum Role:      # what a keyword's value is, to the projection
    DATA             # kept as it stands
    DROPPED          # title, $comment
    TEXT             # description
    REFERENCE        # $ref
    SCHEMA
    SCHEMA_OR_LIST   # items
    SCHEMA_LIST      # prefixItems
    UNION            # anyOf, allOf: an unordered set of schemas
    BAG              # oneOf: unordered, repeats count
    SCHEMA_MAP       # properties, $defs, …
    DEPENDENCIES     # a map of schemas or sets of names
    NAME_SETS        # dependentRequired: a map of sets of names
    SET              # required, enum
    TYPES            # type


cdef inline Role role_of(const char* key, uint32_t size) noexcept nogil:
    """Looks a keyword up, by size first: most keys fail on that or on their first byte."""
    if size == 3:
        return SCHEMA if is_word(key, b"not", 3) else DATA
    if size == 2:
        return SCHEMA if is_word(key, b"if", 2) else DATA
    if size == 4:
        return short_role(key)
    if size == 5:
        return role_of_5(key)
    if size == 8:
        return role_of_8(key)
    if size == 11:
        return TEXT if is_word(key, b"description", 11) \
            else SCHEMA_LIST if is_word(key, b"prefixItems", 11) \
            else SCHEMA_MAP if is_word(key, b"definitions", 11) else DATA
    if size == 10:
        return SCHEMA_MAP if is_word(key, b"properties", 10) else DATA
    if size == 13:
        return SCHEMA if is_word(key, b"propertyNames", 13) \
            or is_word(key, b"contentSchema", 13) else DATA
    return long_role(key, size)


cdef inline bint is_word(const char* key, const char* word, size_t size) noexcept nogil:
    return key[0] == word[0] and memcmp(key, word, size) == 0


cdef inline Role short_role(const char* key) noexcept nogil:
    if is_word(key, b"type", 4):
        return TYPES
    if is_word(key, b"enum", 4):
        return SET
    if is_word(key, b"$ref", 4):
        return REFERENCE
    return SCHEMA if is_word(key, b"then", 4) or is_word(key, b"else", 4) else DATA


cdef inline Role role_of_5(const char* key) noexcept nogil:
    if is_word(key, b"title", 5):
        return DROPPED
    if is_word(key, b"items", 5):
        return SCHEMA_OR_LIST
    if is_word(key, b"anyOf", 5) or is_word(key, b"allOf", 5):
        return UNION
    if is_word(key, b"oneOf", 5):
        return BAG
    return SCHEMA_MAP if is_word(key, b"$defs", 5) else DATA


cdef inline Role role_of_8(const char* key) noexcept nogil:
    if is_word(key, b"required", 8):
        return SET
    if is_word(key, b"$comment", 8):
        return DROPPED
    return SCHEMA if is_word(key, b"contains", 8) else DATA


cdef inline Role long_role(const char* key, uint32_t size) noexcept nogil:
    if size == 12:
        return DEPENDENCIES if is_word(key, b"dependencies", 12) else DATA
    if size == 15:
        return SCHEMA if is_word(key, b"additionalItems", 15) else DATA
    if size == 16:
        return SCHEMA if is_word(key, b"unevaluatedItems", 16) \
            else SCHEMA_MAP if is_word(key, b"dependentSchemas", 16) else DATA
    if size == 17:
        return SCHEMA_MAP if is_word(key, b"patternProperties", 17) \
            else NAME_SETS if is_word(key, b"dependentRequired", 17) else DATA
    if size == 20:
        return SCHEMA if is_word(key, b"additionalProperties", 20) else DATA
    return SCHEMA if size == 21 and is_word(key, b"unevaluatedProperties", 21) else DATA


cdef inline bint steps_into_union(const Node* reference) noexcept nogil:
    """Tells whether a `$ref` has a fragment with a step such as /anyOf/0, percent-encoded or not."""
    cdef const char* end = reference.text + reference.size
    cdef const char* p = <const char*> memchr(reference.text, c'#', reference.size)
    cdef bint union_before = False
    if p == NULL:
        return False
    p = next_token(p, end)
    while p < end:
        if union_before and is_position(p, end):
            return True
        union_before = is_token(p, end, b"anyOf") or is_token(p, end, b"allOf") \
            or is_token(p, end, b"oneOf")
        p = next_token(p, end)
    return False


cdef inline const char* next_token(const char* p, const char* end) noexcept nogil:
    """Gives the start of the next reference token of a pointer, or `end`."""
    while p < end:
        if take_byte(&p, end) == c'/':
            return p
    return end


cdef inline char take_byte(const char** at, const char* end) noexcept nogil:
    """Takes one byte of a fragment, decoding %XX (RFC 3986 section 2.1)."""
    cdef const char* p = at[0]
    if p[0] == c'%' and end - p >= 3 and hex_value(p[1]) >= 0 and hex_value(p[2]) >= 0:
        at[0] = p + 3
        return <char> (hex_value(p[1]) << 4 | hex_value(p[2]))
    at[0] = p + 1
    return p[0]


cdef inline bint is_token(const char* p, const char* end, const char* word) noexcept nogil:
    """Tells whether the token at `p` is the five-letter word."""
    cdef int index
    for index in range(5):
        if p >= end or take_byte(&p, end) != word[index]:
            return False
    return p >= end or take_byte(&p, end) == c'/'


cdef inline bint is_position(const char* p, const char* end) noexcept nogil:
    """Tells whether the token at `p`, which is not empty, is an array index: digits alone."""
    cdef char byte = take_byte(&p, end)
    while c'0' <= byte <= c'9':
        if p >= end:
            return True
        byte = take_byte(&p, end)
        if byte == c'/':
            return True
    return False
