"""The compiled core: JSON text or parsed tools in; canonical form, digests, which tools differ out.

It knows JSON and where subschemas stand in a schema. It knows no files, no sessions
and no protocol, and imports nothing of toolsync. Its parts, from the outside in:

    _projection  what the semantic digest hashes      _canonical  RFC 8785 text
    _text        JSON text → tape                     _objects    Python values → tape
    _strings, _numbers, _order, _reader               scalars, sorting, limits and refusals
    _tape, _memory                                    the flat form of a value; its memory
"""

import json
from hashlib import sha256 as _sha256

import orjson

cimport cython
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport uint32_t
from libc.string cimport memcmp, memset

from toolsync._canonical cimport Writer, discard, write_value
from toolsync._memory cimport Buffer
from toolsync._objects cimport put_object
from toolsync._projection cimport project_tool
from toolsync._reader cimport Reader, skip_space
from toolsync._tape cimport (
    ARRAY, DECIMAL, ESCAPED, FALSE, FAULTY, LEAF, NULL_, NUMBER, OBJECT, STRING, TRUE, Fault, Kind,
    Node, Tape, clear, destroy, member, spells,
)
from toolsync._text cimport read_value

MAX_DEPTH = 1000  # the walkers recurse: what a thread's smallest usual stack still holds
MAX_TEXT = 0xFFFFFFFF  # places in a text are kept in 32 bits

cdef size_t DEPTH_CEILING = 1000


class NotJSON(ValueError):
    """Says why a text is no JSON, and at which byte `offset` it stops being so."""

    def __init__(self, reason, offset):
        super().__init__(f"{reason} (byte {offset})")
        self.reason = reason
        self.offset = offset


@cython.final
@cython.no_gc
@cython.auto_pickle(False)
cdef class Tool:
    """One well-formed tool. Immutable; digests and definition are made once, when asked for."""

    cdef readonly str name
    cdef bytes _holder          # the text that the tool is a part of
    cdef const char* _start
    cdef size_t _size
    cdef bint _canonical        # whether the text is canonical already
    cdef bint _odd              # whether its projection hides what may make it unusable
    cdef str _digest
    cdef str _semantic_digest
    cdef object _definition

    def __cinit__(self, *args, **kwargs):
        self.name, self._holder = "", b""
        self._start = self._holder

    def __init__(self, *args, **kwargs):
        raise TypeError("tools come from a catalogue: toolsync.load, loads or Catalog")

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return tool_from_text, (self.text, self._canonical)

    @property
    def text(self):
        """The JSON text of the tool as it stood; of one given as an object, its canonical text."""
        return <bytes> self._start[:self._size]

    @property
    def digest(self):
        if self._digest is None:
            self._digest = digest_of(self._holder if self._canonical else canonical_text(self.text))
        return self._digest

    @property
    def semantic_digest(self):
        if self._semantic_digest is None:
            self._semantic_digest = digest_of(projection(self.text))
        return self._semantic_digest

    @property
    def definition(self):
        if self._definition is None:
            self._definition = parse(self.text)
        return self._definition

    def __repr__(self):
        return f"<Tool {self.name!r}>"


@cython.final
@cython.auto_pickle(False)
cdef class _Workspace:
    """The memory that readings and writings share, one caller at a time."""

    cdef Reader reader
    cdef Writer writer

    def __cinit__(self):
        memset(&self.reader, 0, sizeof(Reader))
        memset(&self.writer, 0, sizeof(Writer))
        self.reader.max_depth = DEPTH_CEILING
        self.reader.max_string = <size_t> -1
        self.writer.tape = &self.reader.tape

    def __dealloc__(self):
        destroy(&self.reader.tape)
        discard(&self.writer)

    cdef bint read(self, const char* start, size_t size) except False:
        """Reads a text that holds one value and nothing else."""
        cdef const char* end
        self.reader.begin, self.reader.end = start, start + size
        with nogil:
            end = read_value(&self.reader, start)
        if end == NULL:
            raise self.refusal()
        if end < self.reader.end:  # what follows a part of a larger text is none of its business
            end = skip_space(end)
        if end != self.reader.end:
            raise NotJSON("expected the end of the text", end - start)
        return True

    cdef object refusal(self):
        if self.reader.reason == NULL:
            return MemoryError()
        return NotJSON(self.reader.reason.decode(), self.reader.at - self.reader.begin)

    cdef bint take(self, object value) except False:
        """Reads a Python value."""
        clear(&self.reader.tape)
        return put_object(&self.reader, <PyObject*> value)

    cdef bint compose_full(self) noexcept nogil:
        """Writes the canonical text of what was read; False where memory ends."""
        self.writer.full.used = 0
        return write_value(&self.writer, &self.writer.full, 0)

    cdef bint compose_part(self, bint whole) noexcept nogil:
        """Writes the projection of the tool that was read; with `whole`, its full text too."""
        self.writer.part.used = self.writer.items.used = 0
        if whole:
            self.writer.full.used = 0
        self.writer.whole = whole
        self.writer.odd = False
        return project_tool(&self.writer)

    cdef bytes full_text(self):
        if not self.compose_full():
            raise MemoryError
        return self.full()

    cdef bytes full(self):
        return self.writer.full.data[:self.writer.full.used]

    cdef bytes part(self):
        return self.writer.part.data[:self.writer.part.used]

    cdef bint check(self) except False:
        """Raises where the value on the tape has a text fault."""
        if self.reader.tape.nodes[0].flags & FAULTY:
            path, reason = first_fault(&self.reader.tape)
            raise ValueError(f"{reason} (at {path or 'the root'})")
        return True


