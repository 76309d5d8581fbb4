"""The page of theorems leads to where each is stated."""

from tests.support.theorem_lines import LINK, PAGE, line_of

NEAR = 60  # lines, a screen away


def test_every_theorem_of_the_page_stands_where_it_leads() -> None:
    links = LINK.findall(PAGE.read_text(encoding="utf-8"))
    assert links
    for name, link, line in links:
        assert abs(line_of(name, link) - int(line)) <= NEAR, f"{name}: python -m tests.support.theorem_lines"
