"""What VPCs on Google Cloud are like."""

from __future__ import annotations

#: The subnets that an auto-mode VPC makes in all regions, today's and tomorrow's.
AUTO_MODE_RANGE = "10.128.0.0/9"

#: The ranges of the VPC documentation's "Prohibited IPv4 subnet ranges".
FORBIDDEN_RANGES = (
    "0.0.0.0/8",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "199.36.153.4/30",
    "199.36.153.8/30",
    "224.0.0.0/4",
    "255.255.255.255/32",
)

#: Addresses that Google keeps in each subnet: the first two and the last two.
RESERVED_ADDRESSES = 4

#: The least and the most MTU of a VPC, in bytes; the most is what Lustre's pages advise and a RoCE VPC has.
LEAST_MTU, MOST_MTU = 1300, 8896
