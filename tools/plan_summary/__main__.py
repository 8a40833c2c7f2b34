"""Says what a plan does, by address, and on top, in plain words, what is dangerous about it.

    terraform show -json PLAN | python -m tools.plan_summary STACK [--markdown]
    python -m tools.plan_summary STACK --failed LOG [--markdown]

The first form reads the JSON of one plan on standard input. The second reads what a failed `terraform plan -json`
printed: a stack that reads what another one has not made yet says so, and is no failure. `--markdown` writes the
comment of a pull request, at most 60,000 characters, under a hidden marker of the stack, by which the next push finds
and replaces it. Sensitive values are masked. STACK is the stack's id, as prod_cluster.

exit status:
  0  nothing changes, or the stack waits for another one
  2  something changes, or not all of it can be planned yet
  3  something changes, and one change is dangerous
  1  the plan failed, or what was read is no plan
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import NoReturn

from tools.command import run
from tools.plan_summary.changes import PlanFormatError, read_plan
from tools.plan_summary.summary import as_markdown, as_text, status, summarize_failure


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """argparse ends with 2, which means changes here."""
        self.exit(1, f"{self.prog}: {message}; --help tells how\n")


def main(arguments: list[str]) -> int:
    """See above."""
    summary, _, rest = (__doc__ or "").partition("\n\n")
    usage, _, about = rest.partition("\n\n")
    parser = _Parser(
        prog="plan_summary",
        usage=usage.strip(),
        description=f"{summary}\n\n{about}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("stack", metavar="STACK", help="the stack's id")
    parser.add_argument("--failed", metavar="LOG", type=Path, help="what a failed `terraform plan -json` printed")
    parser.add_argument("--markdown", action="store_true", help="write a comment for a pull request")
    it = parser.parse_args(arguments)
    try:
        ended, text = _of_failure(it) if it.failed is not None else _of_plan(it)
    except PlanFormatError as error:
        print(error, file=sys.stderr)
        return 1
    print(text.encode("utf-8", "backslashreplace").decode("utf-8"), end="")  # JSON may hold halves of characters
    return ended


def _of_failure(it: argparse.Namespace) -> tuple[int, str]:
    try:
        log = it.failed.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise PlanFormatError(f"{it.failed} cannot be read: {error.strerror}") from None
    return summarize_failure(it.stack, log, markdown=it.markdown)


def _of_plan(it: argparse.Namespace) -> tuple[int, str]:
    try:
        plan = read_plan(json.loads(sys.stdin.buffer.read()))
        return status(plan), as_markdown(it.stack, plan) if it.markdown else as_text(it.stack, plan)
    except PlanFormatError as error:
        reason = str(error)
    except RecursionError:
        reason = "it is nested too deep"
    except ValueError:
        reason = "it is no JSON; make it with: terraform show -json PLAN"
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        reason = f"{type(error).__name__}: {error}"
    raise PlanFormatError(f"standard input is no plan: {reason}")


if __name__ == "__main__":
    run(main)
