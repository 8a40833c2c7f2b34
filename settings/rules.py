"""All rules of an environment file, those of the ground floor first."""

from settings import platform_rules, ray_rules, site_rules

#: What stops a synth.
FAULTS = (*site_rules.FAULTS, *ray_rules.FAULTS, *platform_rules.FAULTS)
#: What is printed and stops nothing.
DOUBTS = (*site_rules.DOUBTS, *ray_rules.DOUBTS, *platform_rules.DOUBTS)
