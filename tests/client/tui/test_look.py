"""What a player has chosen is kept."""

from __future__ import annotations

from pathlib import Path

from samedeal_client.tui.look import (
    CHOICES,
    Highlight,
    Look,
    Palette,
    keep_look,
    kept_look,
    legible,
)


def test_choices_are_kept_beside_the_tokens(tmp_path: Path) -> None:
    look = Look(palette=Palette.POKER, ascii=True, highlight=Highlight.ALWAYS, shortcuts=False)
    keep_look(tmp_path / "home", look)
    assert kept_look(tmp_path / "home") == look


def test_without_a_file_or_with_one_that_says_nonsense_all_is_as_usual(tmp_path: Path) -> None:
    assert kept_look(tmp_path) == Look()
    (tmp_path / "tui.json").write_text('{"palette": "purple"}')
    assert kept_look(tmp_path) == Look()


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_play(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    keep_look(file, Look(mirror=True))
    assert kept_look(file) == Look()


def test_every_choice_can_be_made_and_the_usual_one_is_among_them() -> None:
    assert [field for field, _, _ in CHOICES] == list(Look.__struct_fields__)
    for field, _, choices in CHOICES:
        assert getattr(Look(), field) in [value for _, value in choices]


def test_a_terminal_of_16_colours_shows_no_yellow_suit_on_white() -> None:
    assert legible(Palette.PAIRED, "standard") is Palette.TWO
    assert legible(Palette.PAIRED, "256") is Palette.PAIRED
    assert legible(Palette.PAIRED, None) is Palette.PAIRED
    assert legible(Palette.MONO, "standard") is Palette.MONO
