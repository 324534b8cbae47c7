"""nginx and Apache, as Debian has them: not Python packages, and configured by a file."""

from __future__ import annotations

import os
import pwd
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import postel

UNPACKED = Path(os.environ.get("POSTEL_DEBIAN") or "/")
"""The folder in which `make servers` has unpacked Debian's packages; by default, the system's are used."""
SEARCHED = f"{os.defpath}:/usr/sbin:/sbin:{Path(sys.executable).parent}"
MODULES = "usr/lib/apache2/modules"


def program(name: str) -> str | None:
    for folder in ("sbin", "bin"):
        unpacked = UNPACKED / "usr" / folder / name
        if unpacked.is_file():
            return str(unpacked)
    return shutil.which(name, path=SEARCHED)


def libraries() -> tuple[tuple[str, str], ...]:
    found = (
        sorted({str(each.parent) for each in UNPACKED.glob("usr/lib/*/lib*.so*")}) if UNPACKED.name else []
    )
    return (("LD_LIBRARY_PATH", ":".join(found)),) if found else ()


# -- nginx ---------------------------------------------------------------------------------------------------

NGINX = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log stderr error;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    large_client_header_buffers 4 16k;
    {site}
}}
"""
SITE = """
server {{
    listen 127.0.0.1:{port};
    location / {{
        {passing}
    }}
}}
"""
WITH_URI = "proxy_set_header Host $http_host; proxy_pass http://127.0.0.1:{backend}/;"
WITHOUT_URI = "proxy_set_header Host $http_host; proxy_pass http://127.0.0.1:{backend};"
UWSGI_PARAMS = {
    "QUERY_STRING": "$query_string",
    "REQUEST_METHOD": "$request_method",
    "CONTENT_TYPE": "$content_type",
    "CONTENT_LENGTH": "$content_length",
    "REQUEST_URI": "$request_uri",
    "PATH_INFO": "$document_uri",
    "DOCUMENT_ROOT": "$document_root",
    "SERVER_PROTOCOL": "$server_protocol",
    "REQUEST_SCHEME": "$scheme",
    "REMOTE_ADDR": "$remote_addr",
    "REMOTE_PORT": "$remote_port",
    "SERVER_PORT": "$server_port",
    "SERVER_NAME": "$server_name",
}
"""What Debian's /etc/nginx/uwsgi_params says."""
UWSGI = "uwsgi_pass 127.0.0.1:{backend}; " + " ".join(
    f"uwsgi_param {name} {variable};" for name, variable in UWSGI_PARAMS.items()
)


@dataclass(frozen=True)
class Nginx:
    """nginx in front of another server; with a URI in proxy_pass it decodes and rewrites a path."""

    backend: int
    folder: Path
    passing: str = WITH_URI
    name: str = "nginx"
    site: str = SITE
    """The body of the block http; ``{port}`` and ``{backend}`` are the ports of nginx and the backend."""

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        return libraries()

    def command(self, port: int) -> list[str]:
        configuration = self.folder / "nginx.conf"
        passing = self.passing.format(backend=self.backend)
        site = self.site.format(port=port, passing=passing, backend=self.backend)
        configuration.write_text(NGINX.format(site=site, folder=self.folder))
        return [program("nginx") or "nginx", "-p", str(self.folder), "-c", str(configuration), "-e", "stderr"]

    def is_missing(self) -> bool:
        return program("nginx") is None


# -- Apache --------------------------------------------------------------------------------------------------

APACHE = """
ServerRoot {folder}
ServerName postel.test
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
DefaultRuntimeDir {folder}
Mutex posixsem
ErrorLog /dev/stderr
LogLevel warn
{modules}
User {user}
Group {group}
StartServers 1
ThreadsPerChild 8
ThreadLimit 8
MinSpareThreads 1
MaxSpareThreads 8
MaxRequestWorkers 8
ServerLimit 1
WSGIDestroyInterpreter Off
WSGIPythonPath {folder}
{home}
LimitRequestLine 16380
<Directory {folder}>
    Require all granted
</Directory>
WSGIScriptAlias {mount} {folder}/served.py
WSGICallableObject wsgi
{more}
"""
NEEDED = {"mpm_event": "mod_mpm_event.so", "authz_core": "mod_authz_core.so", "rewrite": "mod_rewrite.so"}
KEEPING = "AllowEncodedSlashes NoDecode"
DECODING = "AllowEncodedSlashes On"
REWRITING = "RewriteEngine On\nRewriteRule ^/old/(.*)$ /new/$1 [PT]"


@dataclass(frozen=True)
class Apache:
    """Apache with mod_wsgi, which runs the applications in a Python of its own, as the user nobody."""

    folder: Path
    more: str = ""
    mount: str = ""
    name: str = "Apache, mod_wsgi"

    @property
    def environment(self) -> tuple[tuple[str, str], ...]:
        return (*libraries(), *((("POSTEL_TEST_PREFIX", self.mount),) if self.mount else ()))

    def command(self, port: int) -> list[str]:
        modules = _modules()
        (self.folder).chmod(0o755)
        shutil.copytree(Path(postel.__file__).parent, self.folder / "postel", dirs_exist_ok=True)
        for name in ("served.py", "formed.py"):
            shutil.copy(Path(__file__).with_name(name), self.folder)
        wsgi = next(iter(sorted(modules.glob("mod_wsgi.so*"))))
        loaded = {**{name: modules / file for name, file in NEEDED.items()}, "wsgi": wsgi}
        has_python = any(UNPACKED.glob("usr/lib/python3*/os.py")) and UNPACKED.name
        person = pwd.getpwnam("nobody") if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        configuration = self.folder / "apache.conf"
        configuration.write_text(
            APACHE.format(
                folder=self.folder,
                port=port,
                modules="\n".join(f"LoadModule {name}_module {file}" for name, file in loaded.items()),
                user=person.pw_name,
                group=f"#{person.pw_gid}",
                home=f"WSGIPythonHome {UNPACKED / 'usr'}" if has_python else "",
                mount=self.mount or "/",
                more=self.more,
            )
        )
        return [program("apache2") or "apache2", "-D", "FOREGROUND", "-f", str(configuration)]

    def is_missing(self) -> bool:
        return program("apache2") is None or not any(_modules().glob("mod_wsgi.so*"))


def _modules() -> Path:
    unpacked = UNPACKED / MODULES
    return unpacked if unpacked.is_dir() else Path("/") / MODULES