def tool_from_text(bytes text not None, bint is_canonical=False):
    """Makes a tool of its JSON text: how tools are unpickled. Raises ValueError, NotJSON among them."""
    root, end = outline(b"[%b]" % text, DEPTH_CEILING, MAX_TEXT)
    tools = root.tools()
    if len(tools) != 1 or type(tools[0]) is not Tool or end != len(text) + 2:
        raise ValueError("expected the text of one tool")
    (<Tool> tools[0])._canonical = is_canonical
    (<Tool> tools[0])._holder = text
    (<Tool> tools[0])._start = text
    (<Tool> tools[0])._size = len(text)
    return tools[0]


def canonical(value):
    """Gives the canonical text of a JSON value held in Python objects."""
    cdef _Workspace workspace = _Workspace()
    try:
        workspace.take(value)
    except OverflowError:
        raise ValueError("more values than the limit of 4,194,304") from None
    workspace.check()
    return workspace.full_text()


def canonical_text(bytes text):
    """Gives the canonical text of a JSON text."""
    cdef _Workspace workspace = _Workspace()
    workspace.read(text, len(text))
    workspace.check()
    return workspace.full_text()


def projection(bytes text):
    """Gives the canonical text of the projection of a tool's JSON text."""
    cdef _Workspace workspace = _Workspace()
    workspace.read(text, len(text))
    workspace.check()
    if not well_formed(&workspace.reader.tape, workspace.reader.tape.nodes):
        raise ValueError("expected a tool with a name and an inputSchema that is an object")
    if not workspace.compose_part(False):
        raise MemoryError
    return workspace.part()


cpdef str digest_of(bytes text):
    """Gives `sha256:` and the hexadecimal SHA-256 of a text."""
    return "sha256:" + _sha256(text).hexdigest()


def catalogue_digest(tuple tools not None, *, bint semantic):
    """Gives the digest of the object that maps each tool's name to its digest."""
    cdef dict digests = {}
    cdef Tool tool
    for each in tools:
        tool = <Tool?> each
        digests[tool.name] = tool.semantic_digest if semantic else tool.digest
    return digest_of(canonical(digests))


def parse(bytes text):
    """Gives a checked JSON text as Python objects, integers exact."""
    cdef _Workspace workspace = _Workspace()
    cdef Node* node
    cdef size_t index
    workspace.read(text, len(text))
    for index in range(workspace.reader.tape.used):
        node = workspace.reader.tape.nodes + index
        if node.kind == NUMBER and node.size >= 19:  # orjson makes a float of 2**64
            return json.loads(text, parse_int=parse_integer)
    return orjson.loads(text)


cdef object parse_integer(str digits):
    """Reads an integer of any length, piecewise where `int` has a limit."""
    cdef Py_ssize_t place
    if len(digits) <= 600:
        return int(digits)
    value = 0
    sign = -1 if digits[0] == "-" else 1
    digits = digits.lstrip("-")
    for place in range(0, len(digits), 600):
        piece = digits[place:place + 600]
        value = value * int("1" + "0" * len(piece)) + int(piece)  # `**` would be C's
    return sign * value


