"""Legate's settings. They are read and kept; Weft does not act on them."""

from .util.settings import EnvOnlySetting, PrioritizedSetting, Settings, convert_bool

__all__ = ("settings",)


class LegateSettings(Settings):
    """The settings by name."""

    consensus = PrioritizedSetting("consensus", "LEGATE_CONSENSUS", False, convert_bool)
    cycle_check = PrioritizedSetting("cycle_check", "LEGATE_CYCLE_CHECK", False, convert_bool)
    future_leak_check = PrioritizedSetting("future_leak_check", "LEGATE_FUTURE_LEAK_CHECK", False, convert_bool)
    test = PrioritizedSetting("test", "LEGATE_TEST", False, convert_bool)
    limit_stdout = EnvOnlySetting("limit_stdout", "LEGATE_LIMIT_STDOUT", False, False, convert_bool)


settings = LegateSettings()
