"""Settings that come from a call, from the program, from the environment or from a default, in this order."""

import os as _os

__all__ = ("EnvOnlySetting", "PrioritizedSetting", "SettingBase", "Settings", "convert_bool", "convert_int", "convert_str", "convert_str_seq")


class _Unset:
    """Stands for a value that was not given."""


def convert_str(value):
    """Returns a string unchanged."""
    return value


def convert_int(value):
    """A whole number."""
    return int(value)


def convert_bool(value):
    """True for "1", false for "0" and an empty text."""
    if isinstance(value, bool):
        return value
    if value.casefold() in ("0", "1", ""):
        return value == "1"
    raise ValueError(f'Cannot convert {value!r} to bool, use "0" or "1"')


def convert_str_seq(value):
    """Texts with commas between them."""
    return tuple(value) if isinstance(value, (list, tuple)) else tuple(value.split(","))


class SettingBase:
    """The common base of settings."""

    def __init__(self, name, default=_Unset, convert=None, help=""):
        self._name, self._default, self._help = name, default, help
        self._convert = convert or convert_str

    @property
    def name(self):
        """The setting's name."""
        return self._name

    @property
    def help(self):
        """A description of the setting."""
        return self._help

    @property
    def default(self):
        """The default value."""
        return self._default

    def __get__(self, instance, owner):
        return self

    def _converted(self, value):
        return None if value is None else self._convert(value)


class PrioritizedSetting(SettingBase):
    """A setting that the program can change."""

    def __init__(self, name, env_var=None, default=_Unset, convert=None, help=""):
        super().__init__(name, default, convert, help)
        self.env_var = env_var
        self._given = _Unset

    def __call__(self, value=None, default=_Unset):
        environment = _os.environ.get(self.env_var, _Unset) if self.env_var else _Unset
        given = _Unset if value is None else value
        for found in (given, self._given, environment, default, self._default):
            if found is not _Unset:
                return self._converted(found)
        raise RuntimeError(f"No configured value found for setting {self.name!r}")

    def __set__(self, instance, value):
        self.set_value(value)

    def set_value(self, value):
        """Sets the value for this program."""
        self._given = value

    def unset_value(self):
        """Removes the value set by the program."""
        self._given = _Unset


class EnvOnlySetting(SettingBase):
    """A setting that only the environment changes."""

    def __init__(self, name, env_var, default=_Unset, test_default=_Unset, convert=None, help=""):
        super().__init__(name, default, convert, help)
        self.env_var, self.test_default = env_var, test_default

    def __call__(self):
        if self.env_var in _os.environ:
            return self._converted(_os.environ[self.env_var])
        is_test = convert_bool(_os.environ.get("LEGATE_TEST", ""))
        default = self.test_default if is_test and self.test_default is not _Unset else self._default
        if default is _Unset:
            raise ValueError(f"EnvOnlySetting {self.name}: env var {self.env_var} is not set and no default has been provided")
        return self._converted(default)


class Settings:
    """A class whose attributes are settings."""
