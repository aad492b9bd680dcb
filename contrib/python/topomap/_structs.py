# SPDX-License-Identifier: BSD-3-Clause
"""The structs of libtopomap's public headers, as ctypes knows them.

contrib/python/tests/layout.py compares each member's place with what a C compiler says of the headers.
"""

from __future__ import annotations

import ctypes as c
from typing import Any, Callable

u8p = c.POINTER(c.c_uint8)
u16p = c.POINTER(c.c_uint16)
u32p = c.POINTER(c.c_uint32)
u64p = c.POINTER(c.c_uint64)
f64p = c.POINTER(c.c_double)


class Error(c.Structure):
    _fields_ = [("code", c.c_int), ("text", c.c_char * 512)]


class Recognition(c.Structure):
    _fields_ = [
        ("text", c.c_char * 400),
        ("dims", c.c_uint32),
        ("size", c.c_uint32 * 24),
        ("explained", c.c_double),
        ("present", c.c_double),
        ("even", c.c_double),
        ("exact", c.c_int),
    ]


class GraphFormat(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("help", c.c_char_p),
        ("suffix", c.c_char_p),
        ("can_read", c.c_int),
        ("can_write", c.c_int),
        ("options", c.c_void_p),
    ]


class Cost(c.Structure):
    _fields_ = [
        ("J", c.c_double),
        ("hop_bytes", c.c_double),
        ("dilation", c.c_double),
        ("max_dilation", c.c_uint32),
        ("lower_bound", c.c_double),
        ("load_imbalance", c.c_double),
        ("levels", c.c_uint32),
        ("level_bytes", u64p),
    ]


class Congestion(c.Structure):
    _fields_ = [
        ("model", c.c_char_p),
        ("max", c.c_double),
        ("mean", c.c_double),
        ("unit", c.c_char_p),
        ("links", c.c_uint32),
        ("used", c.c_uint32),
        ("worst", c.c_char * 128),
    ]


class TimeCosts(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("rate", c.c_double),
        ("latency", c.c_double),
        ("hop_latency", c.c_double),
        ("overhead", c.c_double),
        ("memory_rate", c.c_double),
    ]


class TimePhase(c.Structure):
    _fields_ = [
        ("seconds", c.c_double),
        ("link", c.c_double),
        ("node", c.c_double),
        ("overhead", c.c_double),
        ("latency", c.c_double),
        ("bound_by", c.c_char_p),
        ("where", c.c_char * 128),
    ]


class Time(c.Structure):
    _fields_ = [
        ("seconds", c.c_double),
        ("phases", c.c_uint32),
        ("phase", c.POINTER(TimePhase)),
        ("model", c.c_char_p),
        ("is_bound", c.c_int),
        ("rates_assumed", c.c_int),
    ]


class Layout(c.Structure):
    _fields_ = [("name", c.c_char_p), ("slot_of_rank", u32p)]


class MapOptions(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("algorithm", c.c_char_p),
        ("effort", c.c_int),
        ("objective", c.c_int),
        ("mix", c.c_double),
        ("congestion_model", c.c_char_p),
        ("seed", c.c_uint64),
        ("threads", c.c_uint32),
        ("seconds", c.c_double),
        ("inter_only", c.c_int),
        ("balance", c.c_double),
        ("contiguous", c.c_int),
        ("start", u32p),
        ("start_name", c.c_char_p),
        ("time_costs", c.POINTER(TimeCosts)),
        ("layouts", c.c_size_t),
        ("layout", c.POINTER(Layout)),
        ("message_bytes", c.c_double),
        ("together", u32p),
        ("together_level", c.c_char_p),
        ("pin", c.c_int),
        ("pin_rank", c.c_uint32),
        ("pin_node", c.c_uint32),
    ]


class Candidate(c.Structure):
    _fields_ = [
        ("name", c.c_char * 64),
        ("J", c.c_double),
        ("congestion", c.c_double),
        ("mix", c.c_double),
        ("time", c.c_double),
        ("seconds", c.c_double),
    ]


class Mapping(c.Structure):
    _fields_ = [
        ("ranks", c.c_uint32),
        ("slot_of_rank", u32p),
        ("algorithm", c.c_char * 64),
        ("J", c.c_double),
        ("bound", c.c_double),
        ("objective", c.c_int),
        ("congestion_model", c.c_char_p),
        ("congestion", c.c_double),
        ("mix", c.c_double),
        ("time", c.c_double),
        ("time_before", c.c_double),
        ("candidates", c.c_size_t),
        ("candidate", c.POINTER(Candidate)),
        ("phase_seconds", c.c_double * 5),
        ("message_bytes", c.c_double),
        ("J_before", c.c_double),
        ("together", c.c_uint32),
    ]


