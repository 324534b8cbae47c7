"""The same requests for hypothesis, which shrinks the choices behind them."""

from __future__ import annotations

from hypothesis import strategies as st

from whole.generator import content_type_of, cookie_of, ordinary_of, request_of, target_of

_choices = st.randoms(use_true_random=False)

requests = _choices.map(request_of)
ordinary = _choices.map(ordinary_of)
targets = _choices.map(target_of)
content_types = _choices.map(content_type_of)
cookies = _choices.map(cookie_of)
