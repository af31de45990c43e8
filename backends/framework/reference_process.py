"""Runs a PyTorch reference for the runner: computes outputs of a task and times them. The runner talks over descriptor
3, with frames as in runtime/base/channel.hpp whose payload is text, one fact a line. Arrays lie in shared memory:
the host's, or the device's, which the runner's examiner exports.
"""

import concurrent.futures
import ctypes
import importlib.util
import linecache
import mmap
import os
import socket
import struct
import sys
import threading
import time
import traceback

LINK = 3
DEVICE_ARENA = 2
DEVICE_POOL = 3  # what no candidate maps
ORACLE = 1  # the program that computes expected values
HELLO, LOAD, MAP, CALL, ANSWER = range(1, 6)
LEAST_CYCLES = 1 << 18  # shortest gate: about 0.13 ms
MOST_CYCLES = 1 << 27  # longest gate: about 70 ms
CYCLES_PER_QUEUED_NS = 6  # at 2 GHz, three times as long as the host took to queue a call
LARGE_PART = 8  # of the device's memory
SOURCE_NAME = "reference_of_task_"


class Refused(Exception):
    """A mistake of the reference: the name of a rule, and a text for a person."""

    def __init__(self, rule, detail, spoils=False):
        super().__init__(detail)
        self.rule = rule
        self.spoils = spoils  # this process cannot go on


class Overdue(BaseException):
    """The time of a call is over. It is no Exception, so that nobody takes it for a failed attempt and goes on."""


def left_half_imported(error):
    """Tells if an exception passed through an import. PyTorch's modules cannot be imported again: they register twice.
    Python drops the importer's own frames where it ran a module's body.
    """
    return any(f.name == "<module>" or f.filename.startswith("<frozen importlib")
               for f in traceback.extract_tb(error.__traceback__))


class TimeLimit:
    """Raises Overdue in the main thread once the time is over, and again where that is swallowed. Code that does not
    return to the interpreter, such as a compiler's, ends first.
    """

    AGAIN = 0.5  # seconds

    def __init__(self, seconds):
        self.seconds = seconds
        self.thread = threading.main_thread().ident
        self.over = threading.Event()
        self.guard = threading.Lock()

    def __enter__(self):
        if self.seconds:
            threading.Thread(target=self.watch, daemon=True).start()
        return self

    def watch(self):
        wait = self.seconds
        while not self.over.wait(wait):
            wait = self.AGAIN
            with self.guard:
                if not self.over.is_set():
                    self.set_exception(ctypes.py_object(Overdue))

    def __exit__(self, *error):
        with self.guard:
            self.over.set()
            self.set_exception(None)  # one that is under way
        return False

    def set_exception(self, what):
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread), what)


class Link:
    def __init__(self):
        self.socket = socket.socket(fileno=LINK)

    def exactly(self, size):
        out = b""
        while len(out) < size:
            part = self.socket.recv(size - len(out))
            if not part:
                sys.exit(0)  # the runner is gone
            out += part
        return out

    def receive(self):
        size, kind = struct.unpack("<IB", self.exactly(5))
        return kind, self.exactly(size - 1).decode()

    def descriptor(self):
        _, fds, _, _ = socket.recv_fds(self.socket, 1, 1)
        return fds[0]

    def send(self, kind, text):
        payload = text.encode()
        self.socket.sendall(struct.pack("<IB", len(payload) + 1, kind) + payload)


class Location(ctypes.Structure):
    """CUmemLocation: a device by its number."""

    _fields_ = [("type", ctypes.c_int), ("id", ctypes.c_int)]


class Access(ctypes.Structure):
    """CUmemAccessDesc: the access of a device."""

    _fields_ = [("who", Location), ("flags", ctypes.c_int)]


