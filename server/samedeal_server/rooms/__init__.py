"""Races at work: held in memory, decided on, made durable, told, and found on whichever node.

What may happen in a race `racing` says, purely. All this runs in one event loop; every state has
one module that changes it, and nothing is told before it is durable.

hall          all the races of this node; `home`, `annex`: what its parts and tournaments know of it
opening       how a race comes to be; `rematches` the one after it
readings      how it comes into memory again; `replays` its log in pages
records       what may be read of it by whom
deadlines     when each race next needs the clock
books         who is in which race that is not over

room          one race in memory
viewers       who is told about it, and how far they are; `missed` what they have not been told
crowd         them by what they may see; `throng` many who see the same, `delayed` those kept behind
committer     events into the log, in groups; `effects` what happens when they are there

caller        one connection; `replies` exactly one to each request
places        where it is; `visits` what it asks there, `race_requests` what that can be
players       who somebody is; `names` what they may be called, `alphabets` what looks like another
phrases       pass phrases
invitations   who has bots of the house come; `attendance` for how long they stay
seldom        errands that are not run again at once

federation    this node among others
tenure        which races are its own
follower      a race of another node; `feeds` the lines of its log on their way
orders        what is asked of it there, over `links`; `outcomes` what came of it, `seats` for whom
world         what leaves for the world; `onlooker` as a spectator sees it

dailies       the daily deal's races
"""

from __future__ import annotations
