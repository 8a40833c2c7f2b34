"""Fluent Bit, which reads Ray's log files where Google's add-on does not."""

#: A release in the tag list of docs.fluentbit.io ("Docker"). The image's entry point is the program itself.
FLUENT_BIT_IMAGE = "fluent/fluent-bit:4.2.0"

#: What KubeRay's sample calls sufficient in production (ray-cluster.fluentbit.yaml, v1.7.0), requested and limited.
FLUENT_BIT_CPU = "100m"
FLUENT_BIT_MEMORY = "128Mi"
