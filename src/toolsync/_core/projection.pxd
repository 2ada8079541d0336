"""Writing the projection of a tool: what the semantic digest hashes (canonical form 1, Projection)."""

from libc.stdint cimport uint32_t

from toolsync._core.canonical cimport Writer, close_set, write_key, write_quoted, write_value
from toolsync._core.keywords cimport (
    BAG, DEPENDENCIES, DROPPED, NAME_SETS, REFERENCE, SCHEMA, SCHEMA_LIST, SCHEMA_MAP,
    SCHEMA_OR_LIST, SET, TEXT, TYPES, UNION, Role, role_of, steps_into_union,
)
from toolsync._core.memory cimport append, append_byte
from toolsync._core.order cimport push_item, sort_members
from toolsync._core.tape cimport ARRAY, FALSE, OBJECT, STRING, TRUE, Node, member, spells
from toolsync._core.trimming cimport write_trimmed

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
    if not write_trimmed(&writer.part, key + 1):
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
        writer.odd = True  # at the root the string alone will do
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
