# SPDX-License-Identifier: BSD-3-Clause
# The library for Python programs: ctypes, and numpy's arrays.
EXTRA_DIST += contrib/python/pyproject.toml contrib/python/topomap/__init__.py contrib/python/topomap/_library.py \
  contrib/python/structs.py contrib/python/topomap/costs.py contrib/python/topomap/database.py \
  contrib/python/topomap/graphs.py contrib/python/topomap/machines.py contrib/python/topomap/mapping.py \
  contrib/python/topomap/plans.py contrib/python/topomap/py.typed contrib/python/tests/layout.py \
  contrib/python/tests/test_topomap.py

# The package, with the structs of the headers, and a wheel of it, without a network: it has no compiled code, and finds
# libtopomap.so.0 where the system has it. What setuptools writes beside its input stays in the build folder.
PYTHON3 = python3
.PHONY: python-package wheel
python-package:
	rm -rf contrib/python/package && mkdir -p contrib/python/package
	cp -R '$(srcdir)/contrib/python/pyproject.toml' '$(srcdir)/contrib/python/topomap' contrib/python/package
	chmod -R u+w contrib/python/package
	$(PYTHON3) '$(srcdir)/contrib/python/structs.py' '$(srcdir)'/lib/include/topomap/*.h >contrib/python/package/topomap/_structs.py
wheel: python-package
	cd contrib/python/package && $(PYTHON3) -m pip wheel -q --no-index --no-build-isolation --no-deps -w .. .
.PHONY: clean-wheel
clean-local: clean-wheel
clean-wheel:
	rm -rf contrib/python/package contrib/python/*.whl
