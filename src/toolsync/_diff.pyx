"""The compiled core: JSON text or parsed tools in; canonical form, digests, which tools differ out.

It knows JSON and where subschemas stand in a schema. It knows no files, no sessions
and no protocol, and imports nothing of toolsync. Its parts are in `_core`, from the
outside in:

    projection, keywords, trimming    what the semantic digest hashes
    canonical, order                  RFC 8785 text, sorting
    text, strings, numbers, reader    JSON text → tape, strictly and within limits
    objects                           Python values → tape
    faults                            what is wrong with a value, told to people
    soundness                         which tools are usable for sure
    tape, memory                      the flat form of a value, and its memory

`_reading`, the other compiled module, makes tools of texts and of Python values.
"""

import json
from hashlib import sha256 as _sha256

import orjson

cimport cython
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeASCII
from libc.string cimport memcmp, memcpy, memset

from toolsync._core.canonical cimport Writer, discard, write_value
from toolsync._core.faults cimport first_fault, text_of, well_formed
from toolsync._core.memory cimport same_bytes
from toolsync._core.numbers cimport parse_integer
from toolsync._core.objects cimport put_object
from toolsync._core.projection cimport project_tool
from toolsync._core.reader cimport Reader, skip_space
from toolsync._core.soundness cimport is_surely_usable
from toolsync._core.strings cimport hex_digit
from toolsync._core.tape cimport FAULTY, NUMBER, Node, Tape, clear, destroy, member
from toolsync._core.text cimport read_value

MAX_DEPTH = 1000  # the walkers recurse: this much fits a stack of 256 KiB

DEPTH_CEILING = MAX_DEPTH


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
        """The tool as Python objects, the caller's to change.

        A tool that was given as a dict gives that dict, unless it has been changed since.
        """
        if self._definition is not None and self._is_as_given():
            return self._definition
        return parse(self.text)

    @property
    def parsed(self):
        """The tool as Python objects, made once and shared: not to be changed."""
        if self._parsed is None:
            self._parsed = parse(self.text)
        return self._parsed

    @property
    def sound(self):
        """Whether it is usable for sure; False says that only a closer look can tell."""
        cdef _Workspace workspace
        if not self._looked_at:
            workspace = _Workspace()
            workspace.read(self._start, self._size)
            self.look_at(&workspace.reader.tape)
        return self._sound

    cdef void look_at(self, const Tape* tape) noexcept nogil:
        """Notes what the tape that holds this tool tells of its soundness."""
        self._sound, self._looked_at = is_surely_usable(tape), True

    cdef bint _is_as_given(self):
        try:
            return canonical(self._definition) == self._holder
        except ValueError:
            return False

    def __repr__(self):
        return f"<Tool {self.name!r}>"


@cython.final
@cython.auto_pickle(False)
cdef class _Workspace:
    """The memory that readings and writings share, one caller at a time."""

    def __cinit__(self):
        memset(&self.reader, 0, sizeof(Reader))
        memset(&self.writer, 0, sizeof(Writer))
        self.reader.max_depth = self.reader.told_depth = DEPTH_CEILING
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
        if self.reader.tape.crowded:
            return OverflowError("more than the limit of 16,777,216 values")
        if self.reader.reason == NULL:
            return MemoryError()
        return NotJSON(self.reader.reason.decode(), self.reader.at - self.reader.begin)

    cdef bint take(self, object value) except False:
        """Reads a Python value."""
        clear(&self.reader.tape)
        self.reader.taken = 0
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
            path, reason = first_fault(&self.reader)
            raise ValueError(f"{reason} (at {path or 'the root'})")
        return True


def tool_from_text(bytes text not None, bint is_canonical=False):
    """Makes a tool of its JSON text: how tools are unpickled. Raises ValueError, NotJSON among them."""
    cdef _Workspace workspace = _Workspace()
    cdef Tape* tape = &workspace.reader.tape
    workspace.read(text, len(text))
    if not well_formed(tape, tape.nodes):
        raise ValueError("expected the text of a well-formed tool")
    cdef Tool tool = make_tool(tape, tape.nodes, text)
    tool._start, tool._size, tool._canonical = text, len(text), is_canonical
    return tool


def canonical(value):
    """Gives the canonical text of a JSON value held in Python objects."""
    cdef _Workspace workspace = _Workspace()
    try:
        workspace.take(value)
    except OverflowError:
        raise ValueError("more than the limit of 4,194,304 values or 1 GiB of text") from None
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
    cdef bytes raw = _sha256(text).digest()
    cdef char written[71]
    cdef const unsigned char* byte = raw
    cdef int at
    memcpy(written, b"sha256:", 7)
    for at in range(32):
        written[7 + 2 * at] = hex_digit(byte[at] >> 4)
        written[8 + 2 * at] = hex_digit(byte[at] & 15)
    return PyUnicode_DecodeASCII(written, 71, NULL)


def catalogue_digest(tuple tools not None, *, bint semantic):
    """Gives the digest of the object that maps each tool's name to its digest.

    Makes both digests of tools that lack one: they are read once for the two.
    """
    cdef dict digests = {}
    cdef _Workspace workspace = _Workspace()
    cdef Tool tool
    for each in tools:
        tool = <Tool?> each
        if tool._digest is None or tool._semantic_digest is None:
            complete(tool, workspace)
        digests[tool.name] = tool._semantic_digest if semantic else tool._digest
    return digest_of(canonical(digests))


cdef int complete(Tool tool, _Workspace workspace) except -1:
    if tool._canonical and tool._semantic_digest is not None:
        tool._digest = digest_of(tool._holder)
        return 0
    workspace.read(tool._start, tool._size)
    if not workspace.compose_part(True):
        raise MemoryError
    tool._digest, tool._semantic_digest = digest_of(workspace.full()), digest_of(workspace.part())
    return 0


def share_digests(tuple old not None, dict old_index not None, tuple new not None):
    """Gives tools of equal text the digests of their namesakes, where those are made."""
    cdef Tool before, after
    for tool in new:
        after = <Tool?> tool
        place = old_index.get(after.name)
        if place is None:
            continue
        before = <Tool?> old[place]
        if is_same_text(before, after):
            after._digest = after._digest or before._digest
            after._semantic_digest = after._semantic_digest or before._semantic_digest


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
    if order == 2:  # somebody will want to know
        a.look_at(&left.reader.tape)
        b.look_at(&right.reader.tape)
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


cdef Tool make_tool(const Tape* tape, const Node* node, bytes holder):
    cdef Tool tool = Tool.__new__(Tool)
    tool.name = text_of(member(tape, node, b"name", 4))
    tool._holder = holder
    tool._start = node.text
    tool._size = node.size
    return tool
