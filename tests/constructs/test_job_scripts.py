from __future__ import annotations

from constructs.job_scripts import JobScripts
from tests.constructs.one_stack import built


def test_scripts_keep_their_dollars_and_percents() -> None:
    script = 'set -euo pipefail\necho "${HOME:-x} $PATH %{x} $${y} 100%"\n'
    stack = built(
        lambda stack: JobScripts(
            stack, "job-scripts", namespace="ray", name="ray-job-scripts", scripts={"run.sh": script}
        )
    )
    assert stack["resource"]["kubernetes_config_map_v1"] == {
        "job-scripts": {
            "metadata": {"name": "ray-job-scripts", "namespace": "ray"},
            "data": {"run.sh": 'set -euo pipefail\necho "$${HOME:-x} $PATH %%{x} $$${y} 100%"\n'},
        }
    }
