"""The report: well-formed, whole, harmless whatever it shows, and drawn as computed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogspiel.draw.report.markup import Markup, element, text
from fogspiel.draw.report.page import ReportHeading, report_page
from fogspiel.draw.report.plots import MOST_LINES, scale_over, settling_plot
from fogspiel.draw.report.report_tables import SHADES, shade
from fogspiel.play.ratings.bradley_terry import RatingHistory
from fogspiel.play.ratings.summary import Summary, summary_of
from made_results import drawn_by_strength, result

VOID = {"meta"}
NASTY = "<script>alert('x')</script>\"'><img src=x onerror=alert(1)>&amp;\x00\x1b[31m\u202e\ud800"
HEADING = ReportHeading(title="Spring", settings=(("games", "toss"),), provenance=(("seed", "7"),))


class Tree(HTMLParser):
    """Checks that elements nest, and notes what there is."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags = Counter[str]()
        self.attributes: list[tuple[str, str, str | None]] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> ends nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def said(self) -> str:
        return " ".join(" ".join(self.texts).split())


def tournament(players: int = 4, matches: int = 120) -> Summary:
    names = [f"player {n}" for n in range(players)]
    strengths = dict(zip(names, np.linspace(1.0, -1.0, players), strict=True))
    return summary_of(drawn_by_strength(strengths, matches=matches, seed=1))


def report(summary: Summary, heading: ReportHeading = HEADING) -> Tree:
    return Tree(report_page(summary, heading))


def test_a_report_has_all_its_parts() -> None:
    page = report(tournament())
    assert page.tags["h1"] == 1
    for title in (
        "Settings", "Standings", "Ratings", "How ratings settled", "Cross table",
        "Games and seats", "Faults", "Provenance",
    ):  # fmt: skip
        assert title in page.texts
    assert "120 of 120 matches were played." in page.said()
    assert "Failed matches" not in page.texts
    assert page.tags["polyline"] == 4
    assert page.tags["circle"] == 4


def test_standings_show_what_was_computed() -> None:
    summary = tournament()
    said = report(summary).said()
    for own in summary.standings:
        assert own.interval is not None
        half = (own.interval[1] - own.interval[0]) / 2
        assert f"{own.mean_share:.3f} ± {half:.3f}" in said
        assert f"{summary.rating(own.player).elo:+.0f}" in said
        assert f"{summary.skill(own.player).mu:.2f}" in said


def test_nothing_is_loaded_and_no_script_runs() -> None:
    page = report_page(tournament(), HEADING)
    tree = Tree(page)
    assert "://" not in page
    assert not {"script", "link", "img", "iframe", "object", "base", "image"} & tree.tags.keys()
    names = {name for _, name, _ in tree.attributes}
    assert not {"src", "href", "xlink:href", "style", "action"} & names
    assert not [name for name in names if name.startswith("on")]
    assert not re.search(r"@import|url\(", page)
    policy = [value for _, name, value in tree.attributes if name == "content"]
    assert "default-src 'none'; style-src 'unsafe-inline'" in policy


def test_names_of_strangers_are_shown_and_do_nothing() -> None:
    nasty = [
        result(0, {NASTY: 100, "b": 0}, game=NASTY, faults=({NASTY: 1}, {})),
        result(1, {"b": 100, NASTY: 0}, game=NASTY),
        result(2, {"b": 0, "c": 0}, failed=NASTY),
    ]
    pairs = ((NASTY, NASTY),)
    heading = ReportHeading(title=NASTY, settings=pairs, provenance=pairs)
    page = report_page(summary_of(nasty), heading)
    tree = Tree(page)
    harmless = report(summary_of([result(0, {"a": 1, "b": 0})])).tags.keys()
    assert tree.tags.keys() <= harmless | {"td", "div"}
    assert not [name for _, name, _ in tree.attributes if name.startswith("on")]
    assert tree.said().count("<script>alert('x')</script>\"'><img src=x onerror=alert(1)>") > 8
    assert not {"\x00", "\x1b", "\u202e", "\ud800"} & set(page)
    page.encode("utf-8")


