"""How the benchmarks time: graph replays of each competitor, interleaved, medians.

Every launch of a graph works on another set of buffers, so that what is read is not in the cache
from the launch before; a graph holds enough launches to make the event clock's resolution small.
"""
import random
import statistics
import time

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


# --- Kernels that the power limit holds down ---------------------------------------------------
#
# The clock of a busy tensor core falls within milliseconds, so a figure has a regime:
#   sustained  slices of every competitor in shuffled order, each after 300 ms of its own work: the
#              clock follows the power of the last 100 ms or so, and a shorter slice would run at the
#              clock that whoever ran before it left
#   burst      8 ms after 50 ms of rest

WARM_SECONDS, SLICE_SECONDS, SUSTAINED_ROUNDS = 0.3, 0.03, 3
REST_SECONDS, BURST_SECONDS, BURST_ROUNDS = 0.05, 0.008, 9


class Repeated:
    """A graph of some launches, replayed for about as long as is asked."""

    def __init__(self, launch, sets):
        launch(0)
        torch.cuda.synchronize()
        once = max(2e-6, min(self._elapsed(lambda: launch(0)) for _ in range(3)))
        self.launches = max(sets, min(200, int(2e-3 / once)))
        self.graph = graph_of(launch, sets, self.launches)
        self.graph.replay()
        self.seconds = max(1e-5, self._elapsed(self.graph.replay))

    @staticmethod
    def _elapsed(work):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3

    def queue(self, seconds):
        """Queues about `seconds` of work; the events around it and the launches between them."""
        replays = max(1, round(seconds / self.seconds))
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(replays):
            self.graph.replay()
        end.record()
        return begin, end, replays * self.launches


def _medians(times):
    return {name: statistics.median(values) for name, values in times.items()}


def sustained(work, rounds=SUSTAINED_ROUNDS):
    """Median seconds a launch of each competitor in `work` ({name: Repeated}), at its own clock."""
    times = {name: [] for name in work}
    order = list(work)
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            work[name].queue(WARM_SECONDS)
            begin, end, launches = work[name].queue(SLICE_SECONDS)
            end.synchronize()
            times[name].append(begin.elapsed_time(end) * 1e-3 / launches)
    return _medians(times)


def burst(work, rounds=BURST_ROUNDS):
    """The same, each measurement from rest."""
    times = {name: [] for name in work}
    order = list(work)
    for _ in range(rounds):
        random.shuffle(order)
        for name in order:
            torch.cuda.synchronize()
            time.sleep(REST_SECONDS)
            begin, end, launches = work[name].queue(BURST_SECONDS)
            end.synchronize()
            times[name].append(begin.elapsed_time(end) * 1e-3 / launches)
    return _medians(times)
