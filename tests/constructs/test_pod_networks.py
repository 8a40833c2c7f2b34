from __future__ import annotations

from catalog.interfaces import extra_interfaces
from constructs.pod_networks import PodNetworks
from tests.constructs.one_stack import built

INTERFACES = extra_interfaces(
    gvnic_vpc="g-net",
    gvnic_subnet="g-sub",
    rdma_vpc="r-net",
    rdma_subnets=tuple(f"r-sub-{index}" for index in range(8)),
)

# Typed from the tutorial's network-mapping.yaml.
MAPPING = {
    "gvnic-1": {"vpc": "g-net", "vpcSubnet": "g-sub", "deviceMode": "NetDevice"},
    "rdma-0": {"vpc": "r-net", "vpcSubnet": "r-sub-0", "deviceMode": "RDMA"},
    "rdma-1": {"vpc": "r-net", "vpcSubnet": "r-sub-1", "deviceMode": "RDMA"},
    "rdma-2": {"vpc": "r-net", "vpcSubnet": "r-sub-2", "deviceMode": "RDMA"},
    "rdma-3": {"vpc": "r-net", "vpcSubnet": "r-sub-3", "deviceMode": "RDMA"},
    "rdma-4": {"vpc": "r-net", "vpcSubnet": "r-sub-4", "deviceMode": "RDMA"},
    "rdma-5": {"vpc": "r-net", "vpcSubnet": "r-sub-5", "deviceMode": "RDMA"},
    "rdma-6": {"vpc": "r-net", "vpcSubnet": "r-sub-6", "deviceMode": "RDMA"},
    "rdma-7": {"vpc": "r-net", "vpcSubnet": "r-sub-7", "deviceMode": "RDMA"},
}


def test_each_interface_has_its_parameters_and_its_network_and_they_go_in_that_order() -> None:
    stack = built(lambda stack: PodNetworks(stack, "pod-networks", interfaces=INTERFACES))
    expected: dict[str, object] = {}
    for name, spec in MAPPING.items():
        expected[f"pod-networks-{name}-parameters"] = {
            "manifest": {
                "apiVersion": "networking.gke.io/v1",
                "kind": "GKENetworkParamSet",
                "metadata": {"name": name},
                "spec": spec,
            }
        }
        expected[f"pod-networks-{name}"] = {
            "manifest": {
                "apiVersion": "networking.gke.io/v1",
                "kind": "Network",
                "metadata": {"name": name},
                "spec": {
                    "type": "Device",
                    "parametersRef": {"group": "networking.gke.io", "kind": "GKENetworkParamSet", "name": name},
                },
            },
            "depends_on": [f"kubernetes_manifest.pod-networks-{name}-parameters"],
        }
    assert stack["resource"]["kubernetes_manifest"] == expected
