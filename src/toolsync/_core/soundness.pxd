"""Whether a tool is usable for sure, told from the tape: no schema of it needs a closer look.

`schema.validity` decides which tools are unusable, and says why. Here stands only what
nobody could find fault with, in any dialect since draft-06: plain keywords with plain
values. Whatever is rarer (patterns, names, references that are more than a step into the
definitions) takes that closer look.
"""

from libc.stdint cimport uint32_t
from libc.string cimport memchr, memcmp

from toolsync._core.keywords cimport (
    BAG, DATA, DROPPED, REFERENCE, SCHEMA, SCHEMA_LIST, SCHEMA_MAP,
    SCHEMA_OR_LIST, SET, TEXT, TYPES, UNION, Role, is_word, role_of,
)
from toolsync._core.tape cimport (
    ARRAY, DECIMAL, ESCAPED, FALSE, NULL_, NUMBER, OBJECT, STRING, TRUE, Node, Tape, member, same,
    spells,
)

cdef enum:
    MOST_NAMES = 64       # of one `required`, told apart by comparing each with each
    MOST_LOOKED_AT = 1 << 20


cdef inline bint is_surely_usable(const Tape* tape) noexcept nogil:
    """Tells of the well-formed tool on the tape; False says that it takes a closer look."""
    cdef const Node* key = tape.nodes + 1
    cdef uint32_t left
    if tape.used > MOST_LOOKED_AT:
        return False
    for left in range(tape.nodes[0].count):
        if not is_sound_field(tape, key):
            return False
        key = tape.nodes + key[1].next
    return True


cdef inline bint is_sound_field(const Tape* tape, const Node* key) noexcept nogil:
    cdef const Node* kind
    if spells(key, b"annotations", 11):
        return has_sound_hints(tape, key + 1)
    if spells(key, b"outputSchema", 12):
        return key[1].kind == NULL_ or is_sound_root(tape, key + 1)
    if not spells(key, b"inputSchema", 11):
        return True
    kind = member(tape, key + 1, b"type", 4)
    return (kind != NULL and kind.kind == STRING and spells(kind, b"object", 6)
            and is_sound_root(tape, key + 1))


cdef inline bint has_sound_hints(const Tape* tape, const Node* annotations) noexcept nogil:
    """Tells whether every hint is a boolean: MCP's all end in `Hint`."""
    cdef const Node* key = annotations + 1
    cdef uint32_t left
    if annotations.kind != OBJECT:
        return True
    for left in range(annotations.count):
        if key.size > 4 and memcmp(key.text + key.size - 4, b"Hint", 4) == 0:
            if key[1].kind != TRUE and key[1].kind != FALSE:
                return False
        key = tape.nodes + key[1].next
    return True


cdef inline bint is_sound_root(const Tape* tape, const Node* root) noexcept nogil:
    cdef const Node* dialect = member(tape, root, b"$schema", 7)
    if dialect != NULL and not is_newer(dialect):
        return False
    return is_sound(tape, root, root)


cdef inline bint is_newer(const Node* dialect) noexcept nogil:
    """Tells whether a dialect is one of those that look at plain keywords alike."""
    return (spells(dialect, b"http://json-schema.org/draft-07/schema#", 39)
            or spells(dialect, b"https://json-schema.org/draft/2020-12/schema", 44)
            or spells(dialect, b"http://json-schema.org/draft-07/schema", 38))


cdef inline bint is_sound(const Tape* tape, const Node* root, const Node* schema) noexcept nogil:
    """Tells whether a schema, and all below it, is in order; references are from the root."""
    cdef const Node* key = schema + 1
    cdef uint32_t left
    if schema.kind == TRUE or schema.kind == FALSE:
        return True
    if schema.kind != OBJECT:
        return False
    for left in range(schema.count):
        if not is_sound_keyword(tape, root, key, role_of(key.text, key.size)):
            return False
        key = tape.nodes + key[1].next
    return True


cdef inline bint is_sound_keyword(const Tape* tape, const Node* root, const Node* key,
                                  Role role) noexcept nogil:
    cdef const Node* value = key + 1
    if role == DATA:
        return is_sound_leaf(key)
    if role == TEXT or role == DROPPED:
        return value.kind == STRING
    if role == TYPES:
        return are_types(tape, value)
    if role == SET:
        return value.kind == ARRAY and (key.size != 8 or are_names(tape, value))
    if role == SCHEMA or role == SCHEMA_OR_LIST:
        return is_sound(tape, root, value)
    if role == SCHEMA_MAP:
        return key.size != 17 and are_sound(tape, root, value, OBJECT)  # not patternProperties
    if role == UNION or role == BAG or role == SCHEMA_LIST:
        return value.count != 0 and are_sound(tape, root, value, ARRAY)
    return role == REFERENCE and leads_to_definition(tape, root, value)


cdef inline bint are_sound(const Tape* tape, const Node* root, const Node* holder,
                           int kind) noexcept nogil:
    """Tells whether each member of an object or array is a schema in order."""
    cdef const Node* value = holder + 1
    cdef uint32_t left
    if holder.kind != kind:
        return False
    for left in range(holder.count):
        value += kind == OBJECT
        if not is_sound(tape, root, value):
            return False
        value = tape.nodes + value.next
    return True


