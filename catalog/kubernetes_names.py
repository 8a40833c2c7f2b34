"""Names of the Kubernetes objects that the platform makes and that Ray pods and jobs refer to."""

#: The Lustre volume and its claim; the tutorial's names.
LUSTRE_VOLUME = "lustre-pv"
LUSTRE_CLAIM = "lustre-pvc"

#: The ConfigMap with the jobs' scripts, one key a file.
JOB_SCRIPTS = "ray-job-scripts"

#: Namespace of the KubeRay operator where its chart is installed, and the name of its release and Deployment.
OPERATOR_NAMESPACE = "kuberay-system"
OPERATOR = "kuberay-operator"
