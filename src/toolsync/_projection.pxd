"""Writing the projection of a tool: what the semantic digest hashes (canonical form 1, Projection)."""

from libc.stdint cimport uint32_t

from libc.string cimport memchr, memcmp, memcpy

from toolsync._canonical cimport Writer, close_set, write_key, write_quoted, write_value
from toolsync._memory cimport append, append_byte, reserve
from toolsync._order cimport push_item, sort_members
from toolsync._strings cimport hex_value
from toolsync._tape cimport (
    ARRAY, ESCAPED, FALSE, NULL_, OBJECT, STRING, TRUE, Node, member, spells,
)

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


cdef enum Field:     # what a field of a tool is, to the projection
    LEFT_OUT
    NAME
    DESCRIPTION
    ANNOTATIONS
    EXECUTION
    ROOT_SCHEMA


cdef inline bint project_tool(Writer* writer) noexcept nogil:
    """Appends the projection of the tool on the tape; False where memory ends.

    Where the writer is to write the whole, the full text too: most of it is the same.
    """
    if not sort_members(writer.tape, 0, &writer.items) or not put_both(writer, c'{'):
        return False
    cdef uint32_t key = writer.tape.nodes[0].first
    while key:
        if not project_field(writer, key):
            return False
        key = writer.tape.nodes[key].next
    return put_both(writer, c'}')


cdef inline bint project_field(Writer* writer, uint32_t key) noexcept nogil:
    cdef const Node* node = writer.tape.nodes + key
    cdef Field field = field_of(node)
    if field == ROOT_SCHEMA and node[1].kind == OBJECT:
        return put_key(writer, node) and project_root(writer, key + 1)
    if field == NAME:
        return put_key(writer, node) and put_data(writer, key + 1)
    if writer.whole and not put_full(writer, key):
        return False
    if field == DESCRIPTION and node[1].kind == STRING:
        return project_text(writer, node)
    if field == ANNOTATIONS and node[1].kind == OBJECT:
        return project_annotations(writer, node)
    if field == EXECUTION and node[1].kind == OBJECT:
        return project_execution(writer, node)
    return True


cdef inline Field field_of(const Node* key) noexcept nogil:
    if spells(key, b"name", 4):
        return NAME
    if spells(key, b"inputSchema", 11) or spells(key, b"outputSchema", 12):
        return ROOT_SCHEMA
    if spells(key, b"description", 11):
        return DESCRIPTION
    if spells(key, b"annotations", 11):
        return ANNOTATIONS
    return EXECUTION if spells(key, b"execution", 9) else LEFT_OUT


cdef inline bint put_both(Writer* writer, char byte) noexcept nogil:
    if writer.whole and not append_byte(&writer.full, byte):
        return False
    return append_byte(&writer.part, byte)


cdef inline bint put_key(Writer* writer, const Node* key) noexcept nogil:
    if writer.whole and not write_key(&writer.full, key):
        return False
    return write_key(&writer.part, key)


cdef inline bint put_full(Writer* writer, uint32_t key) noexcept nogil:
    """Appends a key and its value to the full text alone."""
    return (write_key(&writer.full, writer.tape.nodes + key)
            and write_value(writer, &writer.full, key + 1))


cdef inline bint put_data(Writer* writer, uint32_t index) noexcept nogil:
    """Appends a value that the projection leaves as it is."""
    cdef size_t start = writer.full.used
    if not writer.whole:
        return write_value(writer, &writer.part, index)
    return (write_value(writer, &writer.full, index)
            and append(&writer.part, writer.full.data + start, writer.full.used - start))


cdef inline bint project_text(Writer* writer, const Node* key) noexcept nogil:
    """Appends a description to the projection unless nothing is left of it."""
    cdef size_t start = writer.part.used
    if not write_key(&writer.part, key):
        return False
    cdef size_t empty = writer.part.used + 2
    if not write_trimmed(writer, key + 1):
        return False
    if writer.part.used == empty:
        writer.part.used = start
    return True


cdef inline bint project_annotations(Writer* writer, const Node* key) noexcept nogil:
    """Appends the hints that differ from their MCP defaults, if any does."""
    cdef size_t start = writer.part.used
    if not write_key(&writer.part, key) or not append_byte(&writer.part, c'{'):
        return False
    cdef size_t empty = writer.part.used
    if not (project_hint(writer, key + 1, b"destructiveHint", 15, True)
            and project_hint(writer, key + 1, b"idempotentHint", 14, False)
            and project_hint(writer, key + 1, b"openWorldHint", 13, True)
            and project_hint(writer, key + 1, b"readOnlyHint", 12, False)):
        return False
    if writer.part.used == empty:
        writer.part.used = start
        return True
    return append_byte(&writer.part, c'}')


