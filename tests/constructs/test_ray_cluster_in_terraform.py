"""The values document through the real Terraform."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from constructs.ray_values import chart_values, values_yaml
from tests.constructs.test_ray_cluster_name import CLUSTER
from tests.constructs.test_ray_release import release_of
from tests.real_terraform import needs_terraform, planned

ODD = "${a} $${b} $$${c} %{d} %%{e} $f %g ${} %{ if true } \\${h} $"


@needs_terraform
def test_scripts_and_a_users_variables_reach_helm_as_written(tmp_path: Path) -> None:
    cluster = replace(CLUSTER, environment={"ODD": ODD})
    (in_json,) = release_of(cluster)["values"]

    assert planned(tmp_path, {"values": in_json}) == {"values": values_yaml(chart_values(cluster))}
