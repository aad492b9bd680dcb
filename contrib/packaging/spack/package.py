# SPDX-License-Identifier: BSD-3-Clause
# In a Spack repository: packages/topomap/package.py. `make dist` has made the archive.
from spack.package import *


class Topomap(AutotoolsPackage):
    """Places MPI ranks where they talk cheapest: a SPANK plugin of Slurm, a library and a command that
    know a cluster's topology and a program's communication."""

    license("BSD-3-Clause")
    url = "file:///srv/archives/topomap-1.0.0.tar.xz"
    manual_download = True

    version("1.0.0")

    variant("cairo", default=True, description="reports as PNG and PDF")
    variant("pmix", default=True, description="topomap-verify")
    variant("mpi", default=True, description="profiler and reordering for an MPI")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("uthash", type="build")
    depends_on("cmocka", type="build")
    depends_on("slurm@22.05:")
    depends_on("hwloc@2.2:")
    depends_on("metis@5:")
    depends_on("sqlite@3.26:")
    depends_on("libyaml")
    depends_on("zstd")
    depends_on("xz")
    depends_on("jansson@2.11:")
    depends_on("expat")
    depends_on("xxhash", type="build")
    depends_on("cairo@1.16: +pdf", when="+cairo")
    depends_on("pmix", when="+pmix")
    depends_on("mpi", when="+mpi")

    def configure_args(self):
        spec = self.spec
        # The plugin goes into the package's own folder, not into Slurm's.
        return [
            f"--with-slurm={spec['slurm'].prefix}",
            f"--with-spankdir={self.prefix.lib.slurm}",
            *self.with_or_without("cairo"),
            *self.with_or_without("pmix"),
        ]
