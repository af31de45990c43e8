"""`python kevolve-torch.pyz VERB …`: each verb is a function `main(arguments)` of a module of this package."""

import importlib
import sys

VERBS = {"trace": "kevolve_torch.trace", "outputs": "kevolve_torch.outputs", "aten-tasks": "kevolve_torch.lowering.aten_tasks"}


def main():
    words = sys.argv[1:]
    if not words or words[0] not in VERBS:
        print(f"kevolve-torch: expected one of {', '.join(VERBS)}", file=sys.stderr)
        return 2
    return importlib.import_module(VERBS[words[0]]).main(words[1:])


if __name__ == "__main__":
    sys.exit(main())