class DeviceMemory:
    """Device memory exported by another process, mapped as long as this object lives. A tensor reads and writes it
    through __cuda_array_interface__.
    """

    READ_AND_WRITE = 3
    FILE_DESCRIPTOR = 1

    def __init__(self, fd, size):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.size = size
        self.at = ctypes.c_uint64(0)
        handle = ctypes.c_uint64(0)
        access = Access(Location(1, 0), self.READ_AND_WRITE)
        length, none = ctypes.c_size_t(size), ctypes.c_uint64(0)
        self.ask("cuMemImportFromShareableHandle", ctypes.byref(handle), ctypes.c_void_p(fd), self.FILE_DESCRIPTOR)
        try:
            self.ask("cuMemAddressReserve", ctypes.byref(self.at), length, ctypes.c_size_t(0), none, none)
            self.ask("cuMemMap", self.at, length, ctypes.c_size_t(0), handle, none)
            self.ask("cuMemSetAccess", self.at, length, ctypes.byref(access), ctypes.c_size_t(1))
        finally:
            self.ask("cuMemRelease", handle)  # the mapping keeps it
        self.__cuda_array_interface__ = {"shape": (size,), "typestr": "|u1", "data": (self.at.value, False), "version": 3}

    def ask(self, function, *arguments):
        status = getattr(self.driver, function)(*arguments)
        if status != 0:
            raise Refused("device_memory", f"{function} returned {status}")

    def release(self):
        self.driver.cuMemUnmap(self.at, ctypes.c_size_t(self.size))
        self.driver.cuMemAddressFree(self.at, ctypes.c_size_t(self.size))


class Argument:
    def __init__(self, words):
        self.name, self.role, self.dtype, self.offset, self.bytes, rank = (
            words[0], words[1], words[2], int(words[3]), int(words[4]), int(words[5]))
        self.extent = words[6] == "extent"
        numbers = [int(w) for w in words[7:]]
        self.shape, self.strides = numbers[:rank], numbers[rank:]
        self.written = self.role in ("output", "inout")


class Order:
    """An order for a call: `call PROGRAM ARENA MODE CACHE [MILLISECONDS]`, then a line for each argument."""

    def __init__(self, text):
        lines = text.splitlines()
        _, program, arena, self.mode, cache, *limit = lines[0].split(" ")
        self.limit_s = int(limit[0]) / 1e3 if limit else 0.0  # 0: the runner alone ends it
        self.program, self.arena, self.cold = int(program), int(arena), cache == "cold"
        self.mode, _, self.tf32 = self.mode.partition(":")  # "eager:on": the mode, and the use of TF32
        self.arrays, self.values = [], {}
        for line in lines[1:]:
            words = line.split(" ")
            if words[0] == "array":
                self.arrays.append(Argument(words[1:]))
            else:
                self.values[words[1]] = float(words[3]) if words[2] == "float" else int(words[3])


class Clock:
    """Times one call between two events. A waiting kernel, the gate, holds the stream until everything is queued, so
    that the time is the device's alone. Before each call, the second-level cache is swept or the arguments are read,
    as the runner does for candidates.
    """

    def __init__(self, torch):
        self.torch = torch
        self.cycles = LEAST_CYCLES
        l2 = torch.cuda.get_device_properties(0).L2_cache_size
        self.sweep = torch.empty(2 * l2, dtype=torch.uint8, device="cuda")

    def time(self, prepare, call, cold):
        """Returns the result and the time in nanoseconds."""
        cuda = self.torch.cuda
        while True:
            arguments = prepare()
            begin, end = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
            cuda.synchronize()
            queued = time.perf_counter_ns()
            cuda._sleep(self.cycles)
            if cold:
                self.sweep.zero_()
            else:
                for t in arguments.values():
                    if isinstance(t, self.torch.Tensor):
                        t.clone()
            begin.record()
            out = call(**arguments)
            end.record()
            queued = time.perf_counter_ns() - queued
            held = not begin.query()
            end.synchronize()
            # A reference that synchronises with the device needs the gate open, whatever its length.
            if held or self.cycles >= MOST_CYCLES:
                # A single slow call must not lengthen the gate of all later calls.
                self.cycles = min(self.cycles, max(LEAST_CYCLES, CYCLES_PER_QUEUED_NS * queued))
                return out, begin.elapsed_time(end) * 1e6
            self.cycles *= 2


class HostClock:
    """Times calls on machines without a device. A call on the same inputs goes before each timed one, unless caches are to
    be cold: the interpreter and the allocator have been idle, and a baseline must not be charged for that.
    """

    def time(self, prepare, call, cold):
        arguments = prepare()
        if not cold:
            call(**arguments)
        begin = time.perf_counter_ns()
        out = call(**arguments)
        return out, float(time.perf_counter_ns() - begin)


