/** How a tournament goes on after a race: whether it is raced again, what is next in its match, how that ended. */

import { fill, h } from '../dom.js';
import { Refusal } from '../net/link.js';
import { Fault, sentence } from '../parts/said.js';
import { counted } from '../words.js';
import { Bringer } from './bring.js';
import { Cup } from './cup.js';
import { isOver, openRace, playersOf, wanted } from './ledger.js';
import { called, matchState } from './words.js';

/** @typedef {import('../net/link.js').Message} Message */

/**
 * @typedef {object} Onward
 * @property {string} words
 * @property {string | null} race  the next one of the match, once it is called
 * @property {boolean} isMine  whether it wants the viewer
 */

/**
 * @param {import('./ledger.js').Sheet} sheet
 * @param {string} code  of a race that is over, or was called off
 * @param {{isDrawn?: boolean}} [how]  whether nobody came before anybody in it
 * @returns {Onward | null} null where the tournament does not know the race
 */
export function onward(sheet, code, { isDrawn = false } = {}) {
  const match = (sheet.matches ?? []).find((/** @type {Message} */ each) => (each.races ?? []).some((/** @type {Message} */ race) => race.race === code));
  if (match === undefined) return null;
  const own = match.races.find((/** @type {Message} */ race) => race.race === code);
  const isMine = match.players.includes(sheet.you);
  const before = own.state === 'void' ? `${sentence(`This race does not count${own.reason ? `: ${own.reason}` : ''}`)} ` : isDrawn ? 'A draw. ' : '';
  const next = openRace(match);
  if (next?.race === code) return { words: `${before}The tournament takes the result in.`, race: null, isMine: false };
  if (match.ending) return { words: before + endText(sheet, match), race: null, isMine: false };
  if (next !== null) {
    const again = isDrawn || own.state === 'void' ? 'It goes on, on a fresh deal' : 'The match goes on';
    return { words: `${before}${again}: race ${next.number} ${next.state === 'running' ? 'is on' : 'is called'}.`, race: next.race, isMine };
  }
  return { words: before + waitText(sheet, match), race: null, isMine: false };
}

/**
 * @param {import('./ledger.js').Sheet} sheet
 * @param {Message} match
 */
function endText(sheet, match) {
  const players = playersOf(sheet);
  const heat = sheet.terms.format.format === 'heats';
  if (match.ending === 'played' && match.winner && /^[\d½]+[–-][\d½]+$/.test(match.score ?? '') && !match.overridden) {
    const won = match.winner === sheet.you ? 'You have' : `${called(players, match.winner)} has`;
    return `${won} won the match, ${match.score}.`;
  }
  return sentence(`The ${heat ? 'heat' : 'match'} is over: ${matchState(match, players)}`);
}

/**
 * @param {import('./ledger.js').Sheet} sheet
 * @param {Message} match  that goes on, with no race called
 */
function waitText(sheet, match) {
  if (isOver(sheet)) return 'The tournament is over.';
  if (sheet.head.halted !== undefined && sheet.head.halted !== null) return sentence(`The tournament is paused: ${sheet.head.halted}`);
  if (match.pick) {
    const isYou = match.pick.player === sheet.you;
    return isYou ? 'You pick the game of the next race, on the tournament’s page.' : `${called(playersOf(sheet), match.pick.player)} picks the game of the next race.`;
  }
  const raced = (match.races ?? []).filter((/** @type {Message} */ race) => race.state === 'over').length;
  return `The match goes on after ${counted(raced, 'race')}: the next is called in a moment.`;
}

/** That line on a race's page, always up to date; whoever's next race is called is brought there. */
export class OnwardLine {
  #isClosed = false;
  /** @type {{cup: Cup, bringer: Bringer} | null} */
  #open = null;

  /**
   * @param {import('../router.js').Context} context
   * @param {import('../net/race.js').Race} race  one of a tournament
   */
  constructor(context, race) {
    this.context = context;
    this.race = race;
    this.fault = new Fault();
    this.line = h('div', { class: 'onward', role: 'status' });
    this.node = h('div', {}, this.line, this.fault.node);
    this.#follow();
  }

  close() {
    this.#isClosed = true;
    this.#open?.bringer.close();
    this.#open?.cup.close();
  }

  async #follow() {
    const { context, race } = this;
    try {
      const cup = await Cup.opened(context.link, race.tournament ?? '');
      if (this.#isClosed) {
        cup.close();
        return;
      }
      const bringer = new Bringer(context, cup, (fault) => this.fault.show(fault));
      this.#open = { cup, bringer };
      this.node.append(bringer.node);
      cup.addEventListener('change', () => this.draw());
      this.draw();
    } catch (fault) {
      // The result reads as well without: the tournament is one click away.
      if (!(fault instanceof Refusal)) throw fault;
    }
  }

  draw() {
    const { race } = this;
    if (this.#open === null || this.#isClosed) return;
    const { cup, bringer } = this.#open;
    const found = onward(cup.sheet, race.code, { isDrawn: race.standings.length > 1 && race.standings.every((each) => each.place === 1) });
    const said = JSON.stringify(found);
    if (this.line.dataset.said !== said) {
      this.line.dataset.said = said;
      fill(this.line, found && h('p', { class: 'lead' }, found.words), found?.race ? h('p', {}, found.isMine
        ? h('button', { type: 'button', class: 'primary', onclick: () => bringer.go(found.race) }, 'To the next race')
        : h('a', { class: 'button', href: `/r/${found.race}/watch` }, 'Watch the next race')) : null);
    }
    // The sheet may be a moment behind: nobody is brought to where they have been.
    if (!wanted(cup.sheet).some((each) => each.race.race === race.code)) bringer.look();
  }
}
