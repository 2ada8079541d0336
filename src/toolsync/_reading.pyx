"""Where tools come from: Python values, or a text, in which an outline is read strictly and once."""

cimport cython
from libc.stdint cimport uint32_t

from toolsync._diff cimport DEPTH_CEILING, Tool, _Workspace, digest_of, make_tool
from toolsync._core.faults cimport an, kind_name, malformation, reason_of, text_of, well_formed
from toolsync._core.reader cimport Reader, skip_space
from toolsync._core.tape cimport ARRAY, LEAF, OBJECT, STRING, Node, Tape, member
from toolsync._core.text cimport read_value

MAX_TEXT = 0xFFFFFFFF  # places in a text are kept in 32 bits


@cython.final
@cython.auto_pickle(False)
cdef class Encoder:
    """Makes tools of Python values, reusing its memory from one to the next."""

    cdef _Workspace workspace

    def __cinit__(self, size_t max_depth, size_t max_string):
        self.workspace = _Workspace()
        self.workspace.reader.told_depth = min(max_depth, DEPTH_CEILING)
        # Two levels stand around each tool of a tools/list result: the same depth counts for both.
        self.workspace.reader.max_depth = max(self.workspace.reader.told_depth, <size_t> 2) - 2
        self.workspace.reader.max_string = max_string

    def tools(self, list values not None):
        """Gives for each value a Tool, or (name, path, reason, text) where it is malformed."""
        return [self.tool(value) for value in values]

    cpdef tool(self, value):
        """Gives a Tool, or (name, path, reason, text) where the value is malformed.

        The semantic digest is made at once: the projection costs little while the
        value is on the tape.
        """
        cdef Tape* tape = &self.workspace.reader.tape
        try:
            self.workspace.take(value)
        except OverflowError:
            return endless(value)
        if not well_formed(tape, tape.nodes):
            text = self.workspace.full_text()  # first: explaining may start the collector
            return *malformation(&self.workspace.reader), text
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


cdef tuple endless(value):
    """Explains a value that is larger than any tool, or holds itself."""
    named = dict.get(value, "name") if isinstance(value, dict) else None
    return (named if type(named) is str and named else None, "",
            "more than the limit of 4,194,304 values or 1 GiB of text, or a value inside itself",
            b"")


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
        return literal_of(self.node())

    @property
    def fault(self):
        """Why this very value cannot be read exactly, or None."""
        return reason_of(self.node(), &self._workspace.reader)

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
        (<Value> root)._workspace.reader.told_depth = self._workspace.reader.told_depth
        return root

    def tools(self):
        """Takes an array's elements as tools.

        Returns a list with, for each element in order, a Tool, or (name, path, reason,
        text) where it is malformed.
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
        cdef _Workspace workspace
        if node.kind != OBJECT:
            return None, "", f"expected an object, got {an(node.kind)}", literal_of(node)
        workspace = _Workspace()
        workspace.reader.max_depth = self._workspace.reader.max_depth - self.depth
        workspace.reader.max_string = self._workspace.reader.max_string
        workspace.read(node.text, node.size)
        workspace.reader.told_depth = self._workspace.reader.told_depth
        return *malformation(&workspace.reader), literal_of(node)


cdef bytes literal_of(const Node* node):
    cdef bytes text = node.text[:node.size]
    return b'"%b"' % text if node.kind == STRING else text


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
    reader.told_depth = reader.max_depth
    reader.outline = True
    reader.begin, reader.end = begin, begin + len(text)
    with nogil:
        end = read_value(reader, begin + start)
    if end == NULL:
        raise workspace.refusal()
    cdef Value root = Value.__new__(Value)
    root._workspace, root._text, root.depth = workspace, text, 1
    return root, end - begin


cdef _Workspace nowhere():
    """Makes the workspace of a value that nobody read: it holds a null."""
    cdef _Workspace workspace = _Workspace()
    workspace.read(b"null", 4)
    return workspace


cdef _Workspace NOWHERE = nowhere()
