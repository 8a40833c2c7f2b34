"""Container images as users name them: always one image, never whatever a tag means today."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

_IMAGE = re.compile(
    r"(?P<repository>[a-z0-9.-]+(:\d+)?(/[a-z0-9._-]+)+)(:(?P<tag>\w[\w.-]{0,127}))?(@sha256:(?P<digest>[0-9a-f]{64}))?"
)


def _pinned(text: str) -> str:
    match = _IMAGE.fullmatch(text)
    if not match or not (match["tag"] or match["digest"]) or (match["tag"] == "latest" and not match["digest"]):
        raise ValueError(", not a pinned image; write REPOSITORY:TAG or REPOSITORY@sha256:DIGEST, and not :latest")
    return text


#: An image with its registry, and a tag other than `latest`, or a digest, or both.
PinnedImage = Annotated[str, AfterValidator(_pinned)]