def differing(tuple old, dict old_index, tuple new, dict new_index):
    """Pairs two catalogues' tools by name.

    Returns five lists: added tools, removed tools, and the (old, new) pairs that
    differ semantically, in presentation only, and those of the latter in which one
    side may be unusable all the same: something that the projection leaves out (a
    hint that is no boolean, a repeat in a set) is what no usable tool has.
    """
    cdef list added = [], removed = [], changed = [], presentation = [], doubtful = []
    cdef _Workspace left = None, right = None
    cdef Tool before, after
    cdef int order
    for index, tool in enumerate(new):
        after = <Tool?> tool
        if index < len(old) and old[index] is after:
            continue
        place = old_index.get(after.name)
        if place is None:
            added.append(after)
            continue
        before = <Tool?> old[place]
        if is_same_text(before, after):
            continue
        if left is None:
            left, right = _Workspace(), _Workspace()
        order = difference(left, before, right, after)
        if order == 2:
            changed.append((before, after))
        elif order == 1:
            presentation.append((before, after))
            if before._odd or after._odd:
                doubtful.append(presentation[len(presentation) - 1])
    if len(new) - len(added) != len(old):
        removed = [tool for tool in old if (<Tool> tool).name not in new_index]
    return added, removed, changed, presentation, doubtful


cdef bint is_same_text(Tool a, Tool b) noexcept:
    return a is b or (a._size == b._size and memcmp(a._start, b._start, a._size) == 0)


cdef int difference(_Workspace left, Tool a, _Workspace right, Tool b) except -1:
    """Compares two tools of one name: 0 identical, 1 in presentation only, 2 semantically."""
    if a._semantic_digest is not None and b._semantic_digest is not None:
        if a._semantic_digest != b._semantic_digest:
            return 2
        if a._canonical and b._canonical:  # and their texts differ
            return 1
    cdef int order
    left.read(a._start, a._size)
    right.read(b._start, b._size)
    with nogil:
        order = compare_tapes(left, right)
    a._odd, b._odd = left.writer.odd, right.writer.odd
    if order < 0:
        raise MemoryError
    return order


cdef int compare_tapes(_Workspace left, _Workspace right) noexcept nogil:
    """Does what `difference` does with what both have read; -1 where memory ends."""
    if not left.compose_part(False) or not right.compose_part(False):
        return -1
    if not same_bytes(&left.writer.part, &right.writer.part):
        return 2
    if not left.compose_full() or not right.compose_full():
        return -1
    return not same_bytes(&left.writer.full, &right.writer.full)


cdef bint same_bytes(const Buffer* a, const Buffer* b) noexcept nogil:
    return a.used == b.used and memcmp(a.data, b.data, a.used) == 0


@cython.final
@cython.auto_pickle(False)
cdef class Encoder:
    """Makes tools of Python values, reusing its memory from one to the next."""

    cdef _Workspace workspace

    def __cinit__(self, size_t max_depth, size_t max_string):
        self.workspace = _Workspace()
        self.workspace.reader.max_depth = min(max_depth, DEPTH_CEILING)
        self.workspace.reader.max_string = max_string

    def tools(self, list values not None):
        """Gives for each value a Tool, or (name, path, reason) where it is malformed."""
        return [self.tool(value) for value in values]

    cpdef tool(self, value):
        """Gives a Tool, or (name, path, reason) where the value is malformed.

        The semantic digest is made at once: the projection costs little while the
        value is on the tape.
        """
        cdef Tape* tape = &self.workspace.reader.tape
        try:
            self.workspace.take(value)
        except OverflowError:
            named = dict.get(value, "name") if isinstance(value, dict) else None
            return (named if type(named) is str and named else None, "",
                    "more values than the limit of 4,194,304, or a value inside itself")
        if not well_formed(tape, tape.nodes):
            return malformation(tape)
        if not self.workspace.compose_part(True):
            raise MemoryError
        cdef Tool tool = make_tool(tape, tape.nodes, self.workspace.full())
        tool._canonical = True
        tool._start = tool._holder
        tool._size = len(tool._holder)
        tool._definition = value
        tool._semantic_digest = digest_of(self.workspace.part())
        tool._odd = self.workspace.writer.odd
        return tool


cdef Tool make_tool(const Tape* tape, const Node* node, bytes holder):
    cdef Tool tool = Tool.__new__(Tool)
    tool.name = text_of(member(tape, node, b"name", 4))
    tool._holder = holder
    tool._start = node.text
    tool._size = node.size
    return tool


