#!/usr/bin/env python3
"""Random kernels with exact results, and what these must be.

    generate.py SEED COUNT OUT.tile OUT.inc

A kernel loads a tile of random shape and applies random operations to it and to earlier values:
reshape, permute, reductions along an axis (kept and broadcast back), elementwise arithmetic, strided
and masked loads, loops with stages that carry a tile through a change of layout, branches, and dots of
every type over small integers, alone and in loops that stage their operands: from pointers, stepped
or indexed, and windows of a view, which the tensor-copy engine copies where the kernel specialises
enough. The same operations on Python lists give the expected tile. OUT.inc holds, for every kernel,
the size of its result and a hash of it, and of the sum of its elements.
"""
import itertools
import random
import sys

INPUT_SIZE = 8192  # elements of the input, x[i] = (i * 2654435761 mod 2^32) as random_kernels.hpp has
BITS = {"i32": 32, "i64": 64}
VIEW = (37, 45, 48)  # extents of the view of halves, and the stride of its rows; the last one is 1
# Type of a dot's operands: how its precision is named. Small integers are exact in all of them.
DOTS = {"f16": "", "bf16": "", "f64": "", "i8": "", "f8e4m3": "", "f8e5m2": ""}
DOTS_OF_F32 = ["tf32", "tf32x3", "ieee"]


