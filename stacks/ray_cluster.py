"""A site's RayCluster from its settings: the one function that the platform stack and the job stacks share."""

from __future__ import annotations

from catalog.kubernetes_names import JOB_SCRIPTS, LUSTRE_CLAIM
from catalog.ray_environment import nccl_environment
from constructs.ray_pods import HeadPod, RayCluster, WorkerPods
from settings.environment import Environment


def ray_cluster(env: Environment) -> RayCluster:
    """The RayCluster of the site; its `name` is what a job's cluster selector names."""
    machine, ray = env.gpu_machine, env.ray
    return RayCluster(
        image=ray.pod_image,
        ray_version=ray.release.ray,
        head=HeadPod(cpus=ray.head.cpus, memory_gib=ray.head.memory_gib, node_pool=env.cpu_pool.name),
        workers=WorkerPods(
            count=ray.workers,
            cpus=ray.worker.cpus,
            memory_gib=ray.worker.memory_gib,
            shared_memory_gib=ray.worker.shared_memory_gib,
            gpus=machine.gpus,
            accelerator=machine.gpu,
            interfaces=env.interfaces,
            gib_image=env.platform.gib_image,
        ),
        service_account=env.platform.service_account,
        claim=LUSTRE_CLAIM,
        token_secret=env.tokens.secret_name,
        scripts=JOB_SCRIPTS,
        environment={**nccl_environment(machine.nccl_tuner), **ray.env},
        wandb=env.tokens.wandb,
        fluent_bit=env.monitoring.logs and env.platform.operator == "chart",
    )