@settings(max_examples=30, deadline=None)
@given(st.text(min_size=1, max_size=30), st.text(min_size=1, max_size=30))
def test_no_name_breaks_a_page(name: str, reason: str) -> None:
    results = [
        result(0, {name: 100, "other one": 0}, game=name, faults=({}, {reason: 1})),
        result(1, {name: 0, "other one": 0}, failed=reason),
    ]
    page = report_page(summary_of(results), HEADING)
    tree = Tree(page)
    assert tree.tags["h2"] == 9
    # Four tables of two players, one of a failed match, and their headings.
    assert tree.tags["tr"] == 4 * (1 + 2) + (1 + 1)
    page.encode("utf-8")


def test_attributes_cannot_be_left_by_quotes() -> None:
    assert element("a", title='"><b>') == '<a title="&quot;&gt;&lt;b&gt;"></a>'
    assert element("a", class_=None, aria_label="x") == '<a aria-label="x"></a>'
    assert text("é\t\n😀") == Markup("é\t\n😀")


def test_an_unfinished_tournament_and_failed_matches_are_told() -> None:
    results = [result(0, {"a": 100, "b": 0}), result(1, {"a": 0, "b": 0}, failed="no memory")]
    said = report(summary_of(results, planned=10)).said()
    assert "1 of 10 matches were played, 1 failed; the tournament is not over." in said
    assert "no memory" in said
    many = [result(n, {"a": 0}, failed="crash") for n in range(60)]
    assert "And 10 more." in report(summary_of(many)).said()


def test_nothing_played_makes_a_short_report() -> None:
    page = report(summary_of([], planned=3))
    assert "0 of 3 matches were played" in page.said()
    assert page.tags["svg"] == 0
    assert "Provenance" in page.texts


def test_players_alone_have_standings_and_no_ratings() -> None:
    page = report(summary_of([result(n, {"ab"[n]: 40 * n}) for n in range(2)]))
    assert "Standings" in page.texts
    assert not {"Ratings", "Cross table"} & set(page.texts)


def test_groups_that_never_met_and_unbeaten_players_are_told() -> None:
    results = [result(0, {"a": 100, "b": 0}), result(1, {"x": 50, "y": 50})]
    said = report(summary_of(results)).said()
    assert "No chain of matches connects the groups" in said
    assert "Group 1" in said
    assert "Group 2" in said
    assert said.count("Some took every point from others here") == 1


def test_faults_are_counted_by_player_and_kind() -> None:
    clean = report(summary_of([result(0, {"a": 100, "b": 0})])).said()
    assert "nothing had to be replaced" in clean
    faulty = [result(0, {"a": 100, "b": 0}, faults=({"illegal_move": 3}, {"timeout": 4}))]
    said = report(summary_of(faulty)).said()
    assert "player illegal move timeout in all a 3 0 3 b 0 4 4" in said


def test_the_same_results_make_the_same_bytes() -> None:
    assert report_page(tournament(), HEADING) == report_page(tournament(), HEADING)


def test_many_players_keep_lines_that_can_be_told_apart() -> None:
    page = report(tournament(players=30, matches=300))
    assert page.tags["polyline"] == MOST_LINES
    assert page.tags["circle"] == 30
    looks = [value for tag, name, value in page.attributes if (tag, name) == ("polyline", "class")]
    assert len(set(looks)) == MOST_LINES
    assert f"; the {MOST_LINES} highest." in page.said()


def test_lines_run_where_the_ratings_are() -> None:
    settling = RatingHistory(
        players=("a", "b"), matches=(50, 100), elo=np.array([[0.0, np.nan], [100.0, -100.0]])
    )
    drawn = settling_plot(settling)
    # Up to 100 matches across; from -100 to 100 up, of which SVG counts from above.
    assert 'points="500.0,500.0 1000.0,0.0"' in drawn
    assert 'points="1000.0,1000.0 1000.0,1000.0"' in drawn


