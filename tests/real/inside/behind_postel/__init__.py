"""Puts postel in front of every application that a test client calls, in another project's test run.

Loaded into that project's own environment: as a pytest plugin (``-p behind_postel.plugin``), or by
``behind_postel.django_suite`` for Django's runner. It needs nothing but postel and the standard library, and
it imports a test client only when the variable ``BEHIND_POSTEL_CLIENTS`` names it.
"""