class Algorithm(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("source", c.c_char_p),
        ("kind", c.c_char_p),
        ("machines", c.c_char_p),
        ("help", c.c_char_p),
    ]


class Names(c.Structure):
    _fields_ = [("count", c.c_size_t), ("name", c.POINTER(c.c_char_p))]


class BindingsClass(c.Structure):
    _fields_ = [("cores", c.c_uint32), ("pu_first", u32p), ("pu_os", u32p)]


class Bindings(c.Structure):
    _fields_ = [
        ("job", c.c_uint32),
        ("step", c.c_uint32),
        ("classes", c.c_uint32),
        ("node_class", c.POINTER(BindingsClass)),
        ("nodes", c.c_uint32),
        ("class_of", u32p),
        ("task_first", u32p),
        ("pu_start", u32p),
        ("pu", u32p),
        ("gpu_first", u32p),
        ("gpu", u32p),
        ("gpu_place", u32p),
        ("gpu_amd", u8p),
    ]


class Plan(c.Structure):
    _fields_ = [
        ("nodes", c.c_uint32),
        ("tasks", c.c_uint32),
        ("first", u32p),
        ("task", u32p),
        ("slot", u32p),
        ("bindings", Bindings),
        ("gpu", u32p),
        ("nic", u32p),
        ("nics", c.c_uint32),
        ("nic_name", c.c_void_p),
    ]


class SlurmOrder(c.Structure):
    _fields_ = [
        ("topology", c.c_int),
        ("ranked", c.c_int),
        ("numbered", c.c_int),
        ("unsure", c.c_int),
        ("because", c.c_char * 640),
    ]


class Summary(c.Structure):
    _fields_ = [
        ("hosts", c.c_uint64),
        ("switches", c.c_uint64),
        ("links", c.c_uint64),
        ("classes", c.c_uint64),
        ("subnets", c.c_uint64),
        ("unknown_adapters", c.c_uint64),
        ("planes", c.c_uint64),
        ("topology", c.c_char * 16),
        ("evidence", c.c_char * 512),
        ("confidence", c.c_double),
        ("partial", c.c_int),
        ("slurm", SlurmOrder),
    ]


class Host(c.Structure):
    _fields_ = [
        ("name", c.c_char_p),
        ("class_name", c.c_char_p),
        ("attached", c.c_char_p),
        ("status", c.c_char_p),
        ("type", c.c_char_p),
    ]


EachHost = c.CFUNCTYPE(c.c_int, c.POINTER(Host), c.c_void_p)


class Step(c.Structure):
    _fields_ = [("in", c.c_uint8), ("out", c.c_uint8)]


class Distance(c.Structure):
    _fields_ = [
        ("hops", c.c_uint32),
        ("cost", c.c_double),
        ("route", c.c_char_p),
        ("routing", c.c_char_p),
        ("note", c.c_char_p),
        ("step", c.POINTER(Step)),
        ("steps", c.c_size_t),
        ("from_port", c.c_uint8),
        ("to_port", c.c_uint8),
        ("from_lid", c.c_uint16),
        ("to_lid", c.c_uint16),
    ]


class Allocation(c.Structure):
    _fields_ = [
        ("size", c.c_size_t),
        ("nodes", c.POINTER(Names)),
        ("tasks", u32p),
        ("cpus_per_task", c.c_uint32),
        ("threads_per_core", c.c_uint32),
        ("bind", c.c_int),
        ("compact", c.c_int),
        ("cores", c.c_void_p),
    ]


#: Each struct by its name in C.
STRUCTS: dict[str, Any] = {
    "topomap_error": Error,
    "topomap_recognition": Recognition,
    "topomap_graph_format": GraphFormat,
    "topomap_cost": Cost,
    "topomap_congestion": Congestion,
    "topomap_time_costs": TimeCosts,
    "topomap_time_phase": TimePhase,
    "topomap_time": Time,
    "topomap_layout": Layout,
    "topomap_map_options": MapOptions,
    "topomap_candidate": Candidate,
    "topomap_mapping": Mapping,
    "topomap_algorithm": Algorithm,
    "topomap_names": Names,
    "topomap_bindings_class": BindingsClass,
    "topomap_bindings": Bindings,
    "topomap_plan": Plan,
    "topomap_db_slurm_order": SlurmOrder,
    "topomap_db_summary": Summary,
    "topomap_db_host": Host,
    "topomap_db_step": Step,
    "topomap_db_distance": Distance,
    "topomap_db_allocation": Allocation,
}

Callback = Callable[..., int]
