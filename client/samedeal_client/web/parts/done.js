/** What stands over one's table when one's own race has ended and others go on. */

import { fill, h } from '../dom.js';
import { clock, counted, ordinal, span, stateWords } from '../words.js';
import { ranked } from './lanes.js';

/** @typedef {import('../net/race.js').Race} Race */

/** How one's race ended, if not by a finish. @type {Record<string, string>} */
const OUTCOMES = {
  stuck: 'No move was left',
  'gave-up': 'You gave up',
  'out-of-time': 'Your time is up',
  disqualified: 'You were disqualified',
};
/** A race of the daily deal is named by its day. */
const DAILY = /^daily-(\d{8})(-|$)/;

/** The outcome, and the ways onward; `draw` shows whether it is so far. */
export class Done {
  /** @param {Race} race */
  constructor(race) {
    this.race = race;
    this.day = DAILY.exec(race.code)?.[1] ?? null;
    this.outcome = h('p', { class: 'lead' });
    this.others = h('p');
    this.watch = h('a', { class: 'button', href: `/r/${race.code}/watch` });
    this.node = h('div', { class: 'done', hidden: true, tabindex: '-1' }, this.outcome, this.others,
      h('p', { class: 'row' },
        this.day === null ? null : h('a', { class: 'button primary', href: `/daily/${this.day}` }, 'See today’s board'),
        this.watch,
        race.tournament ? h('a', { class: 'button', href: `/t/${race.tournament}` }, 'Back to the tournament')
          : h('a', { class: 'button', href: '/' }, 'Leave for another race')));
  }

  /**
   * @param {string} why  what was said of it, if anything
   * @returns {boolean} whether it is so just now for the first time
   */
  draw(why) {
    const { me, phase, terms } = this.race;
    const isDone = me !== null && me.state !== 'racing' && phase === 'running';
    const isNew = isDone && this.node.hidden;
    this.node.hidden = !isDone;
    if (!isDone || me === null) return false;
    const rivals = ranked(this.race.entrants.values()).length - 1;
    this.watch.hidden = terms.spectators === 'none' || rivals === 0;
    // Only words change: whoever has the focus on a link keeps it.
    fill(this.watch, rivals === 1 ? 'Watch the other' : 'Watch the others');
    fill(this.outcome, me.state === 'finished' ? `Finished in ${clock(me.elapsed_ms)}` : `${OUTCOMES[me.state] ?? `You are done: ${stateWords(me.state)}`}${why ? `: ${why}` : ''}`);
    fill(this.others, this.#sentences(me).filter(Boolean).join(' '));
    return isNew;
  }

  /** @param {import('../net/race.js').Entrant} me */
  #sentences(me) {
    const order = ranked(this.race.entrants.values());
    const racing = order.filter((each) => ['racing', 'hidden'].includes(each.state)).length;
    const place = order.findIndex((each) => each.entrant === me.entrant) + 1;
    const closes = this.race.closesIn();
    const left = closes === null ? '' : span(Math.ceil(closes / 1000));
    if (this.day !== null) return [`How the others did so far is on the board of the day; it is final when the day closes${left && `, in ${left}`}.`];
    return [
      me.state === 'finished' && racing ? `You are ${ordinal(place)} so far.` : '',
      racing ? `${counted(racing, 'other is', 'others are')} still racing.` : '',
      this.race.terms.mode === 'async' && left ? `The result comes when the race closes, in ${left} at the latest.`
        : racing ? '' : 'The result is coming.',
    ];
  }
}