@cython.final
@cython.auto_pickle(False)
cdef class Value:
    """One value of a text that was outlined: see `outline`."""

    cdef _Workspace _workspace
    cdef bytes _text
    cdef uint32_t _index
    cdef readonly size_t depth

    def __cinit__(self, *args):
        self._workspace, self._text = NOWHERE, b""

    def __init__(self, *args):
        raise TypeError("values come from an outline")

    cdef Node* node(self) noexcept:
        return self._workspace.reader.tape.nodes + self._index

    cdef Value at(self, uint32_t index):
        cdef Value value = Value.__new__(Value)
        value._workspace, value._text = self._workspace, self._text
        value._index, value.depth = index, self.depth + 1
        return value

    @property
    def kind(self):
        return kind_name(self.node().kind)

    @property
    def start(self):
        return self.node().text - <const char*> self._text

    @property
    def end(self):
        return self.start + self.node().size

    @property
    def text(self):
        """The JSON text of an object or array."""
        return self._text[self.start:self.end]

    @property
    def string(self):
        """The text of a string."""
        return text_of(self.node())

    @property
    def literal(self):
        """The JSON text of a value, whatever its kind."""
        if self.node().kind == STRING:
            return b'"' + <bytes> self.node().text[:self.node().size] + b'"'
        return <bytes> self.node().text[:self.node().size]

    @property
    def fault(self):
        """Why this very value cannot be read exactly, or None."""
        return REASONS[self.node().fault]

    def __len__(self):
        return self.node().count

    def member(self, str name):
        """Finds an object's member, or None."""
        cdef bytes word = name.encode()
        cdef const Tape* tape = &self._workspace.reader.tape
        cdef Node* found = member(tape, self.node(), word, len(word))
        return None if found == NULL else self.at(found - tape.nodes)

    def members(self):
        """Lists an object's (key, value) pairs; both are values."""
        cdef uint32_t key = self._index + 1
        cdef list found = []
        if self.node().kind == OBJECT and not self.node().flags & LEAF:
            for _ in range(self.node().count):
                found.append((self.at(key), self.at(key + 1)))
                key = self._workspace.reader.tape.nodes[key + 1].next
        return found

    def elements(self):
        """Gives an array's elements, one by one."""
        cdef uint32_t index = self._index + 1
        if self.node().kind == ARRAY and not self.node().flags & LEAF:
            for _ in range(self.node().count):
                yield self.at(index)
                index = self._workspace.reader.tape.nodes[index].next

    def outline(self):
        """Looks one step further into a value whose inside was let go."""
        root, _ = outline(self.text, self._workspace.reader.max_depth - self.depth + 1,
                          self._workspace.reader.max_string)
        return root

    def tools(self):
        """Takes an array's elements as tools.

        Returns a list with, for each element in order, a Tool, or (name, path, reason)
        where it is malformed.
        """
        cdef Tape* tape = &self._workspace.reader.tape
        cdef uint32_t index = self._index + 1
        cdef list found = []
        for _ in range(tape.nodes[self._index].count):
            if well_formed(tape, tape.nodes + index):
                found.append(make_tool(tape, tape.nodes + index, self._text))
            else:
                found.append(self.malformed(tape.nodes + index))
            index = tape.nodes[index].next
        return found

    cdef tuple malformed(self, const Node* node):
        """Explains an element that is no tool; reads it once more, whole, to say where."""
        cdef _Workspace workspace = _Workspace()
        if node.kind != OBJECT:
            return None, "", f"expected an object, got {an(node.kind)}"
        workspace.reader.max_depth = self._workspace.reader.max_depth - self.depth
        workspace.reader.max_string = self._workspace.reader.max_string
        workspace.read(node.text, node.size)
        return malformation(&workspace.reader.tape)


def index_of(list entries not None):
    """Maps each tool's name to its place; None where an entry is malformed or a name repeats."""
    cdef dict index = {}
    cdef Py_ssize_t place
    for place in range(len(entries)):
        entry = entries[place]
        if type(entry) is not Tool:
            return None
        index[(<Tool> entry).name] = place
    return index if len(index) == len(entries) else None


def next_value(bytes text not None, size_t start):
    """Gives the place of the first byte at or behind `start` that is no white space."""
    if start > <size_t> len(text):
        raise ValueError("expected a place in the text")
    return skip_space(<const char*> text + start) - <const char*> text


def outline(bytes text not None, size_t max_depth, size_t max_string, size_t start=0):
    """Reads the JSON value at `start` strictly; returns its root, outlined, and where it ends.

    The members of objects that stand in an array are leaves in an outline: they were
    read, and can be outlined in their turn. Raises NotJSON. What follows the end is
    the caller's to look at.
    """
    cdef _Workspace workspace = _Workspace()
    cdef Reader* reader = &workspace.reader
    cdef const char* begin = text
    cdef const char* end
    if len(text) > MAX_TEXT:
        raise ValueError("expected less than 4 GiB of text")
    if start > <size_t> len(text):
        raise ValueError("expected a place in the text")
    reader.max_depth, reader.max_string = min(max_depth, DEPTH_CEILING), max_string
    reader.outline = True
    reader.begin, reader.end = begin, begin + len(text)
    with nogil:
        end = read_value(reader, begin + start)
    if end == NULL:
        raise workspace.refusal()
    cdef Value root = Value.__new__(Value)
    root._workspace, root._text, root.depth = workspace, text, 1
    return root, end - begin


