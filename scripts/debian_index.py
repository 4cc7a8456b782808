"""Debian's package index and source packages, for the scripts that choose a corpus.

Everything is kept in Umbra's cache, so a second run reads no network:
sources/index/<suite>/ is a private apt folder (see deb-apt), sources/corpus/ holds unpacked
sources and what was found in them.
"""

import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys

SCRIPTS = pathlib.Path(__file__).resolve().parent

# Lines of these files decide what a source package is written in. Headers, build
# files, documents and assembly say nothing.
LANGUAGES = {
    "C": ["c"],
    "C++": ["cc", "cpp", "cxx", "C", "c++"],
    "Ada": ["adb"], "C#": ["cs"], "D": ["d"], "Fortran": ["f", "f90"], "Go": ["go"], "Haskell": ["hs"],
    "Java": ["java"], "JavaScript": ["js", "ts"], "Lisp": ["lisp", "scm", "el"], "Lua": ["lua"],
    "Objective-C": ["m", "mm"], "OCaml": ["ml"], "Pascal": ["pas"], "Perl": ["pl", "pm"], "PHP": ["php"],
    "Python": ["py"], "Ruby": ["rb"], "Rust": ["rs"], "Shell": ["sh", "bash"], "Tcl": ["tcl"], "Vala": ["vala"],
}
LANGUAGE_OF = {"." + end: name for name, ends in LANGUAGES.items() for end in ends}


def fail(message):
    """Ends the script that runs."""
    sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {message}")


def tell(message):
    """Progress, kept apart from results."""
    print(message, file=sys.stderr, flush=True)


def cache():
    """The folder of Umbra's cache."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(os.environ.get("UMBRA_CACHE") or f"{home}/umbra")


class Index:
    """The package index of one release: its main suite, without updates."""

    def __init__(self, suite, packages=False):
        self.suite = suite
        self.folder = cache() / "sources" / "index" / suite
        complete = self.folder / ".complete"
        if not complete.exists():
            tell(f"reading the package index of {suite}")
            shutil.rmtree(self.folder, ignore_errors=True)
            command = [SCRIPTS / "deb-apt", self.folder, "--suite", suite] + ["--packages"] * packages
            if subprocess.run(command).returncode != 0:
                fail(f"no package index of {suite}")
            complete.touch()

    def stanzas(self, kind, fields):
        """The wanted fields of each entry of `Packages` or `Sources`."""
        wanted = tuple(f"{field}:" for field in fields)
        entry, field = {}, None
        for line in self.lines(kind):
            if line == "\n":
                if entry:
                    yield entry
                entry, field = {}, None
            elif line[0] == " ":
                if field:
                    entry[field] += line
            elif line.startswith(wanted):
                field, _, value = line.partition(":")
                entry[field] = value.strip()
            else:
                field = None
        if entry:
            yield entry

    def lines(self, kind):
        """The lines of an index file, as apt keeps it."""
        targets = self.apt("indextargets", "--format", "$(CREATED_BY) $(CODENAME) $(FILENAME)")
        for target in targets.stdout.splitlines():
            created_by, codename, file = target.split(" ", 2)
            if created_by == kind and codename == self.suite:
                command = ["/usr/lib/apt/apt-helper", "cat-file", file]
                with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace") as reader:
                    yield from reader.stdout

    def apt(self, *arguments, cwd=None):
        """Runs apt-get on this index."""
        command = ["apt-get", "-qq", "-c", self.folder / "apt.conf", *arguments]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True)

    def fetch(self, package, folder):
        """Fetches upstream's archive. False if the pool does not have it: some are withdrawn."""
        done = self.apt("source", "--only-source", "--download-only", "--tar-only", package, cwd=folder)
        if done.returncode != 0 and not re.search(r" 404 ", done.stderr):
            fail(f"could not fetch {package}: {done.stderr}")
        return done.returncode == 0

    def sources(self, fields):
        """The latest version of each source package that is built for this release, by name."""
        found = {}
        for entry in self.stanzas("Sources", ["Package", "Version", "Extra-Source-Only", *fields]):
            known = found.get(entry["Package"])
            if "Extra-Source-Only" in entry or known and not is_later(entry["Version"], known["Version"]):
                continue
            found[entry["Package"]] = entry
        return found

    def unpack(self, package, version):
        """The unpacked upstream archive of a source package; None if the pool does not have it."""
        tree = place(package, version)
        if tree.exists():
            return tree
        gone = tree.with_name(f"{tree.name}.gone")
        if gone.exists():
            return None
        part = tree.with_name(f".{tree.name}.part")
        shutil.rmtree(part, ignore_errors=True)
        (part / "tree").mkdir(parents=True)
        if not self.fetch(f"{package}={version}", part):
            shutil.rmtree(part)
            gone.touch()
            return None
        archives = [file for file in part.glob("*.tar.*") if file.suffix != ".asc"]
        # Beside upstream's archive there may be archives of its components.
        archives = [file for file in archives if ".orig.tar." in file.name] or archives
        unpack = ["tar", "-xf", archives[0], "-C", part / "tree", "--strip-components=1", "--no-same-owner"]
        if subprocess.run(unpack).returncode != 0:
            fail(f"could not unpack {archives[0]}")
        (part / "tree").rename(tree)
        shutil.rmtree(part)
        return tree


def place(package, version):
    """Where an unpacked source package is in the cache."""
    return cache() / "sources" / "corpus" / f"{package}_{version.replace(':', '%')}"


def is_later(version, than):
    """Whether a version is later, in dpkg's order."""
    return subprocess.run(["dpkg", "--compare-versions", version, "gt", than]).returncode == 0


def upstream(version):
    """The upstream part of a version: no epoch, no revision, nothing said on repacking."""
    version = version.partition(":")[2] or version
    version = version.rpartition("-")[0] or version
    # 2.12.7+really2.9.14 is a step back that had to look like a step forward.
    version = version.rpartition("really")[2].lstrip("+~.")
    return re.sub(r"[+~.](dfsg|ds|repack|debian)[0-9.+~]*$", "", version)


def names(relation):
    """The package names in a relation such as Depends."""
    return {re.split(r"[\s(:\[<]", word.strip(), maxsplit=1)[0] for word in re.split(r"[,|]", relation) if word.strip()}


def source_of(binary):
    """The source package of an entry of `Packages`."""
    return binary.get("Source", binary["Package"]).split(" ")[0]


def lines_by_language(tree):
    """How many lines of each language a tree holds."""
    lines = collections.Counter()
    for file in files(tree):
        language = LANGUAGE_OF.get(file.suffix)
        # libtool's script comes with everything and is part of nothing.
        if language and file.name != "ltmain.sh":
            lines[language] += file.read_bytes().count(b"\n")
    return lines


def files(tree):
    """The regular files of a tree, sorted."""
    for folder, folders, entries in os.walk(tree):
        folders.sort()
        for entry in sorted(entries):
            file = pathlib.Path(folder, entry)
            if file.is_file() and not file.is_symlink():
                yield file


def c_share(lines):
    """The share of C in percent, rounded down."""
    return 100 * lines["C"] // max(1, sum(lines.values()))


def table(rows):
    """Rows as text in columns."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "".join("  ".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)
