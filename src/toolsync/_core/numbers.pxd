"""Numbers: reading literals, their faults, and canonical text (canonical form 1, Numbers).

Literals with a fraction or exponent are rare in tool catalogues, so all that needs
the exact double goes through Python's own conversions, with the GIL.
"""

from libc.string cimport memcpy

from toolsync._core.memory cimport Buffer, append
from toolsync._core.reader cimport Reader, emit, refuse
from toolsync._core.tape cimport DECIMAL, NUMBER, Fault, Node, blame


cdef inline bint is_digit(char c) noexcept nogil:
    return c'0' <= c <= c'9'


cdef inline const char* read_number(Reader* reader, const char* p) noexcept nogil:
    """Reads the number at `p`, a minus sign or digit."""
    cdef const char* start = p
    p += p[0] == c'-'
    if p[0] == c'0':
        p += 1
    elif is_digit(p[0]):
        while is_digit(p[0]):
            p += 1
    else:
        return refuse(reader, p, b"expected a digit after '-'")
    if p[0] == c'.' or p[0] == c'e' or p[0] == c'E':
        return read_decimal(reader, start, p)
    if p - start == 2 and start[0] == c'-' and start[1] == c'0':
        start += 1
    return p if emit(reader, NUMBER, start, p - start) != NULL else NULL


cdef inline const char* read_decimal(Reader* reader, const char* start,
                                     const char* p) noexcept nogil:
    """Reads on from the fraction or exponent at `p`."""
    cdef bint plain = True
    cdef const char* mark
    if p[0] == c'.':
        p += 1
        if not is_digit(p[0]):
            return refuse(reader, p, b"expected a digit after the decimal point")
        while is_digit(p[0]):
            p += 1
    mark = p
    if p[0] == c'e' or p[0] == c'E':
        p += 1
        p += p[0] == c'-' or p[0] == c'+'
        if not is_digit(p[0]):
            return refuse(reader, p, b"expected a digit in the exponent")
        while is_digit(p[0]):
            p += 1
        plain = p - mark <= 3 or (p - mark == 4 and not is_digit(mark[1]))
    cdef Node* node = emit(reader, DECIMAL, start, p - start)
    if node == NULL:
        return NULL
    # Up to 15 digits and a two-digit exponent: a double neither overflows nor drops a fraction.
    if not (plain and mark - start <= 15) and not node.fault:
        blame_decimal(reader, node)
    return p


cdef inline void blame_decimal(Reader* reader, Node* node) noexcept with gil:
    cdef Fault fault = decimal_fault(node.text[:node.size])
    if fault:
        blame(&reader.tape, node, fault)


cdef inline Fault decimal_fault(bytes literal):
    """Says what a double does to the literal, if it does not merely round it."""
    cdef double value = float(literal)
    if value - value != 0:
        return Fault.TOO_LARGE
    mantissa, _, exponent = literal.lower().partition(b"e")
    whole, _, fraction = mantissa.partition(b".")
    digits = (whole.lstrip(b"-") + fraction).rstrip(b"0")
    if value == 0:
        return Fault.TOO_SMALL if digits.strip(b"0") else Fault.NO_FAULT
    trailing = len(whole.lstrip(b"-")) + len(fraction) - len(digits)
    # Zeros alone can make the exponent of a finite non-zero double long.
    power = int(exponent.lstrip(b"+-").lstrip(b"0") or b"0")
    shift = (-power if exponent.startswith(b"-") else power) - len(fraction) + trailing
    return Fault.LOST_FRACTION if shift < 0 and value.is_integer() else Fault.NO_FAULT


cdef inline bint append_decimal(Buffer* out, const Node* node) noexcept with gil:
    """Appends the canonical text of a literal with fraction or exponent."""
    cdef bytes text = double_text(float(node.text[:node.size]))
    return append(out, text, len(text))


cdef inline bytes double_text(double value):
    """Spells a finite double: all digits where it is integral below 1e21, else as ECMAScript does.

    Python and ECMAScript agree on the shortest digits and differ in when they turn to
    an exponent (below 1e-4 against below 1e-6) and in how they write it. Makes nothing
    that the garbage collector tracks: see `objects`.
    """
    if value.is_integer() and -1e21 < value < 1e21:
        return str(int(value)).encode()
    cdef str text = repr(value)
    cdef Py_ssize_t mark = text.find("e")
    if mark < 0:
        return text.encode()
    cdef int power = int(text[mark + 1:])
    cdef str mantissa = text[:mark]
    if -6 <= power < 0:
        digits = mantissa.replace("-", "").replace(".", "")
        return (("-" if value < 0 else "") + "0." + "0" * (-power - 1) + digits).encode()
    if mantissa.endswith(".0"):
        mantissa = mantissa[:-2]
    return (mantissa + ("e+" if power > 0 else "e-") + str(abs(power))).encode()


cdef inline char* put_digits(char* end, object magnitude) except NULL:
    """Writes the digits of an exact int up to `end`; returns where they begin.

    In pieces, since `str` refuses long ones beyond a limit that may be set by anyone.
    """
    cdef char* at = end
    cdef bytes piece
    base = int("1" + "0" * 600)
    while True:
        piece = str(magnitude % base).encode()
        at -= len(piece)
        memcpy(at, <const char*> piece, len(piece))
        magnitude = magnitude // base
        if not magnitude:
            return at
        while end - at < 600 or (end - at) % 600:
            at -= 1
            at[0] = c'0'


cdef inline object parse_integer(str digits):
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