WARM_UPS = 3  # torch.compile captures a graph in the second call, and replays it from the third
COMPILE_MODES = ("default", "max-autotune", "max-autotune-no-cudagraphs")


class Graphed:
    """An eager function whose kernels are captured once as a CUDA graph and replayed. The inputs keep their places."""

    WARM_UPS = 3

    def __init__(self, torch, function):
        self.torch, self.function = torch, function
        self.graphs = {}

    def __call__(self, **arguments):
        backends = self.torch.backends
        numerics = (backends.cuda.matmul.allow_tf32, backends.cudnn.allow_tf32)  # chose the captured kernels
        key = numerics, tuple((n, x.data_ptr()) if isinstance(x, self.torch.Tensor) else (n, x) for n, x in arguments.items())
        if key not in self.graphs:
            self.graphs[key] = self.captured(arguments)
        graph, out = self.graphs[key]
        graph.replay()
        return out

    def captured(self, arguments):
        cuda = self.torch.cuda
        stream = cuda.Stream()
        stream.wait_stream(cuda.current_stream())
        with cuda.stream(stream):
            for _ in range(self.WARM_UPS):
                self.function(**arguments)
        cuda.current_stream().wait_stream(stream)
        graph = cuda.CUDAGraph()
        with cuda.graph(graph):
            out = self.function(**arguments)
        return graph, out


class Compilers:
    """The threads in which max-autotune compiles what it chooses among, one a core. The pool of processes that PyTorch
    would take is off, since it lives on; these threads have ended before anything is timed.
    """

    def __init__(self, torch):
        from torch._inductor import select_algorithm

        pools = self.pools = []

        class Pool(concurrent.futures.ThreadPoolExecutor):
            def __init__(self, *arguments, **named):
                named["max_workers"] = len(os.sched_getaffinity(0))
                super().__init__(*arguments[1:], **named)
                pools.append(self)

        select_algorithm.ThreadPoolExecutor = Pool

    def end(self):
        """Drops what a call that was ended has left to compile, and waits for what is under way."""
        for pool in self.pools:
            pool.shutdown(cancel_futures=True)
        self.pools.clear()


class Places:
    """Inputs of timed calls, at places that stay the same: CUDA graphs need not copy them, as they need not copy the
    weights of a module.
    """

    def __init__(self, torch):
        self.torch = torch
        self.held = {}

    def put(self, kind, arguments):
        if kind not in self.held:
            self.held[kind] = {n: self.kept(x) for n, x in arguments.items()}
        held = self.held[kind]
        for n, x in arguments.items():
            if isinstance(x, self.torch.Tensor):
                held[n].copy_(x)
            else:
                held[n] = x
        return held

    def kept(self, x):
        if not isinstance(x, self.torch.Tensor):
            return x
        out = x.clone()
        self.torch._dynamo.mark_static_address(out)
        return out


def set_numerics(torch, tf32):
    """Uses TF32 for every product, for none, or as PyTorch has it by default: in convolutions alone."""
    torch.backends.cuda.matmul.allow_tf32 = tf32 == "on"
    torch.backends.cudnn.allow_tf32 = tf32 != "off"


class Program:
    """A loaded source with its entry, eager and compiled."""

    def __init__(self, torch, slot, entry, source):
        self.torch = torch
        # The module needs a file, since compilers look for one.
        name = SOURCE_NAME + slot
        path = os.path.abspath(name + ".py")
        with open(path, "w", encoding="utf-8") as out:
            out.write(source)
        linecache.checkcache(path)
        spec = importlib.util.spec_from_file_location(name, path)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        function = getattr(module, entry, None)
        if not callable(function):
            raise Refused("no_entry", f"the reference has no function '{entry}'")
        code = getattr(function, "__code__", None)
        if code is None:
            raise Refused("no_entry", f"'{entry}' is no plain function")
        self.parameters = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
        self.functions = {"eager": function}
        self.install = getattr(module, "kevolve_install", None)  # of weights, before a call
        self.places = Places(torch)
        self.compilers = None
        self.warm = set()

    def function(self, mode):
        if mode not in self.functions:
            eager = self.functions["eager"]
            if mode == "graph":
                self.functions[mode] = Graphed(self.torch, eager)
            elif mode in COMPILE_MODES:
                self.torch._dynamo.reset()  # a limit on recompilations is each mode's own
                self.compilers = self.compilers or Compilers(self.torch)
                compiled = self.torch.compile(eager, mode=mode, dynamic=False)

                def step(**arguments):
                    self.torch.compiler.cudagraph_mark_step_begin()
                    return compiled(**arguments)

                self.functions[mode] = step if mode == "max-autotune" else compiled
            else:
                raise Refused("protocol", f"no mode '{mode}'")
        return self.functions[mode]

    def forget(self, mode):
        """Drops a function that was left half compiled."""
        self.functions.pop(mode, None)
        self.warm = {kind for kind in self.warm if kind[0] != mode}
        if self.compilers is not None:
            self.compilers.end()
        self.torch._dynamo.reset()


