/** Short sounds, made on the spot; silent unless the player has switched them on. */

/** @typedef {'move' | 'home' | 'refused' | 'tick' | 'start' | 'finish'} Sound */

/** Frequencies in hertz and when each begins, in seconds. @type {Record<Sound, readonly [number, number][]>} */
const NOTES = {
  move: [[420, 0]],
  home: [[660, 0]],
  refused: [[170, 0]],
  tick: [[520, 0]],
  start: [[780, 0]],
  finish: [[523, 0], [659, 0.09], [784, 0.18]],
};
const LENGTH = 0.07;

/** Plays by the settings `sound`, `volume` and `hush-hidden`. */
export class Sounds {
  /** @type {AudioContext | null} */
  #context = null;

  /** @param {import('../settings.js').Settings} settings */
  constructor(settings) {
    this.settings = settings;
  }

  /** @param {Sound} sound */
  play(sound) {
    if (!this.settings.is('sound')) return;
    if (document.hidden && this.settings.is('hush-hidden')) return;
    this.#context ??= new AudioContext();
    const context = this.#context;
    for (const [pitch, after] of NOTES[sound]) {
      const begins = context.currentTime + after;
      const loudness = context.createGain();
      loudness.gain.setValueAtTime(0.25 * Number(this.settings.get('volume')) / 100, begins);
      loudness.gain.exponentialRampToValueAtTime(0.0001, begins + LENGTH);
      const tone = context.createOscillator();
      tone.type = 'triangle';
      tone.frequency.value = pitch;
      tone.connect(loudness).connect(context.destination);
      tone.start(begins);
      tone.stop(begins + LENGTH);
    }
  }

  close() {
    this.#context?.close();
  }
}