cdef bint well_formed(const Tape* tape, const Node* tool) noexcept:
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


cdef bint is_optional(const Node* node, Kind kind) noexcept:
    return node == NULL or node.kind == kind or node.kind == NULL_


cdef tuple malformation(Tape* tape):
    """Explains the malformed tool on the tape: (name, path, reason)."""
    cdef Node* name = member(tape, tape.nodes, b"name", 4)
    named = text_of(name) if name != NULL and name.kind == STRING and name.size else None
    if tape.nodes[0].flags & FAULTY:
        return named, *first_fault(tape)
    if tape.nodes[0].kind != OBJECT:
        return None, "", f"expected an object, got {an(tape.nodes[0].kind)}"
    if named is None:
        return None, "/name", f"expected a non-empty string, got {what_stands(name)}"
    for word, kind, optional in SHAPE:
        field = word.encode()
        name = member(tape, tape.nodes, field, len(field))
        if not ((optional and is_optional(name, kind)) or (name != NULL and name.kind == kind)):
            return named, f"/{word}", f"expected {an(kind)}, got {what_stands(name)}"


cdef str what_stands(const Node* node):
    if node == NULL:
        return "nothing"
    return "an empty string" if node.kind == STRING and node.size == 0 else an(node.kind)


cdef tuple first_fault(const Tape* tape):
    """Finds the first text fault: (JSON Pointer, reason)."""
    cdef size_t index = 0
    while tape.nodes[index].fault == Fault.NO_FAULT:
        index += 1
    return pointer_to(tape, <uint32_t> index), REASONS[tape.nodes[index].fault]


cdef str pointer_to(const Tape* tape, uint32_t target):
    """Gives the JSON Pointer of a node (of the member, where the node is its key)."""
    cdef uint32_t at = 0, step
    cdef list tokens = []
    while at != target:
        step = at + 1
        place = 0
        if tape.nodes[at].kind == OBJECT:
            while tape.nodes[step + 1].next <= target:
                step = tape.nodes[step + 1].next
            tokens.append(text_of(tape.nodes + step).replace("~", "~0").replace("/", "~1"))
            at = target if step == target else step + 1
        else:
            while tape.nodes[step].next <= target:
                step = tape.nodes[step].next
                place += 1
            tokens.append(str(place))
            at = step
    return "".join(f"/{token}" for token in tokens)


cdef str text_of(const Node* node):
    """Decodes canonical content; a lone surrogate, which no output could carry, is replaced."""
    if node.flags & ESCAPED:
        text = json.loads(b'"%s"' % <bytes> node.text[:node.size])
        return text.encode("utf-8", "replace").decode()
    return PyUnicode_DecodeUTF8(node.text, node.size, NULL)


cdef str kind_name(int kind):
    if kind == OBJECT:
        return "object"
    if kind == ARRAY:
        return "array"
    if kind == STRING:
        return "string"
    if kind == NULL_:
        return "null"
    return "number" if kind == NUMBER or kind == DECIMAL else "boolean"


cdef str an(int kind):
    name = kind_name(kind)
    if kind == NULL_:
        return name
    return f"an {name}" if name[0] in "ao" else f"a {name}"


cdef _Workspace nowhere():
    """Makes the workspace of a value that nobody read: it holds a null."""
    cdef _Workspace workspace = _Workspace()
    workspace.read(b"null", 4)
    return workspace


cdef _Workspace NOWHERE = nowhere()
cdef tuple SHAPE = (
    ("inputSchema", OBJECT, False), ("description", STRING, True), ("outputSchema", OBJECT, True),
    ("annotations", OBJECT, True),
)
cdef dict REASONS = {
    Fault.NO_FAULT: None,
    Fault.DUPLICATE_KEY: "duplicate key: which of the values counts depends on the reader",
    Fault.LONE_SURROGATE: "lone surrogate: half of a character",
    Fault.TOO_LARGE: "number too large for a double",
    Fault.TOO_SMALL: "number too small for a double: it would become 0",
    Fault.LOST_FRACTION: "number whose fraction a double loses",
    Fault.TOO_DEEP: "nested deeper than the depth limit",
    Fault.TOO_LONG: "string or number longer than the limit",
    Fault.NOT_FINITE: "not a number that JSON has (NaN or infinity)",
    Fault.NOT_TEXT_KEY: "key that is not a string",
    Fault.NOT_JSON_TYPE: "not a JSON value",
}
