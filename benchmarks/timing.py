"""How the benchmarks time: graph replays of each competitor, interleaved, medians.

Every launch of a graph works on another set of buffers, so that what is read is not in the cache
from the launch before; a graph holds enough launches to make the event clock's resolution small.
"""
import random
import statistics

import torch

CACHE_BYTES = 60 << 20      # L2 of an H200
ROUNDS = 15


def buffer_sets(bytes_per_set, limit=64):
    """How many sets of buffers make a launch miss the cache."""
    return max(2, min(limit, (3 * CACHE_BYTES) // max(bytes_per_set, 1) + 1))


def graph_of(launch, sets, launches):
    """A graph of `launches` calls of launch(set), over the sets in turn."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for which in range(min(3, sets)):
            launch(which)
    stream.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for number in range(launches):
            launch(number % sets)
    return graph


def compare(competitors, sets, bytes_per_launch, rounds=ROUNDS):
    """Median seconds a launch of each competitor: {name: seconds}."""
    expected = max(2e-6, bytes_per_launch / 4e12)
    launches = max(sets, min(200, int(2e-3 / expected) + 1))
    graphs = {name: graph_of(launch, sets, launches) for name, launch in competitors.items()}
    times = {name: [] for name in graphs}
    order = list(graphs)
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            graphs[name].replay()
            begin.record()
            graphs[name].replay()
            end.record()
            end.synchronize()
            times[name].append(begin.elapsed_time(end) * 1e-3 / launches)
    return {name: statistics.median(values) for name, values in times.items()}
