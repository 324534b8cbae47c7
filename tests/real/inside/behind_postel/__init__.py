"""Put postel in front of every application that a test client calls, in the test run of another project.

It is loaded into the environment of that project: as a pytest plugin (``-p behind_postel.plugin``), or by
``behind_postel.django_suite`` for Django's runner. It needs only postel and the standard library. It imports
a test client only if the variable ``BEHIND_POSTEL_CLIENTS`` names it.
"""