@pytest.mark.parametrize(
    ("values", "ends"), [((-240.0, 250.0), (-300, 300)), ((0.0, 7.0), (0, 8)), ((5.0, 5.0), None)]
)
def test_axes_have_round_numbers_and_hold_all_values(
    values: tuple[float, float], ends: tuple[float, float] | None
) -> None:
    scale = scale_over(values)
    assert scale.low <= values[0] <= values[1] <= scale.high
    assert 2 <= len(scale.ticks) <= 8
    if ends is not None:
        assert (scale.low, scale.high) == ends


def test_shades_go_from_the_first_to_the_last() -> None:
    shades = [shade(share) for share in np.linspace(-0.5, 1.5, 300)]
    assert shades == sorted(shades)
    assert set(shades) == set(range(SHADES))
    assert shade(0.5) == SHADES // 2


def test_every_class_that_the_page_uses_is_in_the_style_sheet() -> None:
    page = report_page(tournament(), HEADING)
    used = {
        name
        for _, attribute, value in Tree(page).attributes
        if attribute == "class"
        for name in (value or "").split()
    }
    style = page[page.index("<style>") : page.index("</style>")]
    without = {"value", "dash-0"}
    assert {name for name in used - without if f".{name}" not in style} == set()


def channel(part: int) -> float:
    value = part / 255
    return value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4


def contrast(one: str, other: str) -> float:
    """The contrast of two colours: Web Content Accessibility Guidelines 2.2, relative luminance."""
    light = sorted(
        sum(
            weight * channel(int(colour[at : at + 2], 16))
            for weight, at in ((0.2126, 1), (0.7152, 3), (0.0722, 5))
        )
        for colour in (one, other)
    )
    return (light[1] + 0.05) / (light[0] + 0.05)


def test_text_stands_out_from_its_ground_in_light_and_dark() -> None:
    """Contrasts are at least 4.5 to 1, which the guidelines ask of text; 3 to 1 of lines."""
    page = report_page(tournament(), HEADING)
    themes = re.findall(r":root \{(.*?)\}", page, re.DOTALL)
    assert len(themes) == 2
    for theme in themes:
        colours = dict(re.findall(r"--([\w-]+): (#\w{6})", theme))
        assert contrast(colours["ink"], colours["page"]) > 7
        assert contrast(colours["soft"], colours["page"]) > 4.5
        for number in range(7):
            assert contrast(colours[f"colour-{number}"], colours["page"]) > 3
    shades = re.findall(r"\.shade-\d+ \{ background: (#\w{6})", page)
    assert len(shades) == SHADES
    for ground in shades:
        assert contrast("#1c1e21", ground) > 4.5


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine to open a report with")
@pytest.mark.parametrize("width", [400, 1200])
def test_a_browser_shows_the_report_without_scrolling_sideways(tmp_path: Path, width: int) -> None:
    assert CHROMIUM is not None
    # A frame, because windows cannot be that narrow; and the page itself lets no script measure it.
    frame = f'<iframe width="{width}" height="900" style="border: 0" srcdoc="%s"></iframe>'
    measure = """onload = () => {
        const shown = document.querySelector("iframe").contentDocument.documentElement;
        document.title = [shown.scrollWidth, shown.clientWidth].join(" of ");
    }"""
    page = frame % escape(report_page(tournament(players=9), HEADING))
    page = f"<title></title>{page}<script>{measure}</script>"
    (tmp_path / "report.html").write_text(page, encoding="utf-8")
    shown = subprocess.run(
        [
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
            f"--user-data-dir={tmp_path / 'profile'}",
            (tmp_path / "report.html").as_uri(),
        ],
        capture_output=True, text=True, timeout=120, check=True, env={**os.environ, "LC_ALL": "C"},
    ).stdout  # fmt: skip
    measured = re.search(r"<title>(\d+) of (\d+)</title>", shown)
    assert measured is not None, shown[:500]
    content, room = map(int, measured.groups())
    # A bar for scrolling down takes some of the width.
    assert width - 30 < room <= width
    assert content == room
