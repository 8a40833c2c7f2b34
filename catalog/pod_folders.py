"""Where a Ray pod finds what is mounted into it: said once for the pods, and for the jobs that run in them."""

#: The Lustre instance, on head and workers alike.
DATA_FOLDER = "/data"

#: The jobs' scripts: the platform's ConfigMap as a read-only folder, on the head.
SCRIPTS_FOLDER = "/opt/ray-job-scripts"

#: The tokens as files.
TOKENS_FOLDER = "/var/run/secrets/ray-tokens"
