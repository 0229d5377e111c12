"""The full-screen client, on Textual (the extra `tui`).

It holds no rules: it draws the boards that it is given and offers the moves that are listed as
legal. What is drawn and what input means is worked out in modules that know no terminal; the
widgets and screens only pass it on.

    look          what a player has chosen for their screen, kept in a file
    picture       cells of text, each with an ink
    layout        where each pile and card lies on a screen of some size, as `spots`
    cards         a board as a picture
    inks          inks as the terminal's styles
    aim           what is picked up, where it may go
    keys          piles typed letter by letter; `keyboard` all keys at a board
    inputs        what is put in, in order
    program       what screens ask of the program
    lines         what stands around a board: clocks, lanes, results; `beside` it, `before` it
    cupdeeds      what a tournament offers its viewer; `cuplooks` what can be looked at
    ...           widgets and screens
"""
