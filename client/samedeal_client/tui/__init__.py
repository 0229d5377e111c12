"""The full-screen client, on Textual (the extra `tui`).

It holds no rules: it draws the boards that it is given and offers the moves that are listed as
legal. What is drawn and what input means is worked out in modules that know no terminal; the
widgets and screens only pass it on.

    look          what a player has chosen for their screen, kept in a file
    picture       cells of text, each with an ink
    layout        where each pile and card lies on a screen of some size
    cards         a board as a picture
    inks          inks as the terminal's styles
    aim           what is picked up, where it may go
    keys          piles typed letter by letter
    lines         what stands around a board: clocks, lanes, results
    ...           widgets and screens
"""
