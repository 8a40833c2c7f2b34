"""Lets Python import single modules of the provider packages, without the 1,500 others.

Each provider package's `__init__` imports all of its modules, which takes about ten seconds; its submodules do not
need that. Registering the package without executing it makes `from cdktf_cdktf_provider_google.compute_network
import ComputeNetwork` load just that. Import this module before any binding: forgetting it is slow, never wrong.
"""

import sys
from importlib.util import find_spec, module_from_spec

for _name in ("google", "kubernetes", "helm"):
    _package = f"cdktf_cdktf_provider_{_name}"
    if _package not in sys.modules and (_spec := find_spec(_package)):
        sys.modules[_package] = module_from_spec(_spec)
