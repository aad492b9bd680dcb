# SPDX-License-Identifier: BSD-3-Clause
"""The bindings beside what the command says. TOPOMAP_LIBRARY and TOPOMAP_COMMAND name the library and the command."""

import doctest
import gc
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

import numpy as np

import topomap

COMMAND = os.environ.get("TOPOMAP_COMMAND", "topomap")
GRAPH, MACHINE = "stencil2d:5:8x4", "tree:2:4:4@1:10:40"


def command(*arguments):
    return subprocess.run([COMMAND, *arguments], check=True, capture_output=True, text=True).stdout


class Graphs(unittest.TestCase):
    def test_arrays_are_views_that_keep_the_graph(self):
        graph = topomap.Graph.from_arrays([0, 0, 1], [1, 2, 0], [5, 7, 9], messages=[1, 2, 3])
        self.assertEqual((graph.ranks, graph.edges, graph.bytes, graph.messages), (3, 2, 21, 6))
        sizes, offset, target, counts = graph.arc_bytes, graph.indptr, graph.indices, graph.arc_messages
        self.assertEqual(sizes.ctypes.data, graph.arc_bytes.ctypes.data)  # the same memory
        del graph
        gc.collect()
        self.assertEqual((offset.tolist(), target.tolist(), sizes.tolist(), counts.tolist()),
                         ([0, 2, 3, 3], [1, 2, 0], [5, 7, 9], [1, 2, 3]))
        with self.assertRaises(ValueError):
            sizes[0] = 1

    def test_arrays_of_the_right_type_are_not_copied(self):
        from topomap._library import array

        given = np.arange(4, dtype=np.uint32)
        self.assertTrue(np.shares_memory(array(given, np.uint32, 4, "given"), given))

    def test_arrays_that_are_none(self):
        for sender, receiver, size in (([0], [1, 2], [1]), ([-1], [0], [1]), ([0], [1.5], [1]), ([[0]], [1], [1]),
                                       ([0], [2**32], [1])):
            with self.assertRaises(ValueError):
                topomap.Graph.from_arrays(sender, receiver, size)
        with self.assertRaisesRegex(topomap.InputError, "rank 3"):
            topomap.Graph.from_arrays([3], [0], [1], ranks=2)

    def test_files_and_options(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "graph.tmg"
            topomap.Graph.read(GRAPH).write(path)
            self.assertEqual(topomap.Graph.read(path).bytes, topomap.Graph.read(GRAPH).bytes)
            with self.assertRaisesRegex(topomap.UsageError, "no option `depth`"):
                topomap.Graph.read(path, options={"depth": 1})
            bad = pathlib.Path(folder) / "bad.csv"
            bad.write_text("from,to,bytes\n0,1,x\n")
            with self.assertRaisesRegex(topomap.InputError, r"bad\.csv:2: "):
                topomap.Graph.read(bad)
        self.assertIn("tmg", topomap.formats())

    def test_what_comes_of_it(self):
        graph = topomap.Graph.read(GRAPH)
        self.assertEqual(graph.scaled(2).bytes, 2 * graph.bytes)
        self.assertEqual(graph.permuted(np.arange(32)[::-1]).bytes, graph.bytes)
        self.assertEqual(graph.recognised().shape, (8, 4))
        self.assertEqual(graph.parted(4).ranks, 4)
        self.assertEqual(topomap.merged([graph, graph]).bytes, 2 * graph.bytes)
        self.assertEqual(graph.phases, [])
        with self.assertRaises(IndexError):
            graph.name(32)

    def test_scipy(self):
        try:
            import scipy.sparse as sparse
        except ImportError:
            self.skipTest("there is no scipy here")
        matrix = sparse.csr_matrix(np.array([[0, 3, 0], [0, 0, 4], [5, 0, 0]]))
        graph = topomap.Graph.from_scipy(matrix, messages=matrix)
        self.assertEqual((graph.bytes, graph.messages), (12, 12))
        self.assertEqual((graph.to_scipy() != matrix).nnz, 0)
        self.assertEqual(topomap.map(matrix, "tree:3:1@1:10").graph.bytes, 12)
        with self.assertRaisesRegex(ValueError, "square"):
            topomap.Graph.from_scipy(matrix[:2])

    def test_networkx(self):
        try:
            import networkx
        except ImportError:
            self.skipTest("there is no networkx here")
        directed = networkx.DiGraph()
        directed.add_edge("a", "b", size=10, count=2)
        directed.add_edge("b", "c", size=4, count=1)
        graph = topomap.Graph.from_networkx(directed, bytes="size", messages="count")
        self.assertEqual((graph.ranks, graph.bytes, graph.messages), (3, 14, 3))
        mesh = topomap.Graph.from_networkx(networkx.path_graph(4), default=9)
        self.assertEqual((mesh.edges, mesh.bytes), (3, 27))
        self.assertEqual(mesh.arc_bytes.tolist(), [5, 4, 5, 4, 5, 4])
        for wrong in (1.5, -1, 2**64):
            directed.add_edge("a", "b", size=wrong)
            with self.assertRaisesRegex(ValueError, "edges' 'size'"):
                topomap.Graph.from_networkx(directed, bytes="size")


class Maps(unittest.TestCase):
    def test_as_the_command(self):
        found = topomap.map(GRAPH, MACHINE, seed=1)
        said = json.loads(command("map", "--graph", GRAPH, "--machine", MACHINE, "--seed", "1", "--json"))
        self.assertEqual(found.slot_of_rank.tolist(), [row["slot"] for row in said["placement"]])
        cost = topomap.evaluate(GRAPH, MACHINE, found)
        self.assertEqual(cost.J, found.J)
        self.assertEqual(sum(cost.level_bytes.values()), topomap.Graph.read(GRAPH).bytes)
        self.assertLessEqual(cost.lower_bound, cost.J)
        self.assertGreater(len(found.candidates), 1)

    def test_slots_are_a_view_that_keeps_the_mapping(self):
        found = topomap.map(GRAPH, MACHINE)
        slots = found.slot_of_rank
        before = slots.copy()
        self.assertFalse(slots.flags.owndata)
        del found
        gc.collect()
        self.assertTrue(np.array_equal(slots, before))
        self.assertEqual(sorted(slots.tolist()), list(range(32)))

    def test_options(self):
        start = np.arange(32, dtype=np.uint32)[::-1]
        found = topomap.map(GRAPH, MACHINE, algorithm="swap", start=start, threads=2)
        self.assertLessEqual(found.J, topomap.evaluate(GRAPH, MACHINE, start).J)
        pinned = topomap.map(GRAPH, MACHINE, pin=(0, 3))
        self.assertEqual(pinned.machine.node_of(int(pinned.slot_of_rank[0])), 3)
        named = topomap.map(GRAPH, MACHINE, layouts={"mine": start})
        self.assertIn("mine", [candidate.name for candidate in named.candidates])
        timed = topomap.map(GRAPH, "fattree:k=4,levels=3*2", objective="time")
        self.assertGreater(timed.time, 0)
        self.assertAlmostEqual(topomap.predict(GRAPH, timed.machine, timed).seconds, timed.time)
        self.assertGreater(topomap.congestion(GRAPH, timed.machine, timed).max, 0)

    def test_errors_are_the_library_s(self):
        with self.assertRaisesRegex(topomap.UsageError, "the graph has 32 ranks, the machine 16 slots"):
            topomap.map(GRAPH, "tree:4:4@1:10")
        with self.assertRaisesRegex(topomap.UsageError, "no algorithm 'nonsense'"):
            topomap.map(GRAPH, MACHINE, algorithm="nonsense")
        with self.assertRaises(ValueError):
            topomap.map(GRAPH, MACHINE, effort="little")
        with self.assertRaisesRegex(ValueError, "slot 99 of 32"):
            topomap.evaluate(GRAPH, MACHINE, [99] * 32)
        with self.assertRaises(TypeError):
            topomap.map(7, MACHINE)

    def test_none_is_no_text(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "site.db")
            made = os.path.join(folder, "made")
            command("db", "synth", "fat-tree:k=4,levels=3", "-o", made)
            command("db", "import", "ibnetdiscover", os.path.join(made, "fabric.ibnetdiscover"), "--db", path)
            with topomap.Database(path) as database:
                for name, call in (("a", lambda: database.distance(None, "node01")),
                                   ("b", lambda: database.distance("node01", None))):
                    with self.assertRaisesRegex(TypeError, f"^{name}: a text is wanted, not None"):
                        call()
        graph = topomap.Graph.read(GRAPH)
        for name, call in (("spec", lambda: topomap.Machine(None)), ("what", lambda: topomap.Graph.read(None)),
                           ("text", lambda: topomap.hostlist(None)), ("path", lambda: topomap.Database(None)),
                           ("path", lambda: graph.write(None)), ("machine", lambda: topomap.map("ring:4", None)),
                           ("machine", lambda: topomap.evaluate("ring:4", None, range(4))),
                           ("spec", lambda: topomap.Machine(7)),
                           ("algorithm", lambda: topomap.map(graph, MACHINE, algorithm=7))):
            with self.assertRaisesRegex(TypeError, f"^{name}: .* wanted, not "):
                call()
        with self.assertRaisesRegex(TypeError, "None"):
            topomap.map(None, MACHINE)

    def test_none_is_the_usual_model(self):
        for machine, model in (("torus:4x4*2", "routes"), ("dragonfly:p=4,a=4,h=2,valiant=25", "adaptive"),
                               ("percs:supernodes=1", "exact")):
            found = topomap.congestion(GRAPH, machine, range(32), None)
            self.assertEqual(found, topomap.congestion(GRAPH, machine, range(32), model))

    def test_costs_leave_the_memory_s_rate_to_the_machine(self):
        graph, machine = "alltoall:group=8,n=32,bytes=1000000000", "gpus:nodes=4,gpus=8"
        usual = topomap.predict(graph, machine, range(32)).seconds
        for rate in (None, 0, 0.0):
            costs = topomap.TimeCosts(latency=1e-6, memory_rate=rate)
            self.assertEqual(topomap.predict(graph, machine, range(32), costs).seconds, usual)
        self.assertEqual(topomap.predict(graph, machine, range(32), topomap.TimeCosts(rate=12.5e9)).seconds, usual)
        slow = topomap.TimeCosts(memory_rate=1e10)
        self.assertGreater(topomap.predict(graph, machine, range(32), slow).seconds, 10 * usual)
        with self.assertRaisesRegex(topomap.UsageError, "rates above 0"):
            topomap.predict(graph, machine, range(32), topomap.TimeCosts(memory_rate=-1))
        with self.assertRaisesRegex(topomap.UsageError, "rates above 0"):
            topomap.map(graph, machine, time_costs=topomap.TimeCosts(rate=0))

    def test_numbers_that_c_would_cut_off(self):
        graph = topomap.Graph.read(GRAPH)
        for call in (lambda: topomap.map(graph, MACHINE, seed=-1), lambda: topomap.map(graph, MACHINE, threads=2**32),
                     lambda: topomap.map(graph, MACHINE, pin=(2**32, 0)), lambda: graph.parted(2**32),
                     lambda: graph.recognised(2**64), lambda: topomap.Machine("torus:4x4").coordinates(2**32)):
            with self.assertRaisesRegex((ValueError, IndexError), str(2**32) + "|" + str(2**64) + "|-1"):
                call()
        with self.assertRaises(TypeError):
            topomap.map(graph, MACHINE, seed=1.5)

    def test_threads(self):
        results = []
        threads = [threading.Thread(target=lambda: results.append(topomap.map(GRAPH, MACHINE).slot_of_rank.tolist()))
                   for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 4)
        self.assertTrue(all(result == results[0] for result in results))

    def test_plans(self):
        found = topomap.map(GRAPH, MACHINE)
        made = topomap.plan(found)
        self.assertEqual(made.first.tolist(), list(range(0, 33, 2)))
        self.assertEqual(len(made.layout.split(";")), 16)
        self.assertEqual(sorted(sum(made.tasks_of_node, [])), list(range(32)))
        self.assertIn("rank order", made.explain())
        self.assertIn("swap ", made.explain(topomap.map(GRAPH, MACHINE, algorithm="swap")))
        self.assertNotIn("rank order", made.explain(np.arange(32)))
        self.assertEqual(made.cpus_of(0), [])


class Machines(unittest.TestCase):
    def test_what_it_is(self):
        machine = topomap.Machine("torus:4x4*2")
        self.assertEqual((machine.slots, machine.nodes, machine.kind, machine.dimensions), (32, 16, "torus", (4, 4)))
        self.assertEqual(machine.coordinates(2).tolist(), [1, 0])
        self.assertEqual((machine.distance(0, 0), machine.hops(0, 2)), (0, 1))
        self.assertIn(machine.level_of(0, 1), machine.levels)
        with self.assertRaises(IndexError):
            machine.distance(0, 32)
        with self.assertRaises(topomap.UsageError):
            topomap.Machine("tree:4").coordinates(0)
        with self.assertRaises(topomap.TopomapError):
            topomap.Machine("nonsense")


class Databases(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = os.path.join(cls.folder.name, "site.db")
        made = os.path.join(cls.folder.name, "made")
        command("db", "synth", "fat-tree:k=4,levels=3", "-o", made)
        command("db", "import", "ibnetdiscover", os.path.join(made, "fabric.ibnetdiscover"), "--db", cls.path)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_questions(self):
        with topomap.Database(self.path) as database:
            self.assertEqual((database.summary().hosts, database.summary().topology), (16, "fat-tree"))
            self.assertEqual([host.name for host in database.hosts()][:2], ["node01", "node02"])
            self.assertEqual(len(database.hosts("node03")), 1)
            way = database.distance("node01", "node03")
            self.assertEqual((way.hops, way.route[0], way.route[-1]), (4, "node01", "node03"))
            self.assertTrue(database.routed)
            with self.assertRaisesRegex(topomap.TopomapError, "nobody"):
                database.distance("node01", "nobody")
        with self.assertRaisesRegex(ValueError, "closed"):
            database.summary()
        with self.assertRaisesRegex(topomap.InputError, "no topology database"):
            topomap.Database("/nowhere/site.db")

    def test_a_plan_as_the_command_makes_it(self):
        nodes = "node[01-04,09-12]"
        with topomap.Database(self.path) as database:
            allocation = database.machine(nodes, 4)
            linked = database.machine(nodes, "4(x8)", links=True)
            with self.assertRaisesRegex(ValueError, "cpus_per_task"):
                database.machine(nodes, 4, cpus_per_task=2**32)
        found = topomap.map(GRAPH, allocation.machine, seed=1)
        made = topomap.plan(found, allocation)
        said = command("map", "--db", self.path, "--nodes", nodes, "--tasks-per-node", "4", "--graph", GRAPH,
                       "--format", "plan")
        self.assertIn(f"layout {made.layout}\n", said)
        self.assertGreater(topomap.congestion(GRAPH, linked.machine, found).max, 0)
        with self.assertRaisesRegex(ValueError, "another machine"):
            topomap.plan(found, linked)
        with self.assertRaisesRegex(topomap.UsageError, "for 3 nodes, but 8 are given"):
            with topomap.Database(self.path) as database:
                database.machine(nodes, "4(x3)")

    def test_host_lists(self):
        names = topomap.hostlist("tux[0-2,018-020]")
        self.assertEqual(names[3], "tux018")
        self.assertEqual(topomap.folded(names), "tux[0-2,018-020]")


class Commands(unittest.TestCase):
    def test_report_is_the_command_s(self):
        self.assertIn("topomap report", topomap.report(["--help"]))
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            topomap.report(["--graph", GRAPH, "--machine", MACHINE, "-o", page])
            self.assertIn("<html", page.read_text())
            with self.assertRaisesRegex(topomap.CommandError, "nowhere"):
                topomap.report(["--plan", "/nowhere/plan", "-o", page])
        with self.assertRaisesRegex(topomap.CommandError, "cannot be run"):
            topomap.report([], command="/nowhere/topomap")


def load_tests(loader, tests, pattern):
    tests.addTests(doctest.DocTestSuite(topomap))
    return tests


if __name__ == "__main__":
    unittest.main()