class Parts:
    """An oracle's call in parts along the first extent of its outputs, where the whole does not fit into memory. Parts are
    allowed only if some rows give the same values together and one by one: then no row depends on another, on its own
    place, or on their number.
    """

    TRIAL = 4  # rows, at the begin and at the end
    CLOSE = 1e-10  # of the largest value: sums in double may take another order

    def __init__(self, reference, order, program):
        self.reference, self.order, self.program = reference, order, program
        self.outputs = [a for a in order.arrays if a.written]
        first = {a.shape[0] if a.shape else 0 for a in self.outputs}
        self.rows = first.pop() if len(first) == 1 and not any(a.extent for a in self.outputs) else 0
        self.split = {a.name for a in order.arrays if a.role in ("input", "inout") and a.shape and a.shape[0] == self.rows}

    def allowed(self):
        """Tries some rows together and one by one."""
        if self.rows <= 2 * self.TRIAL or not self.split or self.program.install is not None:
            return False
        try:
            for begin in (0, self.rows - self.TRIAL):
                together = self.call(begin, begin + self.TRIAL)
                alone = [self.call(n, n + 1) for n in range(begin, begin + self.TRIAL)]
                if not all(self.same(t, self.reference.torch.cat(one)) for t, *one in zip(together, *alone)):
                    return False
        except Exception:  # noqa: BLE001 - it takes no part of its inputs
            return False
        return True

    def same(self, x, y):
        torch = self.reference.torch
        if not x.dtype.is_floating_point:
            return torch.equal(x, y)
        finite = x.isfinite()
        if not torch.equal(finite, y.isfinite()) or not torch.equal(x[~finite].nan_to_num(), y[~finite].nan_to_num()):
            return False
        x, y = x[finite], y[finite]
        return x.numel() == 0 or float((x - y).abs().max()) <= self.CLOSE * float(x.abs().max())

    def call(self, begin, end):
        """Returns the outputs of these rows, as the reference returns them."""
        given = dict(self.order.values)
        for a in self.order.arrays:
            if a.role != "output":
                given[a.name] = self.reference.input(self.order, a, slice(begin, end) if a.name in self.split else None)
        result = self.program.function("eager")(**{p: given[p] for p in self.program.parameters})
        got = list(result) if isinstance(result, tuple | list) else [result]
        wanted = [[end - begin, *a.shape[1:]] for a in self.outputs]
        if [list(t.shape) for t in got] != wanted:
            raise Refused("wrong_shape", "its parts have other shapes than its rows")
        return got

    def run(self):
        """Computes all rows, as many at once as fit. Returns false if not even one does."""
        torch = self.reference.torch
        begin, count = 0, (self.rows + 1) // 2  # the whole was tried
        while begin < self.rows:
            try:
                got = self.call(begin, min(begin + count, self.rows))
                for a, t in zip(self.outputs, got):
                    self.reference.view(self.order, a)[begin:begin + count].copy_(t)
                begin += count
                del got
            except torch.cuda.OutOfMemoryError:
                if count == 1:
                    return False
                count = (count + 1) // 2
            self.reference.forget_memory()
        self.reference.synchronize()
        return True