def wrapped(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def input_element(index):
    return wrapped(index * 2654435761, 32) >> (index % 3 * 12)


def half_element(index):
    return index * 7 % 5 - 2


def view_element(row, column):
    rows, columns, stride = VIEW
    inside = 0 <= row < rows and 0 <= column < columns
    return half_element(row * stride + column) if inside else 0


class Tile:
    """A shape and the elements in row-major order."""

    def __init__(self, shape, elements):
        self.shape, self.elements = list(shape), list(elements)

    def strides(self):
        result = [1] * len(self.shape)
        for dim in range(len(self.shape) - 2, -1, -1):
            result[dim] = result[dim + 1] * self.shape[dim + 1]
        return result

    def permuted(self, order):
        shape, strides = [self.shape[dim] for dim in order], self.strides()
        return Tile(shape, [self.elements[sum(i * strides[dim] for i, dim in zip(index, order))]
                            for index in itertools.product(*map(range, shape))])

    def reduced(self, axis, combine):
        """Every element replaced by the reduction of its line along `axis`."""
        lines = {}
        keys = [index[:axis] + index[axis + 1:]
                for index in itertools.product(*map(range, self.shape))]
        for key, element in zip(keys, self.elements):
            lines.setdefault(key, []).append(element)
        results = {key: combine(line) for key, line in lines.items()}
        return Tile(self.shape, [results[key] for key in keys])

    def mapped(self, function, *others):
        return Tile(self.shape, map(function, self.elements, *(o.elements for o in others)))


def product(a, b, m, k, n):
    """Row-major lists: [m, k] times [k, n]."""
    columns = [b[j::n] for j in range(n)]
    rows = [a[i * k:(i + 1) * k] for i in range(m)]
    return [sum(map(int.__mul__, row, column)) for row in rows for column in columns]


def xor_all(line):
    result = 0
    for element in line:
        result ^= element
    return result


REDUCTIONS = {  # text of the call, with {x} and {axis}, and its meaning
    "sum({x}, axis = {axis}, keep_dims = true)": sum,
    "max({x}, axis = {axis}, keep_dims = true)": max,
    "min({x}, axis = {axis}, keep_dims = true)": min,
    "xor_sum({x}, axis = {axis}, keep_dims = true)": xor_all,
    "argmax({x}, axis = {axis}, keep_dims = true)": lambda line: line.index(max(line)),
    "argmin({x}, axis = {axis}, keep_dims = true)": lambda line: line.index(min(line)),
    "reduce({x}, {axis}, |p, q| q, keep_dims = true)": lambda line: line[-1],
}


class Kernel:
    def __init__(self, choose, name):
        self.choose, self.name, self.lines, self.values = choose, name, [], []
        self.type = choose.choice(list(BITS))
        self.size = 1 << choose.choice([choose.randint(0, 11), choose.randint(7, 11)])
        shape = self.shape_of(self.size)
        self.add(self.loaded(shape), Tile(shape, map(input_element, range(self.size))))
        for _ in range(choose.randint(2, 9)):
            x, tile = choose.choice(self.values[-3:])
            choose.choice([self.reshape, self.permute, self.reduce, self.reduce, self.arithmetic,
                           self.selection, self.strided_load, self.loop, self.branch, self.dot,
                           self.dot_loop, self.dot_loop])(x, tile)

    def shape_of(self, size):
        shape = [1] * self.choose.randint(1, 5)
        for _ in range(size.bit_length() - 1):
            shape[self.choose.randrange(len(shape))] *= 2
        return shape

    def order_of(self, rank):
        return self.choose.sample(range(rank), rank)

    def wrap(self, value):
        return wrapped(value, BITS[self.type])

    def loaded(self, shape, stride=1, first=0, mask=""):
        index = f"reshape(arange(0, {self.size}), {shape})"
        return f"{self.type}(load(x + {index} * {stride} + {first}{mask.format(i=index)}))"

    def add(self, text, tile, keyword="let"):
        name = f"v{len(self.values)}"
        self.lines.append(f"{keyword} {name} = {text};")
        self.values.append((name, tile.mapped(self.wrap)))
        return name

    def reshape(self, x, tile):
        shape = self.shape_of(self.size)
        self.add(f"reshape({x}, {shape})", Tile(shape, tile.elements))

    def permute(self, x, tile):
        order = self.order_of(len(tile.shape))
        self.add(f"permute({x}, {order})", tile.permuted(order))

    def reduce(self, x, tile):
        axis = self.choose.randrange(len(tile.shape))
        call, combine = self.choose.choice(list(REDUCTIONS.items()))
        lines = tile.reduced(axis, lambda line: self.wrap(combine(line)))
        call = f"{self.type}({call.format(x=x, axis=axis)})"
        if self.choose.random() < 0.5:
            self.add(f"{x} * 3 + {call}", tile.mapped(lambda a, b: a * 3 + b, lines))
        else:
            self.add(f"broadcast_to({call}, {tile.shape}) ^ {x}",
                     tile.mapped(lambda a, b: a ^ b, lines))

    def arithmetic(self, x, tile):
        y, other = self.choose.choice([v for v in self.values if v[1].shape == tile.shape])
        self.add(f"{x} - {y} * 7", tile.mapped(lambda a, b: a - b * 7, other))

    def selection(self, x, tile):
        self.add(f"where({x} > {x} * 5, {x} + 1, {x} >> 1)",
                 tile.mapped(lambda a: a + 1 if a > self.wrap(a * 5) else a >> 1))

    def strided_load(self, x, tile):
        stride, first = self.choose.randint(1, 3), self.choose.randint(0, 5)
        end, other = self.choose.randint(0, self.size), self.choose.randint(-9, 9)
        text = self.loaded(tile.shape, stride, first, f", {{i}} < {end}, other = {other}")
        loaded = [input_element(i * stride + first) if i < end else other
                  for i in range(self.size)]
        self.add(f"{x} + {text}", tile.mapped(lambda a, b: a + b, Tile(tile.shape, loaded)))

    def loop(self, x, tile):
        inner, trips = self.shape_of(self.size), self.choose.randint(0, 4)
        order = self.order_of(len(inner))
        result = tile.elements
        for trip in range(trips):
            moved = Tile(inner, result).permuted(order).elements
            result = [self.wrap(a + input_element(i) * trip) for i, a in enumerate(moved)]
        y = self.add(x, Tile(tile.shape, result), "var")
        self.lines.append(
            f"for k in range(0, n{trips}, stages = {self.choose.randint(1, 3)}) {{ {y} = "
            f"reshape(permute(reshape({y}, {inner}), {order}), {tile.shape}) + "
            f"{self.loaded(tile.shape)} * {self.type}(k); }}")

    def branch(self, x, tile):
        order, taken = self.order_of(len(tile.shape)), self.choose.randint(0, 1)
        total = sum(tile.elements)
        moved = Tile(tile.shape, tile.permuted(order).elements)
        result = moved.mapped(lambda a: a * 2) if taken else tile.mapped(lambda a: a + total)
        y = self.add(x, result, "var")
        self.lines.append(
            f"if n{taken} == 1 {{ {y} = reshape(permute({x}, {order}), {tile.shape}) * 2; }} "
            f"else {{ {y} = {x} + sum({x}); }}")

    def dot_type(self):
        """A type of operands, and the argument that goes with it."""
        name = self.choose.choice([*DOTS, "f32"])
        precision = self.choose.choice(DOTS_OF_F32) if name == "f32" else ""
        return name, f", precision = {precision}" if precision else ""

    def matrix(self):
        """Batch, rows and columns of a matrix of all elements; few enough columns to multiply by."""
        bits = self.size.bit_length() - 1
        columns = self.choose.randint(max(0, bits - 6), min(bits, 6))
        batch = self.choose.choice([0, 0, self.choose.randint(0, bits - columns)])
        return 1 << batch, 1 << (bits - columns - batch), 1 << columns

    def transposed(self, text, elements, batch, rows, columns):
        """A tile [batch, rows, columns] or its transposed form permuted back: text and elements."""
        shape = [batch, rows, columns]
        order = [0, 1, 2]
        if self.choose.random() < 0.5:
            shape[1:], order = [columns, rows], [0, 2, 1]
            elements = Tile(shape, elements).permuted(order).elements
        if batch == 1:
            shape, order = shape[1:], [axis - 1 for axis in order[1:]]
        text = text.format(shape=shape)
        return (f"permute({text}, {order})" if order != sorted(order) else text), elements

    def batched(self, batch, a, b, m, k, n):
        return [element for i in range(batch)
                for element in product(a[i * m * k:(i + 1) * m * k],
                                       b[i * k * n:(i + 1) * k * n], m, k, n)]

    def dot(self, x, tile):
        """A value times loaded halves, or the other way round."""
        (name, precision), (batch, m, n) = self.dot_type(), self.matrix()
        value, small = f"{name}((reshape({x}, {{shape}}) & 3) - 1)", [(e & 3) - 1 for e in tile.elements]
        first = self.choose.randint(0, 9)
        on_left = self.choose.random() < 0.5
        k = n if on_left else min(m, 64)
        if not on_left and k != m:
            return
        count = batch * k * k
        if count > INPUT_SIZE - 16:
            return
        loaded = f"{name}(load(h + reshape(arange(0, {count}), {{shape}}) + {first}))"
        halves = [half_element(i + first) for i in range(count)]
        a = (value, small, batch, m, k) if on_left else (loaded, halves, batch, k, k)
        b = (loaded, halves, batch, k, k) if on_left else (value, small, batch, k, n)
        (text_a, list_a), (text_b, list_b) = self.transposed(*a), self.transposed(*b)
        result = self.batched(batch, list_a, list_b, m if on_left else k, k, n)
        self.add(f"{self.type}(reshape(dot({text_a}, {text_b}{precision}), {tile.shape})) + {x}",
                 Tile(tile.shape, result).mapped(lambda p, e: p + e, tile))

    def window(self, rows, columns):
        """A window of the view that moves with k, perhaps transposed: text, and elements by k."""
        row, column = self.choose.randint(-4, 40), self.choose.randint(-4, 44)
        down, across = self.choose.choice([(0, 0), (3, 0), (0, 8), (1, -5), (-16, 16)])
        swap = self.choose.random() < 0.4
        height, width = (columns, rows) if swap else (rows, columns)
        text = f"load(w[{row} + k * {down} +: {height}, {column} + k * {across} +: {width}])"

        def elements(k):
            tile = Tile([height, width],
                        [view_element(row + k * down + i, column + k * across + j)
                         for i in range(height) for j in range(width)])
            return (tile.permuted([1, 0]) if swap else tile).elements
        return text + (".T" if swap else ""), elements

    def dot_loop(self, x, tile):
        """Products of what a loop loads, added up; operands are staged."""
        (name, precision), (_, m, n) = self.dot_type(), self.matrix()
        m = self.size // n
        k = 1 << self.choose.choice([0, 1, 2, 3, 4, 4, 5, 5])
        if m * k > 2048 or m * k * n > 1 << 16:
            return
        if self.choose.random() < 0.6:
            name, precision = "f16", ""  # what the loads give: nothing between them and the dot
        trips = self.choose.randint(0, 4)
        step = self.choose.choice([0, 1, 8, 64])
        masked = self.choose.randint(0, m * k) if self.choose.random() < 0.3 else None
        total = [0] * self.size
        # The left operand, from a pointer or the view; the right one, from the view or a pointer.
        index = f"reshape(arange(0, {m * k}), {{shape}})"
        mask = "" if masked is None else f", {index} < {masked}, other = 0"
        stepped = self.choose.random() < 0.5
        number = len(self.values)
        pointer = f"p{number}"
        address = pointer if stepped else f"h + k * {step} + {index}"
        swap = self.choose.random() < 0.4
        shape = [k, m] if swap else [m, k]
        left = f"load({address}{mask})".replace("{shape}", str(shape)) + (".T" if swap else "")
        left_window = self.window(m, k) if self.choose.random() < 0.5 else None
        right_window = self.window(k, n) if self.choose.random() < 0.6 else None
        right = f"load(h + k * 16 + reshape(arange(0, {k * n}), [{k}, {n}]))"
        if left_window:
            left, stepped = left_window[0], False
        if right_window:
            right = right_window[0]
        for trip in range(trips):
            if left_window:
                a = left_window[1](trip)
            else:
                a = [half_element(i + trip * step) if masked is None or i < masked else 0
                     for i in range(m * k)]
                if swap:
                    a = Tile([k, m], a).permuted([1, 0]).elements
            b = (right_window[1](trip) if right_window else
                 [half_element(i + trip * 16) for i in range(k * n)])
            total = [t + p for t, p in zip(total, product(a, b, m, k, n))]
        if name != "f16":
            left, right = f"{name}({left})", f"{name}({right})"
        sums = {"f64": "f64", "i8": "i32"}.get(name, "f32")
        stages = self.choose.choice(["", *(f", stages = {n}" for n in (1, 2, 3, 4))])
        self.lines.append(f"var s{number} = zeros([{m}, {n}], {sums});")
        if stepped:
            self.lines.append(f"var {pointer} = h + {index};".replace("{shape}", str(shape)))
        self.lines.append(
            f"for k in range(0, n{trips}{stages}) {{ "
            f"s{number} = dot({left}, {right}, s{number}{precision}); "
            + (f"{pointer} += {step}; " if stepped else "") + "}")
        self.add(f"{self.type}(reshape(s{number}, {tile.shape})) + {x}",
                 Tile(tile.shape, total).mapped(lambda p, e: p + e, tile))

    def source(self):
        result, tile = self.values[-1]
        body = "\n    ".join(self.lines)
        return f"""kernel {self.name}(out: ptr<i64>, total: ptr<i64>, x: ptr<const i32>,
    h: ptr<const f16>, w: view<const f16, 2>, n0: i32, n1: i32, n2: i32, n3: i32, n4: i32)
{self.promise()}  grid 1
  warps {self.choose.choice([1, 2, 4, 8])}
{{
    {body}
    store(out + reshape(arange(0, {self.size}), {tile.shape}), i64({result}));
    store(total, i64(sum({result})));
}}
"""

    def promise(self):
        """What the optimiser may know of the halves."""
        clause = self.choose.choice(["", "requires", *["specialize"] * 4])
        stride = f"w.stride(0) % {self.choose.choice([2, 4, *[8] * 6])} == 0 && w.stride(1) == 1"
        return f"  {clause} aligned(h, 16) && aligned(w, 16) && {stride}\n" if clause else ""

    def expected(self):
        elements = self.values[-1][1].elements
        digest = 14695981039346656037  # FNV-1a over the elements
        for element in elements:
            digest = ((digest ^ (element & (2**64 - 1))) * 1099511628211) & (2**64 - 1)
        total = self.wrap(sum(elements)) & (2**64 - 1)
        return f'{{"{self.name}", {self.size}, {digest}u, {total}u}},'


def main():
    seed, count, tile_path, data_path = sys.argv[1:]
    choose = random.Random(int(seed))
    kernels = [Kernel(choose, f"random_{index}") for index in range(int(count))]
    with open(tile_path, "w") as file:
        file.write(f"// Made by generate.py from seed {seed}.\n")
        file.write("\n".join(kernel.source() for kernel in kernels))
    with open(data_path, "w") as file:
        file.write("\n".join(kernel.expected() for kernel in kernels) + "\n")


if __name__ == "__main__":
    main()