cdef inline bint project_hint(Writer* writer, const Node* holder, const char* name, size_t size,
                              bint default) noexcept nogil:
    cdef const Node* hint = member(writer.tape, holder, name, size)
    if hint == NULL or hint.kind != (FALSE if default else TRUE):
        writer.odd |= hint != NULL and hint.kind != TRUE and hint.kind != FALSE
        return True
    return write_key(&writer.part, hint - 1) and append(&writer.part, hint.text, hint.size)


cdef inline bint project_execution(Writer* writer, const Node* key) noexcept nogil:
    """Appends `execution` where its task support is not the default `forbidden`."""
    cdef const Node* support = member(writer.tape, key + 1, b"taskSupport", 11)
    if support == NULL or support.kind != STRING or spells(support, b"forbidden", 9):
        return True
    return (write_key(&writer.part, key) and append_byte(&writer.part, c'{')
            and write_key(&writer.part, support - 1)
            and write_quoted(&writer.part, support.text, support.size)
            and append_byte(&writer.part, c'}'))


cdef inline bint project_root(Writer* writer, uint32_t index) noexcept nogil:
    """Appends a root schema; once more with unions in order if a `$ref` steps into one of them."""
    cdef size_t start = writer.part.used
    cdef bint whole = writer.whole
    writer.keep_unions = writer.union_ref = False
    if not project_schema(writer, index):
        return False
    if not writer.union_ref:
        return True
    writer.part.used = start
    writer.keep_unions, writer.whole = True, False
    cdef bint done = project_schema(writer, index)
    writer.whole = whole
    return done


cdef inline bint project_schema(Writer* writer, uint32_t index) noexcept nogil:
    if writer.tape.nodes[index].kind != OBJECT:
        return put_data(writer, index)
    if not sort_members(writer.tape, index, &writer.items) or not put_both(writer, c'{'):
        return False
    cdef uint32_t key = writer.tape.nodes[index].first
    while key:
        if not project_member(writer, key):
            return False
        key = writer.tape.nodes[key].next
    return put_both(writer, c'}')


cdef inline bint project_member(Writer* writer, uint32_t key) noexcept nogil:
    """Appends one keyword of a schema as the projection has it, if it does."""
    cdef const Node* node = writer.tape.nodes + key
    cdef Role role = role_of(node.text, node.size)
    if role == DROPPED or (role == TEXT and node[1].kind == STRING):
        if writer.whole and not put_full(writer, key):
            return False
        if role == TEXT:
            return project_text(writer, node)
        writer.odd |= node[1].kind != STRING
        return True
    return put_key(writer, node) and project_keyword(writer, role, key + 1)


cdef inline bint project_keyword(Writer* writer, Role role, uint32_t value) noexcept nogil:
    cdef const Node* node = writer.tape.nodes + value
    if node.kind == ARRAY:
        return project_list(writer, role, value)
    if node.kind == OBJECT:
        if role == SCHEMA or role == SCHEMA_OR_LIST:
            return project_schema(writer, value)
        if role == SCHEMA_MAP or role == DEPENDENCIES or role == NAME_SETS:
            return project_map(writer, role, value)
    if node.kind == STRING and role == REFERENCE and steps_into_union(node):
        writer.union_ref = True
    return put_data(writer, value)


cdef inline bint project_list(Writer* writer, Role role, uint32_t index) noexcept nogil:
    if role == SET:
        return project_set(writer, index, False, True)
    if role == TYPES:
        return project_types(writer, index)
    if (role == UNION or role == BAG) and not writer.keep_unions:
        return project_set(writer, index, True, role == UNION)
    if role == UNION or role == BAG or role == SCHEMA_LIST or role == SCHEMA_OR_LIST:
        return project_schemas(writer, index)
    return put_data(writer, index)


cdef inline bint project_set(Writer* writer, uint32_t index, bint schemas,
                             bint fold) noexcept nogil:
    """Appends an array sorted by the bytes of its members, folding repeats on demand."""
    cdef size_t base = writer.items.used
    cdef size_t start = writer.part.used
    cdef size_t before
    cdef uint32_t element = index + 1
    cdef uint32_t left
    if writer.whole and not append_byte(&writer.full, c'['):
        return False
    for left in range(writer.tape.nodes[index].count):
        before = writer.part.used
        if left and writer.whole and not append_byte(&writer.full, c','):
            return False
        if not (project_schema(writer, element) if schemas else put_data(writer, element)):
            return False
        if not push_item(&writer.items, NULL, 0, element, 0):
            return False
        writer.items.data[writer.items.used - 1].size = <uint32_t> (writer.part.used - before)
        element = writer.tape.nodes[element].next
    if writer.whole and not append_byte(&writer.full, c']'):
        return False
    return close_set(writer, base, start, fold)