class Reference:
    def __init__(self, torch):
        self.torch = torch
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        self.dtypes = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
                       "i8": torch.int8, "u8": torch.uint8, "i32": torch.int32, "i64": torch.int64, "bool": torch.bool}
        self.arenas = {}
        self.device_memories = {}
        self.programs = {}
        self.clock = None

    def load(self, text):
        slot, entry, source = text.split("\n", 2)
        self.programs.pop(int(slot), None)
        self.programs[int(slot)] = Program(self.torch, slot, entry, source)

    def map(self, text, fd):
        slot, size = (int(w) for w in text.split(" "))
        try:
            if slot == DEVICE_ARENA or (slot == DEVICE_POOL and self.device == "cuda"):
                self.arenas[slot] = self.map_device(slot, fd, size)
            else:
                self.arenas[slot] = self.torch.frombuffer(mmap.mmap(fd, size), dtype=self.torch.uint8)
        finally:
            os.close(fd)

    def map_device(self, slot, fd, size):
        """Returns the whole memory as a tensor of bytes."""
        self.arenas.pop(slot, None)
        old = self.device_memories.pop(slot, None)
        if old is not None:
            self.synchronize()
            old.release()
        self.torch.zeros(1, device=self.device)  # makes the context current in this thread
        self.device_memories[slot] = DeviceMemory(fd, size)
        return self.over_device(self.device_memories[slot])

    def over_device(self, memory):
        return self.torch.as_tensor(memory, device=self.device)

    def synchronize(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def view(self, order, a):
        dtype = self.dtypes[a.dtype]
        if a.bytes == 0:
            return self.torch.empty(a.shape, dtype=dtype)
        flat = self.arenas[order.arena][a.offset:a.offset + a.bytes].view(dtype)
        return flat.as_strided(a.shape, a.strides, flat.storage_offset())

    def input(self, order, a, rows=None):
        """Returns a copy of an input, or of some of its rows. An oracle's are widened, as the runner widens them where it
        copies them itself.
        """
        wide = order.mode == "wide" and a.dtype in ("f16", "f32")
        dtype = self.torch.float64 if wide else self.dtypes[a.dtype]
        there = self.view(order, a)
        return (there if rows is None else there[rows]).to(self.device, dtype=dtype, copy=True)

    def inputs(self, order, parameters):
        out = dict(order.values)
        for a in order.arrays:
            if a.role != "output":
                out[a.name] = self.input(order, a)
        unknown = [p for p in parameters if p not in out]
        if unknown:
            raise Refused("no_such_argument", f"its parameter '{unknown[0]}' is no input, size or scalar of the task; "
                                              f"there are: {', '.join(out)}")
        install = self.programs[order.program].install
        if install is not None:
            install(out)
        return {p: out[p] for p in parameters}

    def prepared(self, order, program, kind):
        """Returns the inputs of a timed call, at the places of this kind of call."""
        return program.places.put(kind, self.inputs(order, program.parameters))

    def take(self, order, result):
        """Copies the returned values to the outputs' places in the arena."""
        wanted = [a for a in order.arrays if a.written]
        got = list(result) if isinstance(result, tuple | list) else [result]
        if len(got) != len(wanted):
            raise Refused("wrong_shape", f"it returned {len(got)} values; the task has {len(wanted)} outputs: "
                                         f"{', '.join(a.name for a in wanted)}")
        for a, t in zip(wanted, got):
            self.put(order, a, t)
        self.synchronize()  # another process reads next

    def put(self, order, a, t):
        torch, dtype = self.torch, self.dtypes[a.dtype]
        if not isinstance(t, torch.Tensor):
            raise Refused("wrong_shape", f"output '{a.name}' is a {type(t).__name__}, not a tensor")
        if t.dtype != dtype:
            raise Refused("wrong_shape", f"output '{a.name}' has dtype {t.dtype}, the task declares {a.dtype}")
        shape = list(t.shape)
        prefix = (a.extent and len(shape) == len(a.shape) and shape[1:] == a.shape[1:] and shape[0] <= a.shape[0])
        if shape != a.shape and not prefix:
            raise Refused("wrong_shape", f"output '{a.name}' has shape {shape}, the task declares {a.shape}")
        place = self.view(order, a)
        (place[:shape[0]] if prefix else place).copy_(t)

    def call(self, text):
        order = Order(text)
        program = self.programs[order.program]

        def prepare():
            return self.inputs(order, program.parameters)

        if self.clock is None:
            self.clock = Clock(self.torch) if self.device == "cuda" else HostClock()
        set_numerics(self.torch, order.tf32)
        self.torch.backends.cudnn.benchmark = order.mode not in ("plain", "wide")
        with self.torch.inference_mode():
            if order.mode in ("plain", "wide"):
                begin = time.perf_counter_ns()
                if why := self.whole(order, program, prepare):
                    self.forget_memory()  # the frames of what failed are gone by now
                    parts = Parts(self, order, program)
                    if not parts.allowed() or not parts.run():
                        raise Refused("memory", why)
                took = float(time.perf_counter_ns() - begin)
                self.release_unused()
                return took
            return self.timed(order, program)

    def whole(self, order, program, prepare):
        """Makes one call that is not timed, and waits for the device. Returns why an oracle's did not fit into memory."""
        try:
            self.take(order, program.function("eager")(**prepare()))
        except self.torch.cuda.OutOfMemoryError as e:
            if order.program != ORACLE:
                raise
            return self.describe(e)
        return ""

    def forget_memory(self):
        if self.device == "cuda":
            self.torch.cuda.empty_cache()

    def timed(self, order, program):
        kind = (order.mode, order.tf32, *((a.name, *a.shape) for a in order.arrays))
        if kind not in program.warm:  # loads code, tries algorithms, compiles
            try:
                with TimeLimit(order.limit_s):
                    function = program.function(order.mode)
                    for _ in range(1 if order.mode == "eager" else WARM_UPS):
                        function(**self.prepared(order, program, kind))
            except Overdue as e:
                spoils = left_half_imported(e)
                if not spoils:
                    program.forget(order.mode)
                    self.synchronize()
                raise Refused("call_limit", f"did not end within {order.limit_s:.3g} s", spoils) from None
            program.warm.add(kind)
        function = program.function(order.mode)
        result, ns = self.clock.time(lambda: self.prepared(order, program, kind), function, order.cold)
        self.take(order, result)
        return ns

    def release_unused(self):
        """Gives memory back that an oracle's call has left in the allocator's cache, if it is a large part of the
        device's. The next timed call is then preceded by one that fills the cache again.
        """
        if self.device != "cuda":
            return
        cuda = self.torch.cuda
        if cuda.memory_reserved() > cuda.get_device_properties(0).total_memory // LARGE_PART:
            cuda.empty_cache()
            for program in self.programs.values():
                program.warm.clear()

    def describe(self, error):
        """Returns the last line of the reference that the exception passed through, and the error."""
        own = [f for f in traceback.extract_tb(error.__traceback__) if os.path.basename(f.filename).startswith(SOURCE_NAME)]
        where = f"line {own[-1].lineno}: " if own else ""
        return where + f"{type(error).__name__}: {error}"[:2000]


def answer(torch, reference, kind, text, link):
    try:
        if kind == LOAD:
            reference.load(text)
            return "ok 0"
        if kind == MAP:
            reference.map(text, link.descriptor())
            return "ok 0"
        if kind == CALL:
            return f"ok {reference.call(text)}"
        raise Refused("protocol", f"a frame of kind {kind}")
    except Refused as e:
        return f"{'spoilt' if e.spoils else 'refused'} {e.rule}\n{e}"
    except (torch.cuda.OutOfMemoryError, MemoryError) as e:
        torch.cuda.empty_cache()
        return f"refused memory\n{reference.describe(e)}"
    except (Exception, SystemExit) as e:  # noqa: BLE001 - whatever the reference raises is the reference's
        return f"refused raised\n{reference.describe(e)}"


def main():
    link = Link()
    try:
        import torch
    except (ImportError, OSError, RuntimeError) as e:
        link.send(HELLO, f"missing {type(e).__name__}: {e}")
        return
    reference = Reference(torch)
    name, why = "the host", ""
    try:
        torch.cuda.init()
        name = torch.cuda.get_device_name(0)
    except (RuntimeError, AssertionError) as e:
        why = str(e).split("\n")[0]
    link.send(HELLO, f"ready\ntorch {torch.__version__}\npython {sys.version.split()[0]}\ndevice {name}\nwhy {why}")
    while True:
        kind, text = link.receive()
        link.send(ANSWER, answer(torch, reference, kind, text, link))


if __name__ == "__main__":
    main()
