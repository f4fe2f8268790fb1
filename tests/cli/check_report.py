"""Reads a report as a strict parser does and prints what it holds. usage: check_report.py FILE"""
import base64
import sys
import xml.etree.ElementTree as ElementTree

text = open(sys.argv[1], encoding="utf-8").read()
root = ElementTree.fromstring(text)  # every tag closed, every sign escaped
ids = [e.get("id") for e in root.iter() if e.get("id")]
assert len(ids) == len(set(ids)), "an id is there twice"
for element in root.iter():
    assert element.tag not in ("script", "link", "iframe", "object"), element.tag
    for name, value in element.attrib.items():
        assert not name.startswith("on"), name
        if name in ("src", "href"):
            kind, data = value.split(",", 1)
            assert kind == "data:image/png;base64", kind
            assert base64.b64decode(data, validate=True).startswith(b"\x89PNG"), "no PNG"
        if name == "aria-labelledby":
            assert all(part in ids for part in value.split()), value
for lower in ("http:", "https:", "url(", "@import"):
    assert lower not in text.lower(), lower
charts = [e for e in root.iter("svg")]
assert all(s.find("title") is not None and s.find("desc") is not None for s in charts)
pictures = [e for e in root.iter("img")]
assert all(e.get("alt") for e in pictures)
changed = [r.findall("td")[4].text for r in root.iter("tr") if r.get("class") == "changed"]
print(len(charts), len(pictures), ",".join(changed), root.find("body/header/h1").text)
