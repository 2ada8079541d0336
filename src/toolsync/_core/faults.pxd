"""What is wrong with a value, told to people: JSON Pointers, reasons, the shape that a tool needs."""

from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint32_t

from toolsync._core.order cimport take_code_point
from toolsync._core.reader cimport MOST_DIGITS, Reader
from toolsync._core.tape cimport (
    ARRAY, DECIMAL, ESCAPED, FAULTY, NULL_, NUMBER, OBJECT, STRING, Fault, Kind, Node, Tape, member,
    spells,
)


cdef inline bint well_formed(const Tape* tape, const Node* tool) noexcept:
    """Tells whether a tool has digests (canonical form 1, Malformed tools)."""
    cdef const Node* key = tool + 1
    cdef bint named = False, described = False
    cdef uint32_t left
    if tool.kind != OBJECT or tool.flags & FAULTY:
        return False
    for left in range(tool.count):
        if key.size == 4 and spells(key, b"name", 4):
            named = key[1].kind == STRING and key[1].size > 0
        elif key.size == 11 and spells(key, b"inputSchema", 11):
            described = key[1].kind == OBJECT
        elif key.size == 11 and spells(key, b"description", 11):
            if key[1].kind != STRING and key[1].kind != NULL_:
                return False
        elif spells(key, b"outputSchema", 12) or spells(key, b"annotations", 11):
            if key[1].kind != OBJECT and key[1].kind != NULL_:
                return False
        key = tape.nodes + key[1].next
    return named and described


cdef inline bint is_optional(const Node* node, Kind kind) noexcept:
    return node == NULL or node.kind == kind or node.kind == NULL_


cdef inline tuple malformation(const Reader* reader):
    """Explains the malformed tool on the reader's tape: (name, path, reason)."""
    cdef const Tape* tape = &reader.tape
    cdef const Node* name = member(tape, tape.nodes, b"name", 4)
    named = text_of(name) if name != NULL and name.kind == STRING and name.size else None
    if tape.nodes[0].flags & FAULTY:
        return named, *first_fault(reader)
    if tape.nodes[0].kind != OBJECT:
        return None, "", f"expected an object, got {an(tape.nodes[0].kind)}"
    if named is None:
        return None, "/name", f"expected a non-empty string, got {what_stands(name)}"
    name = member(tape, tape.nodes, b"inputSchema", 11)
    if name == NULL or name.kind != OBJECT:
        return named, "/inputSchema", f"expected an object, got {what_stands(name)}"
    for word, kind in ((b"description", STRING), (b"outputSchema", OBJECT), (b"annotations", OBJECT)):
        name = member(tape, tape.nodes, word, len(word))
        if not is_optional(name, kind):
            return named, f"/{word.decode()}", f"expected {an(kind)}, got {what_stands(name)}"


cdef inline str what_stands(const Node* node):
    if node == NULL:
        return "nothing"
    return "an empty string" if node.kind == STRING and node.size == 0 else an(node.kind)


cdef inline tuple first_fault(const Reader* reader):
    """Finds the first text fault: (JSON Pointer, reason)."""
    cdef const Tape* tape = &reader.tape
    cdef size_t index = 0
    while tape.nodes[index].fault == Fault.NO_FAULT:
        index += 1
    return pointer_to(tape, <uint32_t> index), reason_of(tape.nodes + index, reader)


cdef inline str pointer_to(const Tape* tape, uint32_t target):
    """Gives the JSON Pointer of a node (of the member, where the node is its key)."""
    cdef uint32_t at = 0, step
    cdef str pointer = ""
    while at != target:
        step = at + 1
        place = 0
        if tape.nodes[at].kind == OBJECT:
            while tape.nodes[step + 1].next <= target:
                step = tape.nodes[step + 1].next
            pointer += "/" + text_of(tape.nodes + step).replace("~", "~0").replace("/", "~1")
            at = target if step == target else step + 1
        else:
            while tape.nodes[step].next <= target:
                step = tape.nodes[step].next
                place += 1
            pointer += f"/{place}"
            at = step
    return pointer


cdef inline str text_of(const Node* node):
    """Decodes canonical content; a lone surrogate, which no output could carry, is replaced."""
    if node.flags & ESCAPED:
        return unescaped(node.text, node.text + node.size)
    return PyUnicode_DecodeUTF8(node.text, node.size, NULL)


cdef inline str unescaped(const char* p, const char* end):
    cdef list characters = []
    while p < end:
        characters.append(chr(take_code_point(&p)))
    return "".join(characters)


cdef inline str kind_name(int kind):
    if kind == OBJECT:
        return "object"
    if kind == ARRAY:
        return "array"
    if kind == STRING:
        return "string"
    if kind == NULL_:
        return "null"
    return "number" if kind == NUMBER or kind == DECIMAL else "boolean"


cdef inline str an(int kind):
    name = kind_name(kind)
    if kind == NULL_:
        return name
    return f"an {name}" if name[0] in "ao" else f"a {name}"


cdef inline str reason_of(const Node* node, const Reader* reader):
    """Says what a node's text fault is, limits with how to raise them; None where there is none."""
    if node.fault == Fault.TOO_DEEP:
        return (f"nested deeper than the depth limit of {reader.told_depth} levels; "
                "raise max_depth (--max-depth)")
    if node.fault == Fault.TOO_LONG and (node.kind == STRING or node.size <= MOST_DIGITS):
        return (f"longer than the limit of {reader.max_string} bytes for one string or number; "
                "raise max_string (--max-string)")
    return (
        None,
        "duplicate key: which of the values counts depends on the reader",
        "lone surrogate: half of a character",
        "number too large for a double",
        "number too small for a double: it would become 0",
        "number whose fraction a double loses",
        None,
        f"number longer than the limit of {MOST_DIGITS:,} digits",
        "not a number that JSON has (NaN or infinity)",
        "key that is not a string",
        "not a JSON value",
    )[node.fault]
