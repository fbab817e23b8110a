from typing import Any

class Foreign:
    address: int
    user: int
    def __init__(self, address: int, user: int, owner: Any) -> None: ...