cdef inline bint project_types(Writer* writer, uint32_t index) noexcept nogil:
    """Appends a `type` array as a set; one that has a single member as that member."""
    cdef size_t start = writer.part.used
    if not project_set(writer, index, False, True):
        return False
    cdef size_t size = writer.part.used - start
    cdef const Node* first = writer.tape.nodes + index + 1
    if writer.tape.nodes[index].count and first.kind == STRING and size == first.size + 4:
        writer.part.used = start  # only one member fits brackets and quotes around the first
        return write_quoted(&writer.part, first.text, first.size)
    return True


cdef inline bint project_schemas(Writer* writer, uint32_t index) noexcept nogil:
    """Appends an array of schemas in their order."""
    cdef uint32_t left = writer.tape.nodes[index].count
    cdef uint32_t element = index + 1
    if not put_both(writer, c'['):
        return False
    while left:
        if not project_schema(writer, element):
            return False
        element = writer.tape.nodes[element].next
        left -= 1
        if left and not put_both(writer, c','):
            return False
    return put_both(writer, c']')


cdef inline bint project_map(Writer* writer, Role role, uint32_t index) noexcept nogil:
    """Appends a map whose values are schemas, or sets of names where the role has them."""
    if not sort_members(writer.tape, index, &writer.items) or not put_both(writer, c'{'):
        return False
    cdef uint32_t key = writer.tape.nodes[index].first
    cdef bint names
    while key:
        names = role != SCHEMA_MAP and writer.tape.nodes[key + 1].kind == ARRAY
        if not put_key(writer, writer.tape.nodes + key):
            return False
        if not (project_set(writer, key + 1, False, True) if names
                else put_data(writer, key + 1) if role == NAME_SETS
                else project_schema(writer, key + 1)):
            return False
        key = writer.tape.nodes[key].next
    return put_both(writer, c'}')


cdef inline bint write_trimmed(Writer* writer, const Node* text) noexcept nogil:
    """Appends a text: line ends as \\n, no blanks at line ends, no blank lines at either end."""
    cdef const char* p = text.text
    cdef const char* end = p + text.size
    cdef size_t size
    if not text.flags & ESCAPED:  # one line, and no tab in it
        while p < end and p[0] == c' ':
            p += 1
        while p < end and end[-1] == c' ':
            end -= 1
        return write_quoted(&writer.part, p, end - p)
    if not reserve(&writer.part, text.size + 2):
        return False
    cdef char* out = writer.part.data + writer.part.used
    size = trim(p, end, out + 1)
    out[0] = out[size + 1] = c'"'
    writer.part.used += size + 2
    return True


cdef inline size_t trim(const char* p, const char* end, char* out) noexcept nogil:
    """Copies canonical content, trimmed; returns its size, which never grows.

    Blanks and line ends are written ahead and count only once something follows them.
    """
    cdef char* at = out
    cdef char* kept = out  # behind the last character that is no blank
    cdef char* line = out  # behind what a line end leaves standing
    cdef const char* run
    cdef size_t size
    while p < end:
        run = p
        p = <const char*> memchr(p, c'\\', end - p)
        p = p if p != NULL else end
        if put_run(run, p, out, &at, &kept):
            line = kept
        if p >= end:
            break
        size = unit_size(p)
        if p[1] == c'n' or p[1] == c'r':
            size += 2 if p[1] == c'r' and end - p >= 4 and p[2] == c'\\' and p[3] == c'n' else 0
            if kept != out:
                memcpy(line, b"\\n", 2)
                at = line = line + 2
        elif p[1] != c't' or kept != out:
            memcpy(at, p, size)
            at += size
            if p[1] != c't':
                kept = line = at
        p += size
    return kept - out


cdef inline bint put_run(const char* p, const char* end, char* out, char** at,
                         char** kept) noexcept nogil:
    """Copies bytes without escapes; tells whether any of them is no blank."""
    cdef const char* last = end
    if kept[0] == out:
        while p < end and p[0] == c' ':
            p += 1
    while last > p and last[-1] == c' ':
        last -= 1
    memcpy(at[0], p, end - p)
    if last > p:
        kept[0] = at[0] + (last - p)
    at[0] += end - p
    return last > p


cdef inline size_t unit_size(const char* p) noexcept nogil:
    """Gives the bytes of one escape, or 1."""
    if p[0] != c'\\':
        return 1
    return 6 if p[1] == c'u' else 2


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