cdef inline bint is_sound_leaf(const Node* key) noexcept nogil:
    """Tells of a keyword without subschemas; one that nobody knows may say anything."""
    cdef const Node* value = key + 1
    cdef const char* word = key.text
    if key.size == 0:
        return True
    if word[0] == c'$':
        return key.size == 7 and is_word(word, b"$schema", 7) and value.kind == STRING
    if word[0] == c'm':
        return is_sound_bound(key)
    if word[0] == c'e':
        return is_sound_end(key)
    if word[0] == c'c':
        return not (spells(key, b"contentMediaType", 16) or spells(key, b"contentEncoding", 15)) \
            or value.kind == STRING
    if spells(key, b"format", 6):
        return value.kind == STRING
    if spells(key, b"uniqueItems", 11) or spells(key, b"readOnly", 8) \
            or spells(key, b"writeOnly", 9) or spells(key, b"deprecated", 10):
        return value.kind == TRUE or value.kind == FALSE
    return not spells(key, b"pattern", 7)


cdef inline bint is_sound_bound(const Node* key) noexcept nogil:
    """Tells of `minimum`, `maxLength` and all the others that begin so."""
    if spells(key, b"minimum", 7) or spells(key, b"maximum", 7):
        return is_number(key + 1)
    if spells(key, b"multipleOf", 10):
        return is_count(key + 1) and key[1].text[0] != c'0'
    if key.size > 3 and (is_word(key.text, b"min", 3) or is_word(key.text, b"max", 3)):
        return is_count(key + 1)
    return True


cdef inline bint is_sound_end(const Node* key) noexcept nogil:
    """Tells of `exclusiveMinimum`, `exclusiveMaximum` and `examples`."""
    if spells(key, b"exclusiveMinimum", 16) or spells(key, b"exclusiveMaximum", 16):
        return is_number(key + 1)
    return key[1].kind == ARRAY or not spells(key, b"examples", 8)


cdef inline bint is_number(const Node* value) noexcept nogil:
    return value.kind == NUMBER or value.kind == DECIMAL


cdef inline bint is_count(const Node* value) noexcept nogil:
    """Tells whether a value is a whole number, 0 or more, spelled as one."""
    cdef uint32_t at
    if value.kind != NUMBER:
        return False
    for at in range(value.size):
        if not c'0' <= value.text[at] <= c'9':
            return False
    return True


cdef inline bint are_types(const Tape* tape, const Node* value) noexcept nogil:
    cdef const Node* name = value + 1
    cdef uint32_t left, met = 0, bit
    if value.kind == STRING:
        return type_bit(value) != 0
    if value.kind != ARRAY or value.count == 0:
        return False
    for left in range(value.count):
        bit = type_bit(name)
        if bit == 0 or bit & met:
            return False
        met |= bit
        name = tape.nodes + name.next
    return True


cdef inline uint32_t type_bit(const Node* name) noexcept nogil:
    """Gives each simple type a bit of its own; 0 to whatever is none."""
    if name.kind != STRING or name.size < 4:
        return 0
    if name.size == 6:
        return 1 if is_word(name.text, b"string", 6) else 2 if is_word(name.text, b"object", 6) \
            else 4 if is_word(name.text, b"number", 6) else 0
    if name.size == 7:
        return 8 if is_word(name.text, b"integer", 7) \
            else 16 if is_word(name.text, b"boolean", 7) else 0
    return 32 if spells(name, b"array", 5) else 64 if spells(name, b"null", 4) else 0


cdef inline bint are_names(const Tape* tape, const Node* value) noexcept nogil:
    """Tells whether an array holds texts that differ."""
    cdef const Node* name = value + 1
    cdef const Node* other
    cdef uint32_t left
    if value.count > MOST_NAMES:
        return False
    for left in range(value.count):
        if name.kind != STRING:
            return False
        other = value + 1
        while other != name:
            if same(other, name):
                return False
            other += 1  # all before are strings, and a string spans itself alone
        name += 1
    return True


cdef inline bint leads_to_definition(const Tape* tape, const Node* root,
                                     const Node* reference) noexcept nogil:
    """Tells whether a reference is `#/$defs/…` or `#/definitions/…`, and something stands there."""
    cdef const Node* pool
    cdef const Node* found
    cdef size_t begin = 8 if reference.size > 8 and is_word(reference.text, b"#/$defs/", 8) else 14
    if reference.kind != STRING or reference.flags & ESCAPED or reference.size <= begin:
        return False
    if begin == 14 and not is_word(reference.text, b"#/definitions/", 14):
        return False
    if is_spelled_out(reference.text + begin, reference.size - begin):
        return False
    pool = member(tape, root, b"$defs", 5) if begin == 8 \
        else member(tape, root, b"definitions", 11)
    if pool == NULL:
        return False
    found = member(tape, pool, reference.text + begin, reference.size - begin)
    return found != NULL and (found.kind == OBJECT or found.kind == TRUE or found.kind == FALSE)


cdef inline bint is_spelled_out(const char* token, size_t size) noexcept nogil:
    """Tells whether a token is more than one, or would have to be decoded."""
    return (memchr(token, c'/', size) != NULL or memchr(token, c'~', size) != NULL
            or memchr(token, c'%', size) != NULL)
