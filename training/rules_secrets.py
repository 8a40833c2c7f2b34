"""No token stands in a job file: what does would be in the plan, in the state and on Ray's dashboard."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import cast

from settings.faults import TOKEN
from settings.findings import Finding
from training.overrides import flatten, texts
from training.site_job import SiteJob

#: Keys whose values are secrets, whatever they look like.
_SECRET = re.compile(r"(^|[._])(api_?key|token|secret|password)$|HF_TOKEN|HUGGING_FACE_HUB_TOKEN|WANDB_API_KEY", re.I)

_REMEDY = (
    "holds a token, which would stand in the plan, the state and Ray's dashboard; tokens reach the pods as files, by"
    " the environment's tokens section: remove it"
)


def no_text_holds_a_token(it: SiteJob) -> Iterator[Finding]:
    content = cast("Mapping[str, object]", it.job.model_dump())
    for key, value in flatten(content):
        named = key.startswith("overrides.") and _SECRET.search(key)
        if named or any(TOKEN.search(text) for text in (key, *texts(value))):
            yield Finding(TOKEN.sub("***", key), _REMEDY)
