"""The setting ``bodies=``, and its short forms ``forms=`` and ``json=``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal, final

from postel._bodies.form_settings import Forms
from postel._bodies.json_settings import Json
from postel._errors import PolicyError

_CONTRADICTION: Final = ("refuse", "untouched")
"""The settings ``others`` of forms and of JSON if they differ, and neither is the default."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Bodies:
    """Which bodies are judged, and what is done with the others.

    The arguments ``forms=`` and ``json=`` of the middleware are short for it. Immutable; raises
    :class:`PolicyError` if a setting cannot work.

    >>> from postel import Forms, Json
    >>> Bodies(forms=True, json=True) == Bodies(forms=Forms(), json=Json())
    True
    """

    forms: Forms | bool = False
    """Forms, urlencoded and multipart: whether they are judged, or :class:`Forms` with settings."""
    multipart: Literal["judge", "refuse", "untouched"] | None = None
    """What is done with multipart forms, in place of :attr:`Forms.multipart`."""
    json: Json | bool = False
    """JSON: whether it is judged, or :class:`Json` with settings."""
    others: Literal["refuse", "untouched"] | None = None
    """What is done with bodies of other types, in place of :attr:`Forms.others` and :attr:`Json.others`.
    Without it, such a body is refused if either of these says so."""

    def __post_init__(self) -> None:
        """Check each setting, and replace ``True`` with the default settings."""
        forms, json = _forms(self.forms), _json(self.json)
        if self.multipart is not None:
            if forms is None:
                raise PolicyError("Bodies(multipart=...): no form is judged; write forms=True, too")
            forms = replace(forms, multipart=self.multipart)
        if self.others is not None:
            if forms is None and json is None:
                raise PolicyError("Bodies(others=...): no body is judged; write forms=True or json=True, too")
            if self.others not in ("refuse", "untouched"):
                raise PolicyError(f"Bodies(others={self.others!r}): write 'refuse' or 'untouched'")
            forms = None if forms is None else replace(forms, others=self.others)
            json = None if json is None else replace(json, others=self.others)
        if forms is not None and json is not None and (forms.others, json.others) == _CONTRADICTION:
            raise PolicyError(
                "Forms(others='refuse') and Json(others='untouched') contradict each other; write one "
                "setting for both, such as Bodies(others='refuse')"
            )
        object.__setattr__(self, "forms", forms or False)
        object.__setattr__(self, "json", json or False)

    @property
    def settled(self) -> tuple[Forms | None, Json | None]:
        """The settings for forms and for JSON; ``None`` for those that are not judged."""
        return _forms(self.forms), _json(self.json)


def bodies_setting(
    bodies: object,
    forms: Forms | bool,  # noqa: FBT001 - arguments of the middleware, by their names there
    json: Json | bool,  # noqa: FBT001
) -> Bodies:
    """The setting from the arguments ``bodies=``, ``forms=`` and ``json=``."""
    if bodies is None:
        return Bodies(forms=forms, json=json)
    if not isinstance(bodies, Bodies):
        raise PolicyError(f"bodies={bodies!r}: write a Bodies, such as bodies=Bodies(forms=True, json=True)")
    if forms is not False or json is not False:
        raise PolicyError(
            "bodies= cannot be combined with forms= or json=; write bodies=Bodies(forms=..., json=...)"
        )
    if bodies == Bodies():
        raise PolicyError(
            "bodies=Bodies() judges no body; write bodies=Bodies(forms=True, json=True), or leave bodies out"
        )
    return bodies


def _forms(forms: object) -> Forms | None:
    if isinstance(forms, bool):
        return Forms() if forms else None
    if isinstance(forms, Forms):
        return forms
    raise PolicyError(f"forms={forms!r}: write forms=True, or a Forms such as forms=Forms(limit=100_000)")


def _json(json: object) -> Json | None:
    if isinstance(json, bool):
        return Json() if json else None
    if isinstance(json, Json):
        return json
    raise PolicyError(f"json={json!r}: write json=True, or a Json such as json=Json(limit=100_000)")
