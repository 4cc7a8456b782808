"""Checks a form of a report for check-forms: reads it with a program that knows it, and compares the numbers.

usage: check_forms.py sarif FILE SCHEMA | junit FILE JSON | cobertura FILE LCOV
"""

import json
import os
import sys


def sarif(file, schema):
    import jsonschema

    with open(file, encoding="utf-8") as text, open(schema, encoding="utf-8") as rules:
        log, rules = json.load(text), json.load(rules)
    validator = jsonschema.validators.validator_for(rules)
    validator.check_schema(rules)
    for error in validator(rules).iter_errors(log):
        yield f"{error.json_path}: {error.message}"
    fingerprints = [result["partialFingerprints"]["umbraIdentity/v1"] for result in log["runs"][0]["results"]]
    if len(set(fingerprints)) != len(fingerprints):
        yield "two results have one fingerprint"


def junit(file, report):
    from junitparser import Failure, JUnitXml

    with open(report, encoding="utf-8") as text:
        report = json.load(text)
    classes = {"regression", "nondeterminism-introduced", "output-difference"}
    is_open = [finding for finding in report["findings"] if finding["class"] in classes and not finding["accepted"]]
    suites = JUnitXml.fromfile(file)
    cases = [case for suite in suites for case in suite]
    failures = sum(isinstance(result, Failure) for case in cases for result in case.result)
    if failures != len(is_open) or suites.failures != failures:
        yield f"{failures} failures, {suites.failures} counted, {len(is_open)} open findings"
    if suites.tests != len(cases):
        yield f"{len(cases)} test cases, {suites.tests} counted"
    names = [(case.classname, case.name) for case in cases]
    if len(set(names)) != len(names):
        yield "two test cases have one name"


def cobertura(file, tracefile):
    from pycobertura import Cobertura, filesystem

    coverage = Cobertura(file, filesystem=filesystem.DirectoryFileSystem(os.path.dirname(file)))
    lines, path = {}, None
    with open(tracefile, encoding="utf-8") as text:
        for line in text.read().splitlines():
            if line.startswith("SF:"):
                path = line[3:]
                lines[path] = [0, 0]
            elif line.startswith("DA:"):
                lines[path][0] += 1
                lines[path][1] += line.endswith(",0")
    if set(coverage.files()) != set(lines):
        yield f"files: {coverage.files()} and {list(lines)}"
        return
    for path, (all_lines, missed) in lines.items():
        found = (coverage.total_statements(path), coverage.total_misses(path))
        if found != (all_lines, missed):
            yield f"{path}: {found} and {(all_lines, missed)} of all lines and missed ones"


def main():
    checks = {"sarif": sarif, "junit": junit, "cobertura": cobertura}
    if len(sys.argv) != 4 or sys.argv[1] not in checks:
        sys.exit(__doc__)
    problems = list(checks[sys.argv[1]](*sys.argv[2:]))
    print("\n".join(problems))
    sys.exit(1 if problems else 0)


main()
