;; SPDX-License-Identifier: BSD-3-Clause
;;; From a folder with the archive of `make dist`: guix build -f topomap.scm
(use-modules (guix packages)
             (guix gexp)
             (guix build-system gnu)
             ((guix licenses) #:prefix license:)
             (gnu packages autotools)
             (gnu packages check)
             (gnu packages c)
             (gnu packages compression)
             (gnu packages gtk)
             (gnu packages mpi)
             (gnu packages parallel)
             (gnu packages maths)
             (gnu packages pkg-config)
             (gnu packages serialization)
             (gnu packages sqlite)
             (gnu packages web))

(package
  (name "topomap")
  (version "1.0.0")
  (source (local-file (string-append "topomap-" version ".tar.xz")))
  (build-system gnu-build-system)
  (arguments
   (list
    ;; The suite starts a Slurm, as root.
    #:tests? #f
    #:configure-flags
    #~(list "--without-pmix"
            (string-append "--with-slurm=" #$(this-package-input "slurm"))
            (string-append "--with-spankdir=" #$output "/lib/slurm"))))
  (native-inputs (list pkg-config cmocka))
  (inputs (list cairo jansson libyaml metis (list hwloc "lib") openmpi slurm sqlite uthash xz
                (list zstd "lib")))
  (home-page "https://topomap.invalid")
  (synopsis "Places MPI ranks where they talk cheapest")
  (description "topomap computes from a cluster's topology and a communication graph which rank of an MPI
program is best placed where: a SPANK plugin of Slurm, a library and a command.")
  (license license:bsd-3))
