"""What `make docs` needs beyond mkdocs itself (mkdocs.yml names this file): anchors as GitHub forms
them, so that a link works in both places, and the changelog, which stands beside the README."""
import pathlib
import re

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent


def anchor(heading, separator="-"):
    """The anchor of a heading, given as plain text."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)


def on_config(config):
    config["mdx_configs"].setdefault("toc", {})["slugify"] = anchor
    return config


def on_files(files, config):
    page = File("changelog.md", str(ROOT), config["site_dir"], config["use_directory_urls"])
    page.abs_src_path = str(ROOT / "CHANGELOG.md")
    files.append(page)
    return files
